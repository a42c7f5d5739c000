import type { ContactRecord, MessageRecord, NumberRecord, StatusReport } from '#core';
import { chatOf, type Dialect, type MessageHappened, messageBody, postedBody, vendorOf } from '#core/areas';
import type { ChannelInbound, InboundEvent, SentEvent, StatusEvent } from './schemas.js';

export function inboundEvent({ contactFields }: Dialect, contact: ContactRecord, message: MessageRecord): InboundEvent {
  const messages = [messageBody(message) as InboundEvent['messages'][number]];
  if (message.type === 'system' || message.type === 'unsupported') return { messages };
  return { contacts: [{ profile: { name: profileName(contactFields, contact) }, wa_id: contact.id.replace(/^\+/, '') }], messages };
}

/**
 * The recipient is in two places, because receivers read either. On a channel `_vnd.v1.uuid` is the id that `POST /v1/messages`
 * returned, before the connector had given the message its own.
 */
export function statusEvent({ kind }: NumberRecord, message: MessageRecord, { status, timestamp, errors }: StatusReport): StatusEvent {
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
        ...(kind === 'channel' && { _vnd: { v1: { uuid: message.uuid } } }),
      },
    ],
  };
}

export function sentEvent(publicUrl: string, { message, contact, conversation }: MessageHappened): SentEvent {
  const v1 = { ...vendorOf(message), chat: chatOf(publicUrl, contact, conversation) };
  return {
    ...postedBody(message),
    from: message.from,
    id: message.external_id ?? message.uuid,
    timestamp: message.timestamp,
    _vnd: { v1 },
  } as SentEvent;
}

export function channelInbound({ contactFields }: Dialect, contact: ContactRecord, message: MessageRecord): ChannelInbound {
  return {
    contact: { id: contact.id, profile: { name: profileName(contactFields, contact) } },
    message: messageBody(message) as ChannelInbound['message'],
  };
}

function profileName({ networkProfileName }: Dialect['contactFields'], { fields }: ContactRecord): string {
  const name = fields[networkProfileName];
  return typeof name === 'string' ? name : '';
}
