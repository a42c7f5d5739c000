import type { ContactRecord, ConversationRecord, JsonObject, NumberRecord } from '#core';
import type { Input } from '#core/basics';
import { observedFields } from '#core/messaging';

export interface StartSubject {
  readonly number: NumberRecord;
  readonly contact: ContactRecord;
  readonly conversation: ConversationRecord | undefined;
  /** The message that starts the journey, if one does. */
  readonly input?: Input;
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
