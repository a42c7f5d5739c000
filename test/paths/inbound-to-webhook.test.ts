import { readFileSync } from 'node:fs';
import Hapi from '@hapi/hapi';
import t from 'tap';
import { createPlatform } from '#core';
import { RecordingLogger, type Tap } from '#core/testing';
import { channels } from '../../plugins/channels/plugin.js';
import { journeys } from '../../plugins/journeys/plugin.js';
import { webhooks } from '../../plugins/webhooks/plugin.js';
import { startExample, until } from './example-process.js';

const clinic = JSON.parse(readFileSync('test/plugins/journeys/engine/clinic.journey.json', 'utf8'));
const ADMIN = 'admin-key-of-the-paths';

/** A listening platform, with a connector and a webhook receiver as separate processes, configured over HTTP only. */
async function start(t: Tap) {
  const log = new RecordingLogger();
  const server = Hapi.server({ host: '127.0.0.1', port: 0 });
  const platform = createPlatform({
    plugins: [channels(), webhooks(), journeys()],
    admin: { key: ADMIN },
    privateTargets: 'allow',
    checkResponses: true,
    ports: { log },
  });
  await server.register(platform.hapiPlugin);
  await server.start();
  t.teardown(() => server.stop());
  const api = `http://127.0.0.1:${server.info.port}`;

  const call = async (method: string, path: string, token: string, body?: object) => {
    const response = await fetch(`${api}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: a test reads arbitrary JSON
    return { status: response.status, body: (await response.json()) as any };
  };
  const admin = async (method: string, path: string, body?: object) => (await call(method, `/admin/v1${path}`, ADMIN, body)).body;

  const connector = await startExample(t, 'connector');
  const receiver = await startExample(t, 'webhook-receiver');
  const { number: owner } = await admin('POST', '/numbers', { kind: 'network', address: '+27600000001', name: 'Library' });
  const { text: ownerToken } = await admin('POST', `/numbers/${owner.uuid}/tokens`, { name: 'test' });
  const created = await call('POST', '/v1/numbers', ownerToken, {
    backend_type: 'channel',
    number_type: 'channel_http_api',
    from_addr: 'web:library',
    name: 'Library on the web',
    endpoint: connector.url,
  });
  const channel = created.body.number.uuid;
  const { text: token } = await admin('POST', `/numbers/${channel}/tokens`, { name: 'connector' });
  await connector.send({
    POSTHORN_API: api,
    POSTHORN_NUMBER: channel,
    POSTHORN_TOKEN: token,
    POSTHORN_SECRET: created.body.webhook.hmac_secret,
  });
  const hook = await admin('POST', '/webhooks', { number: channel, url: receiver.url, subscriptions: ['msgapp'] });
  await receiver.send({ POSTHORN_SECRET: hook.hmac_secret });
  const journey = '5c1e7a52-4a0e-4c55-9a43-1d0f52a7f001';
  const put = await admin('PUT', `/journeys/${journey}`, {
    number: channel,
    name: 'Library',
    definition: clinic,
    triggers: [{ on: 'message' }],
  });
  await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' });

  const say = async (text: string) => {
    const response = await fetch(`${connector.url}/phone`, { method: 'POST', body: JSON.stringify({ from: '+27611111111', text }) });
    return (await response.json()) as { id: string };
  };
  return { call, admin, log, channel, token, created, put, say };
}

t.test('a message reaches the journey, its reply the connector, and its status a webhook, all signed', async (t) => {
  const { admin, log, channel, created, put, say } = await start(t);
  t.equal(created.status, 201);
  t.strictSame(put.problems, []);

  const { id } = await say('hi');
  const deliveries = await until(
    async () => (await admin('GET', `/deliveries?number=${channel}`)).deliveries,
    (all) => all.length === 4 && all.every((delivery: { state: string }) => delivery.state === 'delivered'),
  );
  t.strictSame(
    deliveries.map((delivery: { subscription: string }) => delivery.subscription).sort(),
    ['channel', 'msgapp', 'msgapp', 'msgapp'],
    'the reply, and events for the message and its two statuses',
  );
  for (const { uuid } of deliveries) {
    const { attempts } = await admin('GET', `/deliveries/${uuid}`);
    t.match(attempts, [{ n: 0, status: 200, result: 'delivered', response: /"signature":"ok"/ }]);
  }

  const [{ uuid: conversation }] = (await admin('GET', `/numbers/${channel}/conversations`)).conversations;
  const opened = await until(
    async () => await admin('GET', `/conversations/${conversation}`),
    ({ messages }) => messages[0]?.status === 'delivered',
  );
  t.match(opened.messages, [
    { direction: 'outbound', type: 'interactive', external_id: /./, statuses: [{ status: 'sent' }, { status: 'delivered' }] },
    { direction: 'inbound', type: 'text', external_id: id, content: { text: { body: 'hi' } } },
  ]);
  t.match(opened.contact.fields, { name: 'Sam' });
  t.strictSame(log.messages('error'), []);
});

t.test('the conversation continues where it waited, and values learned are stored with the contact', async (t) => {
  const { admin, channel, say } = await start(t);
  const inbound = async () => {
    const { conversations } = await admin('GET', `/numbers/${channel}/conversations`);
    const { messages, contact } = await admin('GET', `/conversations/${conversations[0]?.uuid}`);
    return { newest: messages[0], contact };
  };
  await say('hi');
  const first = await until(inbound, ({ newest }) => newest?.direction === 'outbound' && newest.status === 'delivered');
  const [language] = first.newest.content.interactive.action.buttons;
  await say(language.reply.title);
  const second = await until(inbound, ({ newest }) => newest.direction === 'outbound' && newest.position > first.newest.position + 1);
  t.equal(second.contact.fields.language, 'eng');
  t.match(second.newest.journey, { card: 'Menu' });
});
