import {
  advice,
  InvalidRequest,
  type JsonObject,
  NotFound,
  type NumberRecord,
  object,
  type PluginContext,
  type Route,
  route,
  string,
  UniqueViolation,
} from '#core';
import { MessageIdTaken } from '#core/areas';
import { createChannel } from './channel.js';
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
export function channelRoutes(context: PluginContext, { nfmReplies }: { readonly nfmReplies: boolean }): Route[] {
  const { store, messages, announce } = context;

  function adviseTakenId({ uuid }: NumberRecord, { message, earlier }: MessageIdTaken): void {
    announce(advice, {
      name: 'inbound_id_taken',
      number: uuid,
      message: `${message}; it was refused.`,
      fix: 'Give every message an id of its own on its number; where a platform counts per chat, put the chat before it: "<chat>:<id>".',
      about: { message: earlier },
    });
  }

  return [
    route({
      method: 'POST',
      path: '/v1/numbers',
      summary: 'Creates a channel: a number whose messages a connector carries.',
      numbers: ['network', 'sandbox'],
      request: { payload: newChannel },
      responses: { 201: createdSchema, 400: badRequestSchema },
      async handler({ payload, caller }, h) {
        const about = { ...payload, account: caller.number.account };
        const { number, webhook, secret } = await createChannel(context, about).catch((error: unknown) => {
          if (error instanceof InvalidRequest) throw invalidField('webhook', 'endpoint');
          throw error instanceof UniqueViolation ? invalidField('number', 'from_addr') : error;
        });
        return h.response({ number: { uuid: number.uuid }, webhook: { uuid: webhook.uuid, hmac_secret: secret } }).code(201);
      },
    }),
    route({
      method: 'POST',
      path: '/v1/numbers/{number_uuid}/messages',
      summary: 'Takes a message that a contact sent through the channel.',
      numbers: ['channel'],
      bucket: 'none',
      makesDeliveries: true,
      request: { params, payload: inboundSchema },
      responses: { 200: successSchema, 400: badRequestSchema },
      async handler({ params: { number_uuid }, payload, caller: { number } }) {
        mustBe(number, number_uuid);
        if (!nfmReplies && payload.message.interactive?.type === 'nfm_reply') throw invalidField('message', 'interactive.type');
        await store
          .transaction((tx) => messages.received(tx, number, inboundOf(payload)))
          .catch((error: unknown) => {
            if (!(error instanceof MessageIdTaken)) throw error;
            adviseTakenId(number, error);
            throw invalidField('message', 'id');
          });
        return { success: true };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/numbers/{number_uuid}/statuses',
      summary: 'Takes what became of a message that the channel sent.',
      numbers: ['channel'],
      bucket: 'none',
      makesDeliveries: true,
      request: { params, payload: statusBodySchema },
      responses: { 200: successSchema, 400: badRequestSchema },
      async handler({ params: { number_uuid }, payload: { status }, caller: { number } }) {
        mustBe(number, number_uuid);
        const { recipient_id: recipient, errors, ...about } = status;
        const report = { ...about, recipient, ...(about.status === 'failed' && { errors: reportedErrors(errors) }) };
        const outcome = await store.transaction((tx) => messages.status(tx, number, report));
        if (outcome === 'unknown message') throw invalidField('status', 'id');
        if (outcome === 'other recipient') throw invalidField('status', 'recipient_id');
        return { success: true };
      },
    }),
  ];
}

/** A token opens its own channel only; another's looks as if it did not exist. */
function mustBe(number: NumberRecord, uuid: string): void {
  if (number.uuid !== uuid) throw new NotFound('channel of this token', uuid);
}

/** Null says that there is none, as leaving it out does; those who hear of the message know texts only. */
function withoutNulls(part: JsonObject): JsonObject {
  const given = Object.entries(part).filter(([, value]) => value !== null);
  return Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === 'object' && !Array.isArray(value) ? withoutNulls(value as JsonObject) : value]),
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
    // Webhooks are told of a button as it was tapped, and on the network its payload may be null.
    content: { [type]: type === 'button' ? (message.button as JsonObject) : withoutNulls(message[type] as JsonObject) },
    ...(context && { context: { id: context.id } }),
  };
}
