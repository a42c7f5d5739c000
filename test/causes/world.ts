import { type Answer, startPlatform, type Tap, type TestPlatform } from '#core/testing';
import { channels } from '../../plugins/channels/plugin.js';
import { cloudApi } from '../../plugins/cloud-api/plugin.js';
import { console as consolePlugin } from '../../plugins/console/plugin.js';
import { flows } from '../../plugins/flows/plugin.js';
import { integration } from '../../plugins/integration/plugin.js';
import { journeys } from '../../plugins/journeys/plugin.js';
import { messages } from '../../plugins/messages/plugin.js';
import { network } from '../../plugins/network/plugin.js';
import { simulation } from '../../plugins/simulation/plugin.js';
import { webhooks } from '../../plugins/webhooks/plugin.js';
import { survey } from '../plugins/flows/flows-under-test.js';
import { containerOf } from '../plugins/journeys/engine/journey-under-test.js';

export const NONE = '01a2b3c4-0000-7000-8000-000000000000';
export const PHONE = '27820001001';
export const HOOK = 'https://owner.test/hook';
export const DAY = 86_400_000;

export const asking = containerOf({
  texts: { who: 'Who?', bye: 'Bye' },
  blocks: [
    { name: 'who', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'who' } },
    { name: 'bye', type: 'MobilePrimitives.Message', config: { prompt: 'bye' } },
  ],
});

/** A platform with every plugin, a number of the network to whose phone it has talked, and a channel. */
export interface World extends TestPlatform {
  readonly net: { readonly uuid: string; readonly token: string };
  readonly channel: { readonly uuid: string; readonly token: string };
  /** A message of the phone. */
  readonly message: string;
  readonly conversation: string;
  readonly contact: string;
  readonly webhook: string;
  /** Calls with the token of the network number. */
  api(method: string, path: string, payload?: unknown, headers?: Record<string, string>): Promise<Answer>;
  send(body: object, headers?: Record<string, string>): Promise<Answer>;
  journey(about?: object): Promise<string>;
  publish(journey: string): Promise<Answer>;
  say(body: string, from?: string): Promise<Answer>;
  /** A delivery that the webhook refused, and that has ended. */
  delivery(response?: object, advance?: number): Promise<string>;
  flow(about?: object): Promise<string>;
  /** Connects a number to the Cloud API. */
  connect(): Promise<void>;
}

export const CREDENTIALS = { waba_id: '2', access_token: 'access-token', app_secret: 'app-secret', verify_token: 'verify-token' };

export async function startWorld(t: Tap): Promise<World> {
  const plugins = [channels(), webhooks(), journeys(), messages({ claims: true, dataExport: true, idempotencyKeys: 2 }), network()];
  const more = [simulation(), flows(), integration(), cloudApi(), consolePlugin()];
  const test = await startPlatform(t, { plugins: [...plugins, ...more], rateLimits: false });
  const { admin, call, clock, http, platform } = test;
  const net = await test.number('network', { address: '+27110000000', account: 'ours' });
  const created = (await admin('POST', '/channels', { from_addr: '+27110000001', name: 'Channel', endpoint: 'https://connector.test/' }))
    .body;
  const { body } = await admin('POST', `/numbers/${created.number.uuid}/tokens`, { name: 'test' });
  const channel = { uuid: created.number.uuid, token: body.text };
  http.answer(HOOK, {});
  http.answer('https://connector.test/', { body: { messages: [{ id: 'c-1' }] } });
  const webhook = (await admin('POST', '/webhooks', { number: net.uuid, url: HOOK })).body.webhook.uuid;
  const say = (body: string, from = PHONE) =>
    admin('POST', `/network/numbers/${net.uuid}/messages`, { from, name: 'Ann', type: 'text', text: { body } });
  const { message } = (await say('hello')).body;
  await clock.advance(0);
  const api: World['api'] = (method, path, payload, headers) =>
    call(method, path, { token: net.token, ...(payload !== undefined && { payload }), ...(headers && { headers }) });
  return {
    ...test,
    ...{ net, channel, webhook, api, say },
    ...{ message: message.uuid, conversation: message.conversation, contact: message.contact },
    send: (body, headers) => api('POST', '/v1/messages', { to: `+${PHONE}`, ...body }, headers),
    async journey(about = {}) {
      const uuid = platform.ids.uuid();
      const made = await admin('PUT', `/journeys/${uuid}`, { number: net.uuid, name: uuid, definition: asking, ...about });
      if (made.status >= 300) throw new Error(JSON.stringify(made.body));
      return uuid;
    },
    publish: (journey) => admin('POST', `/journeys/${journey}/publish`, { revision: 'production' }),
    async delivery(response = { status: 404 }, advance = 0) {
      http.answer(HOOK, response);
      const { body } = await say('a delivery');
      await clock.advance(advance);
      const { deliveries } = (await admin('GET', `/deliveries?message=${body.message.uuid}`)).body;
      http.answer(HOOK, {});
      return deliveries[0].uuid;
    },
    async connect() {
      http.answer('*https://graph.facebook.com/*', { body: { data: [] } });
      const { uuid } = await test.number('network', { address: '+27110000007' });
      const { status, body } = await admin('PUT', `/cloud-api/numbers/${uuid}`, { ...CREDENTIALS, phone_number_id: '111' });
      if (status !== 200) throw new Error(JSON.stringify(body));
    },
    async flow(about = {}) {
      const { body } = await api('POST', '/v1/flows', { name: platform.ids.uuid(), flow_json: survey, ...about });
      return body.id;
    },
  };
}
