import type { ContactRecord, ConversationRecord, JsonObject, NumberRecord } from '#core';
import { type Input, observedFields, type Signal } from '#core/areas';
import type { SelectedSession } from '../answering/choose.js';

interface StartSubject {
  readonly number: NumberRecord;
  readonly contact: ContactRecord;
  readonly conversation: ConversationRecord | undefined;
  /** The message that starts the journey, if one does. */
  readonly input?: Input;
}

export function startSignal(
  { journey, session }: Pick<SelectedSession, 'journey' | 'session'>,
  { number, contact, conversation, input }: StartSubject,
): Signal {
  return {
    kind: 'start',
    session: session.uuid,
    journey: journey.uuid,
    revision: session.revisions[0]!,
    contact: knownFields(contact, conversation),
    globals: {
      number: { uuid: number.uuid, name: number.name, address: number.address },
      chat: { uuid: conversation?.uuid ?? null, contact_uuid: contact.uuid, owner: contact.address },
      event: input === undefined ? {} : { message: input.message ?? {} },
      global: {},
      organisation: {},
    },
    ...(input && { input }),
  };
}

/** The contact fields of a journey: the stored ones and those observed from messages. */
export const knownFields = (contact: ContactRecord, conversation: ConversationRecord | undefined): JsonObject =>
  ({ ...contact.fields, ...observedFields(conversation) }) as JsonObject;
