import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { definePlugin } from '#core';
import { route } from '../../../core/contract/route.js';
import { object, string } from '../../../core/shape.js';
import { patient } from '../../../core/testing/slowness.js';
import { until } from '../../../scripts/crash/until.js';
import { numberIn, routed } from './routed.js';

/** A process that is frozen keeps its connections: here, the handler of its shard does not respond. */
const frozen = { is: true, calls: 0, release: () => {} };
const handler = async (): Promise<{ done: string }> => {
  frozen.calls++;
  if (frozen.is) await new Promise<void>((resolve) => (frozen.release = resolve));
  return { done: 'yes' };
};
const common = { summary: 'Responds unless the process is frozen.', responses: { 200: object({ done: string() }) }, handler } as const;
const routes = definePlugin({
  name: 'frozen',
  version: '1.0.0',
  register: () => ({
    routes: [route({ ...common, method: 'GET', path: '/v1/frozen' }), route({ ...common, method: 'POST', path: '/v1/frozen' })],
  }),
});

const WAIT_MS = 2_000;
/** A response that comes without waiting for a limit. */
const SOON_MS = 1_000;

t.test('calls that were passed on to a frozen owner end when another process owns the shard', async (t) => {
  const cluster = await routed(t, { processes: 3, shards: 1, extra: [routes()], waitMs: WAIT_MS });
  t.teardown(() => frozen.release());
  const { token } = await numberIn(cluster, 'shard-1', 'n');
  const authorization = { authorization: `Bearer ${token}` };
  const begin = (method: string) => cluster.call(1, method, '/v1/frozen', method === 'POST' ? {} : undefined, authorization);

  await t.test('reads are sent to the new owner, other calls may have taken effect', async (t) => {
    Object.assign(frozen, { is: true, calls: 0 });
    const [read, write] = [begin('GET'), begin('POST')];
    await until(() => frozen.calls === 2, 'the owner has them');
    // Longer than a call waits for an owner: the directory still names this one.
    await sleep(1.2 * WAIT_MS);
    frozen.is = false;
    cluster.own('shard-1', 2);
    const beganAt = performance.now();
    t.match(await read, { status: 200, body: { done: 'yes' } });
    const refused = await write;
    t.match(refused, { status: 503, text: /may have taken effect/ });
    t.equal(refused.headers.get('x-posthorn-cause'), 'owner_lost');
    t.equal(refused.headers.get('retry-after'), '1');
    t.ok(performance.now() - beganAt < patient(SOON_MS), 'at once');
    t.equal(frozen.calls, 3, 'only the read was repeated');
  });

  await t.test('without another owner, they end after the time for which a call waits for one', async (t) => {
    Object.assign(frozen, { is: true, calls: 0 });
    const read = begin('GET');
    await until(() => frozen.calls === 1, 'the owner has it');
    cluster.own('shard-1', undefined);
    const beganAt = performance.now();
    const lost = await read;
    t.match(lost, { status: 503, text: /no owner at the moment/ });
    t.equal(lost.headers.get('x-posthorn-cause'), 'owner_missing');
    const ms = performance.now() - beganAt;
    t.ok(ms > 0.9 * WAIT_MS && ms < 2 * WAIT_MS + patient(SOON_MS), `after ${Math.round(ms)} ms`);
    cluster.own('shard-1', 0);
  });

  await t.test('a call that an owner takes long for is not disturbed by other changes', async (t) => {
    Object.assign(frozen, { is: true, calls: 0 });
    cluster.own('shard-1', 2);
    const read = begin('GET');
    await until(() => frozen.calls === 1, 'the owner has it');
    cluster.own('shard-1', 2);
    await sleep(WAIT_MS / 4);
    frozen.release();
    t.match(await read, { status: 200 });
    t.equal(frozen.calls, 1);
  });
});

t.test('an event stream continues with the new owner', async (t) => {
  const cluster = await routed(t, { processes: 3, shards: 2, waitMs: WAIT_MS });
  const platform = cluster.shards.get('shard-2')!.platform;
  cluster.own('shard-2', 1);
  const ended = new AbortController();
  const response = await fetch(`${cluster.processes[2]!.url}/admin/v1/events`, {
    headers: { authorization: 'Bearer admin-key-of-the-routing-tests' },
    signal: ended.signal,
  });
  let text = '';
  const reading = (async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk;
  })().catch(() => undefined);
  const create = (address: string) => platform.createNumber({ kind: 'channel', type: 'channel_http_api', address, name: address });
  await until(async () => {
    await create(`n-${Math.random()}`);
    return text.includes('number.created');
  }, 'the stream shows the events of the shard');
  let isBrokenOff = false;
  void cluster.shards
    .get('shard-2')!
    .server.events.once('response')
    .then(() => (isBrokenOff = true));
  cluster.own('shard-2', 0);
  await until(() => isBrokenOff, 'the stream of the previous owner is broken off');
  await until(async () => {
    await create('late').catch(() => undefined);
    return text.includes('"late"');
  }, 'and those of its new owner');
  ended.abort();
  await reading;
});
