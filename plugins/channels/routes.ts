import {
  advice,
  InvalidRequest,
  type JsonObject,
  NotFound,
  type NumberRecord,
  object,
  type PluginContext,
  type Route,
  requestId,
  route,
  string,
  UniqueViolation,
} from '#core';
import { MessageIdTaken } from '#core/messaging';
import { runSteps } from '#core/ports';
import { addChannel } from './channel.js';
import type { EarlierIds } from './earlier-ids.js';
import { invalidField } from './errors.js';
import { reportedErrors } from './reported-errors.js';
import {
  badRequestSchema,
  createdSchema,
  type InboundBody,
  inboundSchema,
  newChannel,
  statusBodySchema,
  successSchema,
} from './schemas.js';

const params = object({ number_uuid: string().lowercase() });

/** The three endpoints of the Channel API. */
export function channelRoutes(context: PluginContext, earlierIds: EarlierIds, { nfmReplies }: { readonly nfmReplies: boolean }): Route[] {
  const { store, messages, announce, deliveries } = context;

  /** The message of a delivery: connectors may use the id of a delivery as their id of its message. */
  async function sentAs(delivery: string): Promise<string | undefined> {
    try {
      return (await deliveries.show(delivery)).delivery.message;
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  }

  function adviseTakenId({ uuid }: NumberRecord, { message, earlier }: MessageIdTaken, call: string): void {
    announce(advice, {
      name: 'inbound_id_taken',
      severity: 'warning',
      number: uuid,
      message: `${message}; the platform refused the message.`,
      fix: 'Give every message an id that is unique on its number. If your connector counts messages per chat, put the id of the chat before the count: "<chat>:<count>".',
      about: { message: earlier, call },
    });
  }

  return [
    route({
      method: 'POST',
      path: '/v1/numbers',
      summary: 'Creates a channel: a number whose messages a connector sends and receives.',
      numbers: ['network', 'sandbox'],
      request: { payload: newChannel },
      responses: { 201: createdSchema, 400: badRequestSchema },
      async handler({ payload, caller }, h) {
        const channel = { ...payload, account: caller.number.account };
        const { number, webhook, secret } = await store
          .transaction((tx) => addChannel(tx, context, channel))
          .catch((error: unknown) => {
            if (error instanceof InvalidRequest) throw invalidField('webhook', 'endpoint');
            throw error instanceof UniqueViolation ? invalidField('number', 'from_addr', 'address_taken') : error;
          });
        return h.response({ number: { uuid: number.uuid }, webhook: { uuid: webhook.uuid, hmac_secret: secret } }).code(201);
      },
    }),
    route({
      method: 'POST',
      path: '/v1/numbers/{number_uuid}/messages',
      summary: 'Receives a message that a contact sent on the channel.',
      numbers: ['channel'],
      bucket: 'none',
      makesDeliveries: true,
      request: { params, payload: inboundSchema },
      responses: { 200: successSchema, 400: badRequestSchema },
      async handler({ params: { number_uuid }, payload, caller: { number }, request }) {
        requireOwnChannel(number, number_uuid);
        if (!nfmReplies && payload.message.interactive?.type === 'nfm_reply') throw invalidField('message', 'interactive.type');
        await store
          .transaction((tx) => runSteps(messages.inSteps.received(tx, number, inboundOf(payload))))
          .catch((error: unknown) => {
            if (!(error instanceof MessageIdTaken)) throw error;
            adviseTakenId(number, error, requestId(request));
            throw invalidField('message', 'id', 'message_id_taken');
          });
        return { success: true };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/numbers/{number_uuid}/statuses',
      summary: 'Receives a status of a message that was sent on the channel.',
      numbers: ['channel'],
      bucket: 'none',
      makesDeliveries: true,
      request: { params, payload: statusBodySchema },
      responses: { 200: successSchema, 400: badRequestSchema },
      async handler({ params: { number_uuid }, payload: { status }, caller: { number } }) {
        requireOwnChannel(number, number_uuid);
        const { recipient_id: recipient, errors, ...rest } = status;
        const report = { ...rest, recipient, ...(rest.status === 'failed' && { errors: reportedErrors(errors) }) };
        const outcome = await store.transaction(async (tx) => {
          const current = await earlierIds.current(tx, number.uuid, report.id);
          return messages.status(tx, number, current === undefined ? report : { ...report, id: current }, sentAs);
        });
        if (outcome === 'unknown message') throw invalidField('status', 'id');
        if (outcome === 'other recipient') throw invalidField('status', 'recipient_id');
        return { success: true };
      },
    }),
  ];
}

/** Refuses the uuid of any other number than that of the token, as if it did not exist. @throws NotFound */
function requireOwnChannel(number: NumberRecord, uuid: string): void {
  if (number.uuid !== uuid) throw new NotFound('channel of this token', uuid, 'channel_not_found');
}

/** Removes optional fields that are null, because webhooks and journeys expect texts or absent fields. */
function withoutNulls(part: JsonObject): JsonObject {
  const present = Object.entries(part).filter(([, value]) => value !== null);
  return Object.fromEntries(
    present.map(([name, value]) => [name, typeof value === 'object' && !Array.isArray(value) ? withoutNulls(value as JsonObject) : value]),
  );
}

function inboundOf({ contact, message }: InboundBody) {
  const { type, from, id, timestamp, context } = message;
  return {
    id,
    from,
    timestamp,
    type,
    contact: { id: contact.id, name: contact.profile.name },
    // A button keeps a null payload, because webhooks of the network have it too.
    content: { [type]: type === 'button' ? (message.button as JsonObject) : withoutNulls(message[type] as JsonObject) },
    ...(context && { context: { id: context.id } }),
  };
}
