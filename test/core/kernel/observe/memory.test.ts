import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { collection, consume, definePlugin, queue, Unavailable } from '#core';
import { startPlatform } from '#core/testing';
import { createMemoryGuard } from '../../../../core/kernel/observe/memory-guard.js';
import { chunks } from '../../../../core/memory/chunks.js';
import type { Heap, HeapState } from '../../../../core/ports/heap.js';
import { channels } from '../../../../plugins/channels/plugin.js';
import { journeys } from '../../../../plugins/journeys/plugin.js';
import { messages } from '../../../../plugins/messages/plugin.js';
import { simulation } from '../../../../plugins/simulation/plugin.js';
import { webhooks } from '../../../../plugins/webhooks/plugin.js';
import { inboundText, startChannel } from '../../../plugins/channels/channel-under-test.js';
import { asks } from '../../../plugins/journeys/short-journeys.js';
import { ENDPOINT, startWithWebhook } from '../../delivery/webhook-platform.js';
import { readExposition } from './exposition.js';

const MIB = 1 << 20;
/** Longer than the guard's check interval. */
const LOOKS_AGAIN_MS = 40;

/** A heap of 400 MiB whose fill a test sets; 260 MiB are safe. */
class FakeHeap implements Heap {
  readonly limitBytes = 400 * MIB;
  collections = 0;
  #state: HeapState = { usedBytes: 50 * MIB, liveBytes: 50 * MIB, collectedMsAgo: 0, processShare: 0 };

  read(): HeapState {
    return this.#state;
  }

  async collect(): Promise<void> {
    this.collections++;
    this.#state = { ...this.#state, usedBytes: this.#state.liveBytes, collectedMsAgo: 0 };
  }

  /** Sets live bytes in MiB; bytes in use are the same unless given. */
  async has(live: number, more: Partial<HeapState> & { used?: number } = {}): Promise<void> {
    const { used = live, ...rest } = more;
    this.#state = { collectedMsAgo: 0, processShare: 0, usedBytes: used * MIB, liveBytes: live * MIB, ...rest };
    await sleep(LOOKS_AGAIN_MS);
  }
}

t.test('the memory state follows live bytes, with hysteresis', async (t) => {
  const heap = new FakeHeap();
  const changes: string[] = [];
  const guard = createMemoryGuard({ heap, onChange: (state) => changes.push(state) });
  t.teardown(guard.stop);
  const stateAt = async (live: number, more: object = {}) => {
    await heap.has(live, more);
    return guard.report().state;
  };
  t.match(guard.report(), { state: 'enough', safe: 260 * MIB, limit: 400 * MIB, live: 50 * MIB });
  t.equal(await stateAt(233), 'enough');
  t.equal(await stateAt(235), 'high');
  t.equal(await stateAt(261), 'full');
  t.equal(await stateAt(255), 'full', 'the state ends below its threshold, not at it');
  t.equal(await stateAt(287), 'critical');
  t.equal(await stateAt(248), 'high');
  t.equal(await stateAt(200), 'enough');
  t.equal(await stateAt(100, { used: 359 }), 'enough', 'garbage does not count');
  t.equal(await stateAt(100, { used: 361 }), 'full', 'unless the heap is nearly full until a collection');
  t.equal(await stateAt(100, { processShare: 0.96 }), 'full', 'the memory of the machine is limited too');
  t.equal(await stateAt(100), 'enough');
  t.strictSame(
    changes,
    ['high', 'full', 'critical', 'high', 'enough', 'full', 'full', 'enough'].filter((state, i, all) => state !== all[i - 1]),
  );
});

t.test('an idle process notices that memory was freed', async (t) => {
  const heap = new FakeHeap();
  const states: string[] = [];
  const guard = createMemoryGuard({ heap, onChange: (state) => states.push(state) });
  t.teardown(guard.stop);
  await heap.has(300);
  t.equal(guard.report().state, 'critical');
  await heap.has(300, { collectedMsAgo: 60_000 });
  guard.report();
  t.equal(heap.collections, 1, 'V8 made no collection for a minute');
  await heap.has(100);
  for (let waited = 0; states.at(-1) !== 'enough' && waited < 5_000; waited += 50) await sleep(50);
  t.strictSame(states, ['critical', 'enough'], 'the state changes without a call');
});

t.test('a call reserves memory for its body, or is refused before the body is read', async (t) => {
  const heap = new FakeHeap();
  const guard = createMemoryGuard({ heap });
  t.teardown(guard.stop);
  await heap.has(200);
  t.equal(guard.reserve(1_000), undefined, 'small bodies are not reserved for');
  const first = guard.reserve(4 * MIB);
  t.equal(guard.report().reserved, 48 * MIB);
  const second = guard.reserve(4 * MIB);
  t.throws(() => guard.reserve(4 * MIB), { message: /too little memory left for a call of this size; nothing was recorded/ });
  t.equal(guard.reserve(1_000), undefined);
  first?.();
  first?.();
  t.equal(guard.report().reserved, 48 * MIB, 'a reservation is released only once');
  guard.reserve(4 * MIB)?.();
  second?.();
  t.equal(guard.report().reserved, 0);
  await heap.has(270);
  t.throws(
    () => guard.reserve(10),
    new Unavailable('The platform has too little memory left to store more; nothing was recorded, try again later', 5, 'memory_full'),
  );
  t.equal(guard.reserve(10, { isAdmin: true }), undefined, 'admin calls may free memory');
  await heap.has(300);
  t.throws(() => guard.reserve(10, { isAdmin: true }), { message: /too little memory/ });
});

t.test('the refusal of a large call triggers a collection, also in an idle process', async (t) => {
  const heap = new FakeHeap();
  const guard = createMemoryGuard({ heap });
  t.teardown(guard.stop);
  await heap.has(200, { collectedMsAgo: 500 });
  t.throws(() => guard.reserve(9 * MIB), { message: /for a call of this size/ });
  t.equal(heap.collections, 0, 'V8 has just collected');
  await heap.has(200, { collectedMsAgo: 5_000 });
  t.throws(() => guard.reserve(9 * MIB), { message: /for a call of this size/ });
  t.equal(heap.collections, 1, 'much of the live heap may have become garbage');
});

t.test('safeHeapBytes lowers the limit for a host that needs memory of its own', async (t) => {
  const heap = new FakeHeap();
  const guard = createMemoryGuard({ heap, safeBytes: 60 * MIB });
  t.teardown(guard.stop);
  t.equal(guard.report().safe, 60 * MIB);
  await heap.has(61);
  t.throws(() => guard.reserve(10), { message: /too little memory/ });
  const counting = (bytes: number) => createMemoryGuard({ heap, store: { offHeapBytes: () => bytes } });
  t.throws(() => counting(310 * MIB).reserve(10), { message: /too little memory/ }, 'memory of documents on disk counts');
  t.doesNotThrow(() => counting(300 * MIB).reserve(10), 'by 65 %, because it has no garbage');
  t.equal(createMemoryGuard({ heap, safeBytes: 399 * MIB }).report().safe, 260 * MIB, 'the limit can only be lowered');
});

t.test('while memory is full, calls that store something get 503, and reads, marks and deletions succeed', async (t) => {
  const heap = new FakeHeap();
  const plugins = [channels(), webhooks(), journeys(), simulation(), messages()];
  const { post, say, call, admin, uuid, token, publish, platform, maker, told, log } = await startChannel(t, { plugins, ports: { heap } });
  const journey = await publish(asks);
  await say('hi');
  t.match(await call('GET', '/health'), { body: { status: 'ok', memory: 'enough' } });
  await heap.has(270);

  t.match(await call('GET', '/health'), { status: 200, body: { status: 'ok', memory: 'full' } });
  t.match(await call('GET', '/ready'), { status: 200 }, 'reads work, so it is ready');
  const before = { messages: await platform.messages.known(uuid, 'inbound', 'in-9'), chunks: await platform.store.open(chunks).count() };
  const refused = {
    status: 503,
    headers: { 'retry-after': '5' },
    body: { errors: [{ details: /too little memory left to store more; nothing was recorded, try again later/ }] },
  };
  t.match(await post(inboundText('x'.repeat(60_000), { id: 'in-9' })), refused);
  t.match(await post({ nonsense: true }), { status: 503 }, 'before the body is read');
  t.match(await call('POST', '/v1/messages', { token, payload: { to: '+1', type: 'text', text: { body: 'hi' } } }), { status: 503 });
  t.equal((await call('POST', `/v1/journeys/${journey}/simulation`, { token, payload: { simulation_id: 'simulation' } })).status, 503);
  t.strictSame(await platform.messages.known(uuid, 'inbound', 'in-9'), before.messages);
  t.equal(await platform.store.open(chunks).count(), before.chunks);

  t.equal((await call('GET', `/v1/contacts/${encodeURIComponent('+27820001001')}/claim`, { token })).status, 200);
  t.equal((await call('DELETE', `/v1/contacts/${encodeURIComponent('+27820001001')}/claim`, { token })).status, 200);
  const read = { token, payload: { status: 'read' } };
  t.equal((await call('PUT', '/v1/messages/in-1', read)).status, 200);
  t.equal((await admin('POST', '/numbers', { kind: 'network', address: '+27119999999', name: 'New' })).status, 201, 'admin calls succeed');

  await heap.has(300);
  t.equal(
    (await admin('POST', '/numbers', { kind: 'network', address: '+27118888888', name: 'New' })).status,
    503,
    'unless memory is critical',
  );
  t.equal((await admin('POST', `/journeys/${journey}/disable`)).status, 200, 'except those that store nothing new');
  t.equal((await admin('GET', '/numbers')).status, 200);
  t.equal((await call('PUT', '/v1/messages/in-1', read)).status, 200);

  await heap.has(100);
  t.equal((await post(inboundText('again', { id: 'in-9' }))).status, 200);
  t.equal((await call('GET', '/health')).body.memory, 'enough');
  t.ok(maker.token);
  t.strictSame(
    told('memory.changed').map(({ state }) => state),
    ['full', 'critical', 'enough'],
  );
  t.match(told('memory.changed')[0], {
    live_bytes: 270 * MIB,
    safe_bytes: 260 * MIB,
    limit_bytes: 400 * MIB,
    fix: /--max-old-space-size=800.*deliveries\.keptBytes/,
  });
  t.match(
    log.lines.filter(({ message }) => message === 'memory is short'),
    [{ level: 'warn', fields: { state: 'full', fix: /--max-old-space-size/ } }, { fields: { state: 'critical' } }],
  );
});

t.test('work accepted earlier continues while memory is full', async (t) => {
  const heap = new FakeHeap();
  const { say, publish, received, http, clock, log, deliveries, told } = await startChannel(t, { ports: { heap } });
  await publish(asks);
  await say('hi');
  http.answer('POST https://connector.test/hook', { afterMs: 1_000, body: { messages: [{ id: 'slow-1' }] } });
  await say('Ann');
  t.equal(deliveries().length, 2, 'a delivery is in flight');
  await heap.has(270);
  t.equal((await say('Durban', { id: 'in-8' })).status, 503);
  await clock.advance(1_000);
  t.strictSame(
    told('delivery.settled').map(({ delivery }) => delivery.state),
    ['delivered', 'delivered'],
  );
  await heap.has(100);
  t.equal((await say('Durban', { id: 'in-8' })).status, 200);
  await clock.advance(1_000);
  t.equal(received().at(-1), 'Goodbye Ann of Durban');
  t.strictSame(
    log.lines.filter(({ level }) => level === 'error'),
    [],
  );
});

t.test('a job that waits for memory runs later, and the wait does not count as a failure', async (t) => {
  const heap = new FakeHeap();
  const ran: number[] = [];
  const work = queue<{ n: number }>('worker.work');
  const worker = definePlugin({
    name: 'worker',
    version: '1.0.0',
    register: () => ({ consumes: [consume(work, async ({ payload, attempt }) => void ran.push(payload.n * 10 + attempt))] }),
  });
  const box = await startWithWebhook(t, { plugins: [worker()], ports: { heap }, answers: [{}] });
  await heap.has(300);
  const { store } = box.platform;
  const pushed = store.transaction((tx) => tx.push(work, { n: 1 }));
  await pushed;
  const { uuid } = await box.post();
  for (let waited = 0; (await box.delivery(uuid)).state !== 'delivered' && waited < 5_000; waited += 20) await sleep(20);
  t.equal((await box.delivery(uuid)).state, 'delivered', 'deliveries continue');
  t.strictSame(ran, []);
  await heap.has(100);
  for (let waited = 0; ran.length === 0 && waited < 5_000; waited += 20) await sleep(20);
  t.strictSame(ran, [11], 'in its first attempt');

  await heap.has(300);
  await store.transaction((tx) => tx.push(work, { n: 2 }));
  const startedAt = performance.now();
  await box.server.stop();
  t.ok(performance.now() - startedAt < 4_000, 'a stop does not wait for memory');
  t.strictSame(ran, [11]);
});

t.test('histories are evicted first when memory is short, as the metrics show', async (t) => {
  const heap = new FakeHeap();
  const { post, clock, admin, http } = await startWithWebhook(t, { ports: { heap }, deliveries: { kept: 8 } });
  http.answer(ENDPOINT, {});
  for (let n = 0; n < 8; n++) {
    await post();
    await clock.advance(1);
  }
  const sizes = async () => (await admin('GET', '/memory')).body.memory.histories[0];
  t.match(await sizes(), { name: 'deliveries', count: 8, most: { count: 8 } });
  await heap.has(240);
  t.match((await admin('GET', '/memory')).body.memory, { state: 'high', fix: /store less/ });
  for (let waited = 0; (await sizes()).count > 2 && waited < 5_000; waited += 20) await sleep(20);
  t.match(await sizes(), { count: 2 }, 'a quarter is left');
  t.equal(heap.collections, 1, 'a collection shows how much that freed');
  const families = readExposition((await admin('GET', '/metrics')).body);
  const sample = (family: string, labels: object) =>
    families.get(family)?.samples.find((one) => JSON.stringify(one.labels) === JSON.stringify(labels))?.value;
  t.equal(sample('posthorn_kept_documents', { history: 'deliveries' }), 2);
  t.equal(sample('posthorn_kept_evicted_total', { history: 'deliveries', reason: 'memory' }), 6);
  t.ok(sample('posthorn_kept_bytes', { history: 'deliveries' })! > 0);
  t.equal(sample('posthorn_heap_bytes', { part: 'live' }), 240 * MIB);
  t.equal(sample('posthorn_memory_state', { state: 'high' }), 1);
  t.equal(sample('posthorn_memory_state', { state: 'enough' }), 0);
});

t.test('documents that may stay on disk move there when memory is short, before the journal has the size for a merge', async (t) => {
  interface Note {
    readonly id: string;
    readonly text: string;
  }
  const heap = new FakeHeap();
  const notes = collection<Note>({ key: 'id', cold: { after: 0 } });
  const plugin = definePlugin({ name: 'notes', version: '1.0.0', collections: { notes }, register: () => ({}) });
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-memory-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const { platform, log, admin } = await startPlatform(t, { dataDir: folder, plugins: [plugin()], ports: { heap } });
  const text = 'a'.repeat(1 << 20);
  for (let n = 0; n < 9; n++) await platform.store.transaction((tx) => tx.in(notes).put({ id: `n${n}`, text }));
  const parts = () => readdirSync(folder).filter((file) => /^notes\.notes\.\d+\.json$/.test(file));
  t.strictSame(parts(), []);
  await heap.has(240);
  await admin('GET', '/memory');
  for (let waited = 0; parts().length === 0 && waited < 10_000; waited += 20) await sleep(20);
  t.not(parts().length, 0);
  for (let waited = 0; heap.collections === 0 && waited < 5_000; waited += 20) await sleep(20);
  t.equal(heap.collections, 1, 'a collection shows how much that freed');
  t.strictSame(await platform.store.open(notes).get('n3'), { id: 'n3', text });
  t.strictSame(
    log.lines.filter(({ level }) => level === 'error'),
    [],
  );
});

t.test('new documents of histories are limited too, until there is enough memory', async (t) => {
  const heap = new FakeHeap();
  const { post, clock, admin, http } = await startWithWebhook(t, { ports: { heap }, deliveries: { kept: 8 } });
  http.answer(ENDPOINT, {});
  const count = async (): Promise<number> => (await admin('GET', '/memory')).body.memory.histories[0].count;
  const settlesAt = async (expected: number): Promise<void> => {
    for (let waited = 0; (await count()) !== expected && waited < 5_000; waited += 20) await sleep(20);
    t.equal(await count(), expected);
  };
  const deliver = async (): Promise<void> => {
    await post();
    await clock.advance(1);
  };
  for (let n = 0; n < 8; n++) await deliver();
  t.equal(await count(), 8);
  await heap.has(270);
  await admin('GET', '/memory');
  await settlesAt(2);
  for (let n = 0; n < 6; n++) await deliver();
  await settlesAt(2);
  await heap.has(100);
  await admin('GET', '/memory');
  for (let n = 0; n < 6; n++) await deliver();
  await settlesAt(8);
});
