import t from 'tap';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { startSandbox } from '../../sandbox/compose.js';
import { deliveryChecks } from '../../sandbox/conform/connector/delivery-checks.js';
import { Connector, checksOfConnectors } from '../../sandbox/conform/connector/index.js';
import { bind, runChecks } from '../../sandbox/conform/run.js';
import { connectorFlaws, type Flaw } from './connector-flaws.js';
import { type Json, SECRET, serve, startConnector } from './connector-subject.js';
import { failsOnly, TIMES } from './flawed.js';

const CHANNEL = '11111111-2222-4333-8444-555555555555';
const TOKEN = 'the-token-of-the-channel';
/** A connector that fails one of these posts as a good one does, so that its posts need not be checked again. */
const isAboutDelivery = new Set(deliveryChecks.map(({ id }) => id));

async function startPlatform(t: Tap) {
  const channel = { from_addr: 'web:1', name: 'Subject', endpoint: 'http://127.0.0.1:9', uuid: CHANNEL, token: TOKEN, hmac_secret: SECRET };
  const sandbox = await startSandbox({ seed: { channels: [channel] }, logLevel: 'error' });
  t.teardown(() => sandbox.stop());
  const { api, admin } = sandbox;
  const change = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${admin.key}`, 'content-type': 'application/json' };
    const response = await fetch(`${admin.url}${path}`, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} responded ${response.status}`);
  };
  return { api, adminKey: admin.key, change };
}

t.test('connectors', async (t) => {
  const platforms = await Promise.all(Array.from({ length: 4 }, () => startPlatform(t)));
  const check = async (t: Tap, { subscriptions, ...flaw }: Flaw, hasPlatform = true, lane = 0, only?: readonly string[]) => {
    const { api, adminKey, change } = platforms[lane]!;
    const url = await startConnector(t, { api, channel: CHANNEL, token: TOKEN }, flaw);
    await change('PATCH', `/channels/${CHANNEL}`, { endpoint: url });
    if (subscriptions) await change('POST', '/webhooks', { number: CHANNEL, url, subscriptions });
    const subject = new Connector({
      ...{ url, secret: SECRET, ...TIMES, observeMs: patient(500) },
      ...(hasPlatform && { drive: `${url}/drive`, platform: { api, adminKey, channel: CHANNEL, token: TOKEN } }),
    });
    return runChecks(bind(checksOfConnectors, subject, { withinMs: 600_000 }), { only });
  };

  await t.test('a good connector passes every check', async (t) => {
    const outcomes = await check(t, {});
    t.ok(outcomes.length >= 32);
    for (const { id, result, reason, expected, received } of outcomes)
      t.equal(result, 'pass', `${id} ${reason ?? ''} ${expected} ${received}`);
  });

  await t.test('messages that the platform refuses fail their check, although the driver fails too', async (t) => {
    const post = ({ message, ...body }: Json) => ({ ...body, message: { ...message, timestamp: Number(message.timestamp) } });
    const [outcome] = await check(t, { post, reportsRefusals: true }, true, 0, ['C-51']);
    t.equal(outcome?.result, 'fail');
    t.match(outcome?.received, /^status 400: .*timestamp/);
  });

  await t.test('a driver that fails without a message fails the check, with the response of the driver', async (t) => {
    const url = await serve(t, () => ({ status: 502, body: { error: 'no such contact' } }));
    const { api, adminKey } = platforms[0]!;
    const platform = { api, adminKey, channel: CHANNEL, token: TOKEN };
    const subject = new Connector({ url, secret: SECRET, ...TIMES, observeMs: patient(500), drive: url, platform });
    const [outcome] = await runChecks(bind(checksOfConnectors, subject, { withinMs: 600_000 }), { only: ['C-49'] });
    t.equal(outcome?.result, 'fail');
    t.match(outcome?.received, /502.*no such contact/);
  });

  const run = (t: Tap, flaw: Flaw, { id }: { id: string }, lane: number) => check(t, flaw, !isAboutDelivery.has(id), lane);
  await failsOnly(t, checksOfConnectors, connectorFlaws, run, platforms.length);
});
