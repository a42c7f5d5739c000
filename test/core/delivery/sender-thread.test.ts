import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import t from 'tap';
import { createPlatform, type PlatformOptions, verifySignature } from '#core';
import { RecordingLogger, type Tap } from '#core/testing';
import { InlinePool } from '../../../core/adapters/workers/inline-pool.js';
import { until } from '../ports/http-under-test.js';
import { type Received, receive, respond } from '../ports/receiver.js';
import { startedWorkers } from '../ports/sender-under-test.js';
import { anyBody } from './webhook-platform.js';

const SIGNATURE = 'x-svc-hook-signature';

/** A platform without an HTTP client of the host application, so the sender thread is its only worker, with one webhook. */
async function startWithUrl(t: Tap, url: string, options: Partial<PlatformOptions> = {}) {
  const log = new RecordingLogger();
  const platform = createPlatform({
    plugins: [anyBody()],
    privateTargets: ['127.0.0.1'],
    ports: { log, workers: new InlinePool() },
    ...options,
  });
  await platform.start();
  t.teardown(() => platform.stop());
  const { store, numbers, webhooks, deliveries } = platform;
  const { webhook, secret } = await store.transaction((tx) => {
    const { uuid: number } = numbers.create(tx, { kind: 'network', type: 'network', address: '+2711', name: 'Office' });
    return webhooks.create(tx, { number, url, name: 'Owner', subscriptions: ['network'] });
  });
  let posted = 0;
  return {
    platform,
    log,
    secret,
    post: async () => {
      const request = { event: `e-${++posted}`, webhook, kind: 'network', body: { posted } } as const;
      return (await store.transaction((tx) => deliveries.post(tx, request)))!.uuid;
    },
    /** The delivery and its attempts, once it is settled. */
    async ended(uuid: string) {
      while ((await deliveries.show(uuid)).delivery.settled_at === undefined) await sleep(10);
      return deliveries.show(uuid);
    },
  };
}

t.test(
  'a delivery is signed and sent by the sender thread; when it dies, the attempt is repeated, and no log line has the secret',
  async (t) => {
    const workers = startedWorkers(t);
    const receiver = await receive(t, (socket, { nth }: Received) => void (nth > 1 && respond(socket)));
    const { post, ended, log, secret } = await startWithUrl(t, receiver.url);
    const uuid = await post();
    await until(() => receiver.received.length === 1);
    t.equal(workers.length, 1);
    await workers[0]!.terminate();
    await until(() => receiver.received.length === 2);
    for (const { body, headers } of receiver.received) t.ok(verifySignature(secret, body, headers[SIGNATURE]));
    t.match(await ended(uuid), { attempts: [{ result: 'interrupted' }, { trigger: 'interrupted', result: 'delivered' }] });
    t.ok(log.lines.some(({ level, message }) => level === 'error' && message === 'the sender thread died'));
    t.notMatch(inspect(log.lines, { depth: null, maxStringLength: null }), secret);
  },
);

t.test('the sender thread resolves the name of a webhook, and refuses a private address that is not allowed', async (t) => {
  const receiver = await receive(t, (socket) => respond(socket));
  const url = `http://localhost:${receiver.port}/`;
  const resultWith = async (privateTargets: string[]) => {
    const { post, ended } = await startWithUrl(t, url, { privateTargets });
    return (await ended(await post())).delivery;
  };
  t.match(await resultWith(['10.0.0.0/8']), { state: 'cancelled', reason: 'blocked_address' });
  t.equal(receiver.connections, 0);
  t.match(await resultWith(['localhost']), { state: 'delivered' });
});

t.test('a stop of the platform waits for the requests in flight until its deadline, then closes the connections', async (t) => {
  const receiver = await receive(t, () => {});
  const { post, platform } = await startWithUrl(t, receiver.url, { shutdown: { deadlineMs: 300 } });
  await post();
  await until(() => receiver.received.length === 1);
  const began = performance.now();
  await platform.stop();
  t.ok(performance.now() - began >= 290);
  await until(() => receiver.open.size === 0);
});
