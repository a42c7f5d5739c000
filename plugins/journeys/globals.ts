import type { ContactRecord, JsonObject, NumberRecord } from '#core';

/** What a journey sees beside the contact (reference: the runtime context). */
export function globalsOf(
  number: NumberRecord,
  contact: ContactRecord,
  conversation: string | null,
  message: JsonObject | null,
): JsonObject {
  return {
    number: { uuid: number.uuid, name: number.name, address: number.address },
    chat: { uuid: conversation, contact_uuid: contact.uuid, owner: contact.address },
    event: message === null ? {} : { message },
    global: {},
    organisation: {},
  };
}
