import type { ContactRecord, Dialect, MessageRecord, NumberRecord, Payload, StatusReport } from '#core';
import { chatOf, contactsOf, type MessageHappened, messageBody, postedBody, statusBody, vendorOf } from '#core/messaging';
import {
  type ChannelInbound,
  channelInboundSchema,
  type InboundEvent,
  inboundEventSchema,
  type SentEvent,
  type StatusEvent,
  sentEventSchema,
  statusEventSchema,
} from './schemas.js';

/** All payloads of webhooks (Events), except those to the connector of a channel. */
export const webhookPayloads = ({ headers }: Dialect): Payload[] => {
  const networkId = { [headers.networkId]: 'The id of the message, which later statuses refer to.' };
  return [
    {
      name: 'messageReceived',
      summary: 'A contact sent a message.',
      subscription: 'network',
      description: `With \`claims\`, the header \`${headers.claim}\` has the claim if this webhook answers the contact instead of journeys.`,
      body: inboundEventSchema,
    },
    {
      name: 'messageStatus',
      summary: 'A message to a contact was sent, delivered or read, or it failed.',
      subscription: 'network',
      body: statusEventSchema,
    },
    {
      name: 'messageSent',
      summary: 'A message posted to the message-sending endpoint was accepted for delivery. Never sent for channels.',
      subscription: 'service',
      headers: networkId,
      body: sentEventSchema,
    },
    {
      name: 'journeyMessageSent',
      summary: 'A message of a journey was accepted for delivery.',
      subscription: 'journey_outbound',
      headers: networkId,
      body: sentEventSchema,
    },
    {
      name: 'channelMessageReceived',
      summary: 'A contact wrote on a channel. Sent only with the option `inboundOnChannel` of the plugin `webhooks`.',
      subscription: 'channel',
      body: channelInboundSchema,
    },
  ];
};

export function inboundEvent(dialect: Dialect, contact: ContactRecord, message: MessageRecord): InboundEvent {
  const messages = [messageBody(message) as InboundEvent['messages'][number]];
  if (message.type === 'system' || message.type === 'unsupported') return { messages };
  return { contacts: contactsOf(dialect, contact), messages };
}

export const statusEvent = (number: NumberRecord, message: MessageRecord, report: StatusReport): StatusEvent =>
  statusBody(number, message, report);

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

export function channelInbound(dialect: Dialect, contact: ContactRecord, message: MessageRecord): ChannelInbound {
  return {
    contact: { id: contact.id, profile: contactsOf(dialect, contact)[0]!.profile },
    message: messageBody(message) as ChannelInbound['message'],
  };
}
