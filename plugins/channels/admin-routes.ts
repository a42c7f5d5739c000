import {
  anyValue,
  array,
  boolean,
  NotFound,
  object,
  operatorOf,
  owned,
  type PluginContext,
  type Route,
  route,
  string,
  visibleNumbers,
} from '#core';
import { addressTaken } from '#core/messaging';
import { addChannel, CHANNEL_TYPE, connectorOf, removeChannel } from './channel.js';
import {
  adminChannel,
  adminCreatedSchema,
  badRequestSchema,
  channelChange,
  channelSchema,
  newSample,
  sampleSchema,
  sampleTurns,
  successSchema,
} from './schemas.js';

const params = object({ uuid: string() });
/** Every webhook that subscribes to a channel receives its messages; usually there is one. */
const MAX_CONNECTORS = 100;

export function channelAdminRoutes(context: PluginContext): Route[] {
  const { store, numbers, webhooks, contacts, channels, deliveries } = context;

  /** Calls an endpoint of the connector with the body of the caller, so that checks, response and recorded call are the connector's. */
  const asConnector = (endpoint: 'messages' | 'statuses', keys: readonly string[], summary: string): Route =>
    route({
      method: 'POST',
      path: `/channels/{uuid}/${endpoint}`,
      permission: 'channels.test',
      accounts: { uuid: owned.number },
      summary,
      makesDeliveries: true,
      // The endpoint checks the values.
      request: { params, payload: object({}, Object.fromEntries(keys.map((key) => [key, anyValue()]))) },
      responses: { 200: successSchema, 400: badRequestSchema },
      async handler({ params: { uuid }, payload, request }, h) {
        const number = await numbers.require(uuid);
        if (number.type !== CHANNEL_TYPE) throw new NotFound('channel', uuid);
        const { prefix = '' } = request.server.realm.modifiers.route;
        const { statusCode, result } = await request.server.inject({
          method: 'POST',
          url: `${prefix}/v1/numbers/${uuid}/${endpoint}`,
          // The platform may be mounted for one host name only.
          headers: { 'content-type': 'application/json', host: request.info.host },
          payload: JSON.stringify(payload),
          // hapi takes these credentials instead of a token.
          auth: { strategy: 'admin', credentials: { number } as never },
        });
        return h.response(result).code(statusCode);
      },
    });

  return [
    route({
      method: 'GET',
      path: '/channels',
      permission: 'channels.read',
      accounts: 'filtered',
      shards: { list: 'channels', by: ['number.created_at', 'number.uuid'], order: 'ascending' },
      summary: 'Lists the channels and the webhooks of their connectors.',
      responses: { 200: object({ channels: array(channelSchema) }) },
      async handler({ request }) {
        const channels = (await visibleNumbers(numbers, operatorOf(request))).filter((number) => number.type === CHANNEL_TYPE);
        return { channels: await Promise.all(channels.map(async (number) => ({ number, webhooks: await connectorsOf(number.uuid) }))) };
      },
    }),
    route({
      method: 'POST',
      path: '/channels',
      permission: 'channels.write',
      summary: 'Creates a channel, and the webhook of its connector. Only this response contains the secret of the webhook.',
      request: {
        payload: adminChannel,
      },
      responses: { 201: adminCreatedSchema },
      async handler({ payload: { account = null, ...channel } }, h) {
        const { number, webhook, secret } = await store
          .transaction((tx) => addChannel(tx, context, { ...channel, account }))
          .catch(addressTaken);
        return h.response({ number, webhook: { uuid: webhook.uuid, hmac_secret: secret } }).code(201);
      },
    }),
    route({
      method: 'PATCH',
      path: '/channels/{uuid}',
      permission: 'channels.write',
      accounts: { uuid: owned.number },
      summary: "Changes the URL of the webhook of a channel's connector.",
      request: { params, payload: channelChange },
      responses: { 200: channelSchema },
      async handler({ params: { uuid }, payload: { endpoint } }) {
        const number = await numbers.require(uuid);
        await store.transaction(async (tx) => {
          const connector = connectorOf(await webhooks.listening(tx, uuid, 'channel'));
          if (number.type !== CHANNEL_TYPE || !connector) throw new NotFound('channel', uuid);
          await webhooks.update(tx, connector.uuid, { url: endpoint });
        });
        return { number, webhooks: await connectorsOf(uuid) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/channels/{uuid}',
      permission: 'channels.write',
      accounts: { uuid: owned.number },
      summary:
        'Removes a channel: deletes the webhook of its connector, cancels pending deliveries, and revokes its tokens. Its number and conversations stay, and a new channel with the same address continues them.',
      request: { params },
      responses: { 200: object({ success: boolean() }) },
      async handler({ params: { uuid } }) {
        await removeChannel(context, uuid);
        return { success: true };
      },
    }),
    route({
      method: 'POST',
      path: '/channels/{uuid}/samples',
      permission: 'channels.test',
      accounts: { uuid: owned.number },
      summary:
        'Sends an example of one kind of turn to the connector of a channel, as a message to the contact `to`, by default `sample`. Links of media files in examples cannot be downloaded.',
      request: { params, payload: newSample },
      responses: { 201: sampleSchema },
      async handler({ params: { uuid }, payload: { turn, to = 'sample' } }, h) {
        const number = await numbers.require(uuid);
        if (number.type !== CHANNEL_TYPE) throw new NotFound('channel', uuid);
        const who = (await contacts.find(number, to)) ?? { id: to, address: to };
        const author = { type: 'SYSTEM' as const, id: 'sample', name: 'Sample' };
        const message = await store.transaction((tx) => channels.sendTo(tx, number, who, { turn: sampleTurns[turn]!, author }));
        const queued = await deliveries.list({ message: message.uuid, limit: MAX_CONNECTORS });
        return h.response({ message: message.uuid, deliveries: queued.map((delivery) => delivery.uuid) }).code(201);
      },
    }),
    asConnector(
      'messages',
      ['contact', 'message'],
      'Posts a message of a contact as the connector of the channel does: same body, checks and response as `POST /v1/numbers/{number_uuid}/messages`.',
    ),
    asConnector(
      'statuses',
      ['status'],
      'Reports a status as the connector of the channel does: same body, checks and response as `POST /v1/numbers/{number_uuid}/statuses`.',
    ),
  ];

  async function connectorsOf(number: string) {
    const all = await webhooks.ofNumber(number);
    return all.filter((webhook) => webhook.subscriptions.includes('channel')).map(({ uuid, url }) => ({ uuid, url }));
  }
}
