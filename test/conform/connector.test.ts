import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { Tap } from '#core/testing';
import { startSandbox } from '../../sandbox/compose.js';
import { deliveryChecks } from '../../sandbox/conform/connector/delivery-checks.js';
import { Connector, checksOfConnectors } from '../../sandbox/conform/connector/index.js';
import { PlatformWatch } from '../../sandbox/conform/platform.js';
import { bind, runChecks } from '../../sandbox/conform/run.js';
import { connectorFlaws, type Flaw } from './connector-flaws.js';
import { type Json, SECRET, SubjectClock, serve, startConnector } from './connector-subject.js';
import { failsOnly, UNPACED } from './flawed.js';

const CHANNEL = '11111111-2222-4333-8444-555555555555';
const TOKEN = 'the-token-of-the-channel';
/** Runs wait for posts a third of their time. */
const LANES = 2;
/** As short as five looks: the connector posts immediately after its response. */
const OBSERVED = { observeMs: 1 };
/** A connector that fails one of these posts as a good one does, and one that fails another responds as a good one does. */
const isAboutDelivery = new Set(deliveryChecks.map(({ id }) => id));
const aboutPosts = checksOfConnectors.map(({ id }) => id).filter((id) => !isAboutDelivery.has(id));

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
  const platforms = await Promise.all(Array.from({ length: LANES }, () => startPlatform(t)));
  const check = async (t: Tap, { subscriptions, ...flaw }: Flaw, hasPlatform = true, lane = 0, only?: readonly string[]) => {
    const { api, adminKey, change } = platforms[lane]!;
    const clock = new SubjectClock();
    const url = await startConnector(t, { api, channel: CHANNEL, token: TOKEN }, flaw, clock);
    await change('PATCH', `/channels/${CHANNEL}`, { endpoint: url });
    if (subscriptions) await change('POST', '/webhooks', { number: CHANNEL, url, subscriptions });
    const subject = new Connector({
      ...{ url, secret: SECRET, ...UNPACED, ...OBSERVED, now: clock.now },
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

  await t.test('the wait for statuses begins when the connector has responded', async (t) => {
    const respond: Flaw['respond'] = async ({ json }, good) => {
      if (json?.turn?.text?.body === 'Your book is ready') await sleep(1_000);
      return good;
    };
    const [outcome] = await check(t, { respond }, true, 0, ['C-43']);
    t.equal(outcome?.result, 'pass', outcome?.reason ?? outcome?.received ?? '');
    const { api, adminKey } = platforms[0]!;
    t.notOk(await new PlatformWatch({ api, adminKey }).isDelivered('unknown', 0), 'a message without a delivery');
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
    const subject = new Connector({ url, secret: SECRET, ...UNPACED, ...OBSERVED, drive: url, platform });
    const [outcome] = await runChecks(bind(checksOfConnectors, subject, { withinMs: 600_000 }), { only: ['C-49'] });
    t.equal(outcome?.result, 'fail');
    t.match(outcome?.received, /502.*no such contact/);

    const closed = new Connector({ url, secret: SECRET, ...UNPACED, ...OBSERVED, drive: 'http://127.0.0.1:9/', platform });
    const [unreachable] = await runChecks(bind(checksOfConnectors, closed, { withinMs: 600_000 }), { only: ['C-49'] });
    t.match(unreachable, { received: /ECONNREFUSED/, fix: /^Start the driver of the connector, or correct/ });
  });

  const run = (t: Tap, flaw: Flaw, { id }: { id: string }, lane: number) =>
    isAboutDelivery.has(id) ? check(t, flaw, false, lane) : check(t, flaw, true, lane, aboutPosts);
  await failsOnly(t, checksOfConnectors, connectorFlaws, run, LANES);
});
