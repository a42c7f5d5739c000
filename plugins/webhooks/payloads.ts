import {
  anyText,
  type ContactRecord,
  type Dialect,
  fields,
  list,
  type MessageRecord,
  messageBody,
  notificationErrorSchema,
  oneOf,
  type StatusReport,
  type TypeOf,
  text,
} from '#core';

/** The bodies of webhook events, each with one message or one status (Resources; Events). */

export const inboundEventSchema = fields({
  contacts: list(fields({ profile: fields({ name: anyText() }), wa_id: text() })),
  messages: list(
    fields({ from: text(), id: text(), timestamp: text(), type: text() }, { context: fields({ id: text() }, { from: text() }) }).unknown(),
  ),
});
export type InboundEvent = TypeOf<typeof inboundEventSchema>;

export const statusEventSchema = fields({
  statuses: list(
    fields(
      {
        id: text(),
        status: oneOf('sent', 'delivered', 'read', 'failed'),
        timestamp: text(),
        recipient_id: text(),
        message: fields({ recipient_id: text() }),
      },
      { errors: list(notificationErrorSchema) },
    ),
  ),
});
export type StatusEvent = TypeOf<typeof statusEventSchema>;

export function inboundEvent({ contactFields }: Dialect, contact: ContactRecord, message: MessageRecord): InboundEvent {
  const name = contact.fields[contactFields.networkProfileName];
  return {
    contacts: [{ profile: { name: typeof name === 'string' ? name : '' }, wa_id: contact.id.replace(/^\+/, '') }],
    messages: [messageBody(message) as InboundEvent['messages'][number]],
  };
}

/** Receivers read the recipient in either of two places, so it stands in both. */
export function statusEvent(message: MessageRecord, { status, timestamp, errors }: StatusReport): StatusEvent {
  const recipient = message.to;
  return {
    statuses: [
      {
        id: message.external_id ?? message.uuid,
        status,
        timestamp,
        recipient_id: recipient,
        message: { recipient_id: recipient },
        ...(errors && { errors }),
      },
    ],
  };
}
