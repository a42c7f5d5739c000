import { inspect } from 'node:util';
import t from 'tap';
import {
  beforeCommit,
  consume,
  definePlugin,
  deliverySettled,
  type Logger,
  messageReceived,
  object,
  on,
  type PluginContext,
  queue,
  route,
} from '#core';
import { ADMIN_KEY, ManualClock, RecordingLogger, type Tap } from '#core/testing';
import { ConsoleLogger } from '../../../../core/adapters/log/console-logger.js';
import { channels } from '../../../../plugins/channels/plugin.js';
import { integration } from '../../../../plugins/integration/plugin.js';
import { journeys, journeysService } from '../../../../plugins/journeys/plugin.js';
import { webhooks } from '../../../../plugins/webhooks/plugin.js';
import { CONNECTOR } from '../../../plugins/channels/channel-under-test.js';
import { handshake, SHOP, startIntegration } from '../../../plugins/integration/integration-under-test.js';

const MODELS = 'https://models.test/v1';
const SECRET_KEY = `${'c0ffee'.repeat(10)}0123`;
const OF_JOURNEYS = 'a secret of "journeys" & more';
const OF_MODELS = 'sk-a-key-of-the-vendor-of-models';
const OF_SHOP = 'a-token-for-the-shop-0815';
const OF_PLUGIN = 'what-only-the-plugin-knows';

const work = queue<{ webhook: string }>('careless.work');

/** A plugin that logs and throws every secret it can reach, like a careless debugging session. */
const careless = definePlugin({
  name: 'careless',
  version: '1.0.0',
  register(context) {
    const { store, secrets, log } = context;
    return {
      routes: [
        route({
          method: 'POST',
          path: '/v1/careless',
          summary: 'Fails.',
          responses: { 200: object({}) },
          async handler({ request, headers, payload, caller, log: ofRequest }) {
            await store.transaction((tx) => secrets.put(tx, 'own', OF_PLUGIN));
            const all = { request: { headers, raw: request.raw.req.rawHeaders }, payload, pairs: Object.entries(headers) };
            for (const level of ['debug', 'info', 'warn', 'error'] as const) {
              log[level](`${level}: ${headers.authorization}`, all);
              ofRequest.child(all)[level](level, {
                list: [{ name: 'X-Api-Key', value: 'by-its-name-only-1' }],
                url: new URL(`https://me:by-its-place-only-2@shop.test/?by-its-place-only-3`),
                text: `Basic ${Buffer.from(OF_PLUGIN).toString('base64')}`,
                cookies: 'by-its-name-only-4',
                map: new Map([[OF_PLUGIN, new Set([OF_PLUGIN])]]),
                whole: Buffer.from(OF_PLUGIN),
              });
            }
            const cause = Object.assign(new Error(`${await secretOf(context, caller.number.uuid)}`), all);
            throw Object.assign(new Error(`with ${OF_PLUGIN} and ${headers.authorization}`, { cause }), { config: all, code: OF_PLUGIN });
          },
        }),
      ],
      on: [
        on(messageReceived, async ({ number }) => {
          throw new Error(`after ${await secretOf(context, number.uuid)}`);
        }),
        on(deliverySettled, async ({ delivery }) => {
          throw new Error(`settled ${await secretOf(context, delivery.number)}`);
        }),
        beforeCommit(messageReceived, ({ number }, tx) => tx.push(work, { webhook: number.uuid })),
      ],
      consumes: [
        consume(
          work,
          async ({ payload }) => {
            throw new Error(`work ${await secretOf(context, payload.webhook)}`);
          },
          { maxAttempts: 2 },
        ),
      ],
      views: [
        {
          name: 'careless',
          load: async ({ number, log: ofRequest }) => {
            ofRequest.debug('looks', { token: OF_PLUGIN });
            throw new Error(`view ${await secretOf(context, number.uuid)}`);
          },
        },
      ],
    };
  },
});

async function secretOf({ webhooks }: PluginContext, number: string): Promise<string> {
  const secrets = (await webhooks.ofNumber(number)).map(({ uuid }) => webhooks.signingKey(uuid).read());
  return (await Promise.all(secrets)).join(' ');
}

/** Provokes every kind of failure. @returns the secrets that must not appear in any line */
async function misfortunes(t: Tap, log: Logger): Promise<string[]> {
  const clock = new ManualClock();
  const plugins = [channels(), webhooks(), journeys(), integration(), careless()];
  const test = await startIntegration(t, {
    plugins,
    secretKey: SECRET_KEY,
    ports: { clock, log },
    about: { authorization: 'Bearer', token: OF_SHOP },
  });
  const { admin, call, uuid, token, maker, webhook, http, made, open, platform, say } = test;
  const hook = await admin('POST', '/webhooks', { number: uuid, url: 'https://crm.test/hook', subscriptions: ['msgapp'] });
  const rotated = await admin('POST', `/webhooks/${hook.body.webhook.uuid}/rotate-secret`, {});
  http.answer('*', 'refuse');
  http.answer('POST https://crm.test/*', { status: 500, body: hook.body.hmac_secret });
  http.answer(`POST ${CONNECTOR}`, 'hang');
  http.answer(`POST ${SHOP}?handshake=true`, { body: handshake });
  http.answer(`POST ${SHOP}`, ({ headers }) => ({ status: 500, body: headers }));
  http.answer(`POST ${MODELS}/*`, ({ headers }) => ({ status: 401, body: { error: { message: `bad key ${headers.authorization}` } } }));
  t.equal((await admin('PUT', `/numbers/${uuid}/secrets`, { name: 'TOKEN', value: OF_JOURNEYS })).status, 200);
  const connection = { number: uuid, name: 'main', vendor: 'openai-compatible', base_url: MODELS, model: 'm', token: OF_MODELS };
  t.equal((await admin('PUT', `/ai-connections/${platform.ids.uuid()}`, connection)).status, 200);

  const perform = platform.service(journeysService).performer(uuid);
  t.match(await perform({ kind: 'model', connection: 'main', model: '', messages: [], tools: [] } as never), { kind: 'failed' });
  const effect = { kind: 'http', method: 'GET', url: 'https://gone.test', query: [], body: null, timeoutMs: 5000, cacheMs: 0 };
  const secretly = {
    ...effect,
    headers: [['authorization', ['Bearer ', { secret: 'TOKEN' }]]],
    retry: { max: 0, on: [] },
    deferred: false,
  };
  t.match(await perform(secretly as never), { kind: 'http', answer: null });

  await call('POST', '/v1/numbers', { token: `${token}x`, payload: {} });
  await call('POST', '/v1/numbers', { token: ADMIN_KEY, payload: {} });
  await admin('GET', '/numbers/absent');
  for (const known of [token, maker.token]) {
    const answer = await call('POST', '/v1/careless', { token: known, payload: { authorization: known, note: known } });
    t.equal(answer.status, 500);
    t.notMatch(JSON.stringify(answer.body), /plugin/);
  }
  await say('hi', { id: 'in-2' });
  await test.send();
  await open('?refresh=true');
  await clock.advance(200_000);
  await test.server.stop();
  const secrets = [token, maker.token, webhook.secret, hook.body.hmac_secret, rotated.body.hmac_secret, made.secret];
  t.ok(secrets.every((secret) => typeof secret === 'string' && secret.length > 20));
  const named = [1, 2, 3, 4].map((n) => `by-its-${n === 1 || n === 4 ? 'name' : 'place'}-only-${n}`);
  return [...secrets, ...named, ADMIN_KEY, SECRET_KEY, OF_JOURNEYS, OF_MODELS, OF_SHOP, OF_PLUGIN];
}

/** The platform's own messages that were provoked. */
const provoked = [
  'a request failed',
  'a handler failed',
  'a job has failed and will be retried',
  'a job has failed permanently',
  'a delivery attempt failed',
  'a delivery was dropped',
  'a view of a conversation failed',
  'a call to an integration failed',
];

function assertSecret(t: Tap, bytes: string, secrets: readonly string[]): void {
  for (const message of provoked) t.ok(bytes.includes(message), message);
  for (const secret of secrets) {
    const plain = JSON.stringify(secret).slice(1, -1);
    const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
    for (const form of [secret, plain, base64, encodeURIComponent(secret)]) t.notOk(bytes.includes(form), `${secret} as ${form}`);
  }
}

t.test('no byte of the log has a secret, however careless a plugin is and whatever fails', async (t) => {
  let bytes = '';
  const stream = { write: (text: string) => (bytes += text) };
  const secrets = await misfortunes(t, new ConsoleLogger({ clock: new ManualClock(), level: 'debug', stream }));
  assertSecret(t, bytes, secrets);

  const lines = bytes
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.ok(lines.length > 20, `${lines.length} lines`);
  const of = (message: string) => lines.filter((line) => line.message === message);
  t.ok(
    [...of('a request failed'), ...of('a view of a conversation failed')].every(({ request_id }) => /^\d+-\d+$/.test(request_id)),
    'lines caused by a request have its id',
  );
  for (const message of ['a delivery attempt failed', 'a delivery was dropped']) {
    t.ok(
      of(message).every(({ delivery_id, webhook_id, event_id }) => delivery_id && webhook_id && event_id),
      message,
    );
  }
  const settled = of('a handler failed').filter(({ event }) => event === 'delivery.settled');
  t.ok(settled.length > 0 && settled.every(({ delivery_id, webhook_id, event_id }) => delivery_id && webhook_id && event_id));
});

t.test('a logger of the host application receives no secret either', async (t) => {
  const log = new RecordingLogger();
  const secrets = await misfortunes(t, log);
  assertSecret(t, inspect(log.lines, { depth: null, maxArrayLength: null, maxStringLength: null, showHidden: true }), secrets);
});
