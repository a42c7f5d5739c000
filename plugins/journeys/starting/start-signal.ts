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

export function startSignal({ journey, session }: Pick<SelectedSession, 'journey' | 'session'>, subject: StartSubject): Signal {
  const { contact, conversation, input } = subject;
  return {
    kind: 'start',
    session: session.uuid,
    journey: journey.uuid,
    revision: session.revisions[0]!,
    contact: knownFields(contact, conversation),
    globals: globalNames(subject),
    ...(input && { input }),
  };
}

/** The names of a session's context other than `contact`. */
export const globalNames = ({ number, contact, conversation, input }: StartSubject): JsonObject => ({
  number: { uuid: number.uuid, name: number.name, address: number.address },
  chat: { uuid: conversation?.uuid ?? null, contact_uuid: contact.uuid, owner: contact.address },
  event: input === undefined ? {} : { message: input.message ?? {} },
  global: {},
  organisation: {},
});

/** The contact fields of a journey: the stored ones and those observed from messages. */
export const knownFields = (contact: ContactRecord, conversation: ConversationRecord | undefined): JsonObject =>
  ({ ...contact.fields, ...observedFields(conversation) }) as JsonObject;
