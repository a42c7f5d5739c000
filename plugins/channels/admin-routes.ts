import { array, NotFound, object, type PluginContext, type Route, route, string } from '#core';
import { addressTaken } from '#core/areas';
import { CHANNEL_TYPE, connectorOf, createChannel } from './channel.js';
import { adminChannel, adminCreatedSchema, channelChange, channelSchema } from './schemas.js';

const params = object({ uuid: string() });

export function channelAdminRoutes(context: PluginContext): Route[] {
  const { store, numbers, webhooks } = context;
  return [
    route({
      method: 'GET',
      path: '/channels',
      summary: 'Lists the channels and the webhooks of their connectors.',
      responses: { 200: object({ channels: array(channelSchema) }) },
      async handler() {
        const channels = (await numbers.list()).filter((number) => number.type === CHANNEL_TYPE);
        return { channels: await Promise.all(channels.map(async (number) => ({ number, webhooks: await connectorsOf(number.uuid) }))) };
      },
    }),
    route({
      method: 'POST',
      path: '/channels',
      summary: 'Creates a channel, and the webhook of its connector. Only this response contains the secret of the webhook.',
      request: {
        payload: adminChannel,
      },
      responses: { 201: adminCreatedSchema },
      async handler({ payload: { account = null, ...channel } }, h) {
        const { number, webhook, secret } = await createChannel(context, { ...channel, account }).catch(addressTaken);
        return h.response({ number, webhook: { uuid: webhook.uuid, hmac_secret: secret } }).code(201);
      },
    }),
    route({
      method: 'PATCH',
      path: '/channels/{uuid}',
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
  ];

  async function connectorsOf(number: string) {
    const all = await webhooks.ofNumber(number);
    return all.filter((webhook) => webhook.subscriptions.includes('channel')).map(({ uuid, url }) => ({ uuid, url }));
  }
}
