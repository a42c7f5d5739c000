import t from 'tap';
import { createPlatform, definePlugin } from '#core';
import { InlinePool, MemoryStore, RecordingLogger, startPlatform, type TestPlatform } from '#core/testing';
import { createLifecycle, type LifecyclePart } from '../../../../core/kernel/plugins/lifecycle.js';
import { pluginPart } from '../../../../core/kernel/plugins/load.js';
import { patient } from '../../../../core/testing/slowness.js';
import { freshFolder } from '../../adapters/store/folders.js';
import { ENDPOINT, startWithWebhook } from '../../delivery/webhook-platform.js';

const never = () => new Promise<void>(() => {});
const stopping = (name: string, stop: () => Promise<void>) => definePlugin({ name, version: '1.0.0', register: () => ({ stop }) })();

t.test('a stop waits for an attempt that gets its response before the deadline', async (t) => {
  const { server, post, platform, clock, http } = await startWithWebhook(t, { answers: [{ afterMs: 1_000 }] });
  const { uuid } = await post();
  await clock.advance(0);
  t.equal(http.calls.length, 1);
  let isStopped = false;
  const settled: string[] = [];
  platform.listen(({ name }) => settled.push(name));
  const stopped = server.stop().then(() => {
    isStopped = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 30));
  t.equal(isStopped, false);
  await clock.advance(1_000);
  await stopped;
  t.ok(settled.includes('delivery.settled'), `${uuid} is settled`);
});

t.test('an attempt without a response at the deadline is repeated unchanged by the next start', async (t) => {
  const dataDir = freshFolder(t);
  const first = await startWithWebhook(t, { dataDir, answers: ['hang'], shutdown: { deadlineMs: 40 } });
  const { uuid } = await first.post();
  await first.clock.advance(0);
  const startedAt = performance.now();
  await first.server.stop({ timeout: 10 });
  t.ok(performance.now() - startedAt < patient(5_000));
  t.match(first.log.lines, [{ level: 'warn', message: /deliveries were being sent/ }], 'a warning, not an error');
  t.equal(first.log.lines.length, 1);

  const second = await startWithWebhook(t, { dataDir, webhook: first.webhook, answers: [{ status: 200 }], seed: 'later' });
  await second.clock.advance(0);
  const { state, attempts } = await second.delivery(uuid);
  t.match({ state, attempts }, { state: 'delivered', attempts: 1 });
  const [before] = first.http.callsTo(ENDPOINT);
  const [again, ...more] = second.http.callsTo(ENDPOINT);
  t.strictSame(more, []);
  t.strictSame([again?.text, again?.headers], [before?.text, before?.headers]);
});

t.test('calls in the notice period succeed, and close their connections', async (t) => {
  const { server, call } = await startWithWebhook(t, { shutdown: { noticeMs: 60 } });
  t.notMatch((await call('GET', '/health')).headers, { connection: 'close' });
  const stopped = server.stop();
  t.match(await call('GET', '/ready'), { status: 503, headers: { connection: 'close' } });
  t.match(await call('GET', '/health'), { status: 200, headers: { connection: 'close' } });
  await stopped;
});

t.test('a platform that is not ready does not log an error', async (t) => {
  const { server, call, log } = await startWithWebhook(t, {});
  const seen: number[] = [];
  server.ext('onPreStop', async () => void seen.push((await call('GET', '/ready')).status));
  await server.stop();
  t.strictSame([seen, log.lines], [[503], []]);
});

t.test('work that never ends does not delay a stop: it is named, its folder is unlocked, and its later writes are refused', async (t) => {
  const dataDir = freshFolder(t);
  const shutdown = { deadlineMs: 60 };
  const log = new RecordingLogger();
  const plugins = [stopping('stuck', never)];
  const { server, platform, number } = await startPlatform(t, { plugins, dataDir, shutdown, ports: { log } });
  const { uuid } = await number('network', { type: 'none' });
  const create = async (after: Promise<void>, name: string) =>
    platform.store.transaction(async (tx) => {
      platform.numbers.create(tx, { kind: 'network', type: 'none', address: '+27821234567', name });
      await after;
    });
  void create(never(), 'never');
  let go = () => {};
  const late = create(new Promise((resolve) => (go = resolve)), 'late');
  const startedAt = performance.now();
  await server.stop({ timeout: 10 });
  t.ok(performance.now() - startedAt < patient(2_500), `${performance.now() - startedAt} ms`);
  t.match(log.lines, [
    { level: 'error', message: /did not stop in time/, fields: { part: 'stuck' } },
    { level: 'error', message: /transactions did not end/, fields: { transactions: 2, collections: ['core.numbers'] } },
  ]);
  go();
  await t.rejects(late, { name: 'StoreUnavailable', message: 'the store is stopped' });

  // The store releases its lock even after the deadline.
  const until = performance.now() + patient(5_000);
  const again = await started();
  async function started(): Promise<TestPlatform> {
    try {
      return await startPlatform(t, { plugins: [], dataDir });
    } catch (error) {
      if (performance.now() > until || !/is in use by this process/.test(String(error))) throw error;
      return started();
    }
  }
  t.strictSame(
    (await again.admin('GET', '/numbers')).body.numbers.map((one: { uuid: string }) => one.uuid),
    [uuid],
  );
});

t.test('a part that stops quickly is stopped and not named, although parts before it hang', async (t) => {
  const log = new RecordingLogger();
  const ended: string[] = [];
  const taking = (ms: number, name: string) =>
    stopping(name, async () => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      ended.push(name);
    });
  const plugins = [taking(75, 'last'), stopping('deaf', never), taking(60, 'quick'), stopping('stuck', never)];
  const { server } = await startPlatform(t, { plugins, dataDir: freshFolder(t), shutdown: { deadlineMs: 30 }, ports: { log } });
  await server.stop({ timeout: 10 });
  t.strictSame(ended, ['quick', 'last']);
  t.strictSame(
    log.lines.map(({ fields }) => fields?.part),
    ['stuck', 'deaf'],
  );
});

t.test('a part may take half a second after the deadline, although others follow', async (t) => {
  const log = new RecordingLogger();
  let isEnded = false;
  const slow = stopping('slow', async () => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    isEnded = true;
  });
  const others = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => stopping(name, async () => {}));
  const { server } = await startPlatform(t, { plugins: [...others, slow], shutdown: { deadlineMs: 0 }, ports: { log } });
  await server.stop({ timeout: 10 });
  t.strictSame([isEnded, log.lines], [true, []]);
});

t.test('a transaction that ends after the deadline is committed, although everything before the store hangs', async (t) => {
  const log = new RecordingLogger();
  const store = new MemoryStore({ log });
  const stop = store.stop.bind(store);
  let end = () => {};
  store.stop = (limitMs) => {
    setTimeout(end, 200);
    return stop(limitMs);
  };
  const plugins = ['a', 'b', 'c', 'd'].map((name) => stopping(name, never));
  const { server, platform } = await startPlatform(t, {
    plugins,
    shutdown: { deadlineMs: 0 },
    secretKey: '5e'.repeat(32),
    ports: { store, log },
  });
  const written = platform.store.transaction(async () => {
    await new Promise<void>((resolve) => (end = resolve));
    return 'written';
  });
  await server.stop({ timeout: 10 });
  t.equal(await written, 'written');
  t.strictSame(
    log.lines.map(({ fields }) => fields?.part),
    ['d', 'c', 'b', 'a'],
  );
});

t.test('parts without a stop have no reserve of the grace period', async (t) => {
  /** The grace of the last part, which stops first, in tenths of a second. */
  async function graceOf(parts: readonly LifecyclePart[]): Promise<number> {
    let grace = 0;
    const stop = (_: number, graceMs: number) => {
      grace = Math.round(graceMs / 100);
    };
    const lifecycle = createLifecycle([...parts, { name: 'last', stop }], {
      remainingMs: () => 0,
      graceMs: 2_000,
      log: new RecordingLogger(),
    });
    await lifecycle.start();
    await lifecycle.stop();
    return grace;
  }
  const withoutStop = Array.from({ length: 100 }, (_, i) =>
    pluginPart({ manifest: { name: `plugin-${i}`, version: '1.0.0' }, contributions: {} }, new InlinePool()),
  );
  t.equal(await graceOf([]), 10, 'half of the period');
  t.equal(await graceOf(withoutStop), 10);
  t.equal(await graceOf(withoutStop.map((part) => ({ ...part, stop: () => {} }))), 5, 'half of the time that a hundred reserves leave');
});

t.test('a stop takes at most two seconds longer than its deadline, and every part is stopped or named', async (t) => {
  const log = new RecordingLogger();
  const names = Array.from({ length: 25 }, (_, i) => `stuck-${i}`);
  const plugins = names.map((name) => stopping(name, never));
  const { server, platform, http } = await startPlatform(t, { plugins, shutdown: { deadlineMs: 60 }, ports: { log } });
  http.stop = never;
  void platform.store.transaction(never);
  await new Promise((resolve) => setImmediate(resolve));
  const startedAt = performance.now();
  await server.stop({ timeout: 10 });
  const took = performance.now() - startedAt;
  t.ok(took < patient(2_400), `${took} ms`);
  t.strictSame(
    log.lines.map(({ message, fields }) => fields?.part ?? message.replace(/ before.*/, '')),
    [...names.reverse(), 'transactions did not end', 'http'],
  );
});

t.test('impossible times of a stop are refused', (t) => {
  for (const shutdown of [{ noticeMs: -1 }, { deadlineMs: 8_000_000 }, { deadlineMs: '8 s' }, { graceMs: 1 }]) {
    t.throws(() => createPlatform({ plugins: [], shutdown: shutdown as object }), /shutdown\./);
  }
  t.end();
});
