import type { ContactRecord, ConversationRecord, JsonObject, NumberRecord } from '#core';
import { type Input, observedFields, type Signal } from '#core/areas';
import type { SelectedSession } from '../answering/choose.js';

/** Whom a journey talks with, and where. */
interface Begun {
  readonly number: NumberRecord;
  readonly contact: ContactRecord;
  /** Undefined while nothing was said. */
  readonly conversation: ConversationRecord | undefined;
  /** What the contact wrote, where that is what starts it. */
  readonly input?: Input;
}

/** A journey begins, on the one revision of its new session. */
export function startSignal(
  { journey, session }: Pick<SelectedSession, 'journey' | 'session'>,
  { number, contact, conversation, input }: Begun,
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

/** The fields of a contact as a journey knows them: with what is seen from its messages. */
export const knownFields = (contact: ContactRecord, conversation: ConversationRecord | undefined): JsonObject =>
  ({ ...contact.fields, ...observedFields(conversation) }) as JsonObject;
