import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Hapi, { type Server } from '@hapi/hapi';
import t from 'tap';
import { createPlatform, event, type Platform } from '#core';
import { ADMIN_KEY, InlinePool, ManualClock, RecordingLogger, type Tap } from '#core/testing';
import { createEventStream, RETAIN_NOTHING, type StreamedEvent } from '../../../../core/kernel/observe/event-stream.js';
import { patient } from '../../../../core/testing/slowness.js';

const counted = event<{ count: number; padding?: string }>('thing.counted', 'A thing was counted.');

interface Seen {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: { readonly at: string; readonly name: string; readonly data: { readonly count: number } };
}

async function startListening(
  t: Tap,
): Promise<{ platform: Platform; server: Server; count: (from: number, to?: number, padding?: string) => Promise<void> }> {
  const platform = createPlatform({
    plugins: [],
    admin: { key: ADMIN_KEY },
    ports: { clock: new ManualClock(), workers: new InlinePool(), log: new RecordingLogger() },
  });
  const server = Hapi.server({ port: 0, host: '127.0.0.1' });
  await server.register(platform.hapiPlugin);
  await server.start();
  t.teardown(() => server.stop());
  const count = async (from: number, to = from, padding?: string): Promise<void> => {
    for (let i = from; i <= to; i++) {
      await platform.store.transaction((tx) => tx.emit(counted, { count: i, ...(padding !== undefined && { padding }) }));
    }
  };
  return { platform, server, count };
}

/** Opens the stream as a browser's EventSource would, and reads it event by event. */
async function open({ info }: Server, lastEventId?: string) {
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
  const response = await fetch(`${info.uri}/admin/v1/events`, { headers, signal: leaving.signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  /** The next event, or undefined when the stream has ended. */
  const next = async (): Promise<Seen | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end === -1) {
        const { done, value } = await reader.read();
        if (done) return undefined;
        text += value;
        continue;
      }
      const lines = text
        .slice(0, end)
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]);
      text = text.slice(end + 2);
      const { id, event, data } = Object.fromEntries(lines);
      if (event !== undefined) return { id, event, data: JSON.parse(data!) };
    }
  };
  const take = async (count: number): Promise<Seen[]> => {
    const seen: Seen[] = [];
    while (seen.length < count) seen.push((await next())!);
    return seen;
  };
  return { response, next, take, leave: () => leaving.abort() };
}

const counts = (seen: readonly Seen[]): readonly number[] => seen.map(({ data }) => data.data.count);
const upTo = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

t.test('every event is streamed in order, as server-sent events', async (t) => {
  const { server, count, platform } = await startListening(t);
  await count(1);
  const { response, take } = await open(server);
  t.match(Object.fromEntries(response.headers), { 'content-type': /^text\/event-stream/, 'cache-control': 'no-store' });
  await count(2, 300);
  const seen = await take(299);
  t.strictSame(counts(seen), upTo(2, 300), 'from now on');
  t.match(seen[0], {
    id: /^[0-9a-f]{12}-2$/,
    event: 'thing.counted',
    data: { name: 'thing.counted', at: platform.clock.now().toISOString() },
  });
  t.equal(new Set(seen.map(({ id }) => id)).size, 299);
});

t.test('a client that reconnects with the last id continues without loss or repetition', async (t) => {
  const { server, count } = await startListening(t);
  const first = await open(server);
  await count(1, 10);
  const seen = await first.take(5);
  first.leave();
  await count(11, 1_000);
  const second = await open(server, seen.at(-1)!.id);
  t.strictSame(counts(await second.take(995)), upTo(6, 1_000));
  await count(1_001);
  t.strictSame(counts(await second.take(1)), [1_001], 'the stream continues');
});

t.test('several clients read at their own pace', async (t) => {
  const { server, count } = await startListening(t);
  const [one, two] = [await open(server), await open(server)];
  await count(1, 3);
  t.strictSame(counts(await one.take(3)), [1, 2, 3]);
  one.leave();
  await count(4);
  t.strictSame(counts(await two.take(4)), [1, 2, 3, 4]);
});

t.test('a client that missed evicted events is sent a gap', async (t) => {
  const { server, count } = await startListening(t);
  const first = await open(server);
  await count(1);
  const [{ id } = { id: '' }] = await first.take(1);
  first.leave();
  await count(2, 5_002);
  const second = await open(server, id);
  t.match(await second.next(), { event: 'gap', id: undefined, data: { reason: /no longer stored/ } });
  t.strictSame(counts(await second.take(3)), [3, 4, 5], 'then every retained event');
});

t.test('an id of another run leaves a gap', async (t) => {
  const [one, two] = [await startListening(t), await startListening(t)];
  const other = await open(one.server);
  await one.count(1);
  const [{ id } = { id: '' }] = await other.take(1);
  await two.count(7);
  const { next, take } = await open(two.server, id);
  t.match(await next(), { event: 'gap' });
  t.strictSame(counts(await take(1)), [7]);
});

t.test('a backlog of megabytes is sent as fast as the client reads it', async (t) => {
  const { server, count } = await startListening(t);
  const first = await open(server);
  await count(1);
  const [{ id } = { id: '' }] = await first.take(1);
  first.leave();
  await count(2, 140, 'x'.repeat(100_000));
  const { take } = await open(server, id);
  t.strictSame(counts(await take(139)), upTo(2, 140));
});

t.test('a slow client is disconnected when its next event was evicted', async (t) => {
  const { server, count } = await startListening(t);
  const socket = connect(server.info.port as number, '127.0.0.1');
  socket.write(`GET /admin/v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ADMIN_KEY}\r\n\r\n`);
  await new Promise((resolve) => socket.once('readable', resolve));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await count(1, 400, 'x'.repeat(100_000));
  socket.resume();
  socket.on('error', () => undefined);
  await closed;
  t.pass('the connection is closed');
  const { take } = await open(server);
  await count(401);
  t.strictSame(counts(await take(1)), [401], 'other clients are not affected');
});

/** Opens a stream and reads nothing but its head. */
async function openUnread(t: Tap, { info }: Server) {
  const socket = connect(Number(info.port), '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.on('error', () => undefined);
  socket.write(`GET /admin/v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ADMIN_KEY}\r\n\r\n`);
  await new Promise((resolve) => socket.once('readable', resolve));
  return socket;
}

t.test('streams that are not read share the bytes of the events that they buffer', async (t) => {
  const { server, count } = await startListening(t);
  await Promise.all(Array.from({ length: 60 }, () => openUnread(t, server)));
  const before = process.memoryUsage().arrayBuffers;
  await count(1, 12, 'x'.repeat(900_000));
  await new Promise(setImmediate);
  const buffered = process.memoryUsage().arrayBuffers - before;
  t.ok(buffered < 30_000_000, `${buffered} bytes; a copy for each stream takes over 100 MB`);
});

t.test('the number of streams is limited: a new one takes the place of one that is not read, or gets 429', async (t) => {
  const { server, count } = await startListening(t);
  const unread = await openUnread(t, server);
  await count(1, 150, 'x'.repeat(100_000));
  const read = await Promise.all(Array.from({ length: 99 }, () => open(server)));
  const closed = new Promise((resolve) => unread.once('close', resolve));
  const next = await open(server);
  t.equal(next.response.status, 200);
  unread.resume();
  await closed;

  const refused = await fetch(`${server.info.uri}/admin/v1/events`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
  t.equal(refused.status, 429);
  t.equal(refused.headers.get('x-posthorn-cause'), 'too_many_streams');
  t.match(await refused.json(), { errors: [{ details: '100 event streams are open; close one of them' }] });
  await count(151);
  t.strictSame(counts(await next.take(1)), [151], 'the others continue');
  for (const { leave } of [next, ...read]) leave();
});

t.test('a stop ends open streams quickly', async (t) => {
  const { server, count } = await startListening(t);
  const fast = await open(server);
  const slow = connect(server.info.port as number, '127.0.0.1');
  slow.on('error', () => undefined);
  slow.write(`GET /admin/v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ADMIN_KEY}\r\n\r\n`);
  await new Promise((resolve) => slow.once('readable', resolve));
  await count(1, 100, 'x'.repeat(100_000));
  await fast.take(100);
  const startedAt = performance.now();
  const [ended] = await Promise.all([fast.next(), server.stop()]);
  t.equal(ended, undefined, 'a client that keeps up sees the end');
  t.ok(performance.now() - startedAt < patient(2_000), 'a slow client delays no other');
  slow.destroy();
});

t.test('a client that does not read its last events does not delay a stop', async (t) => {
  const { server, count } = await startListening(t);
  const { leave } = await open(server);
  await count(1, 5, 'x'.repeat(100_000));
  const startedAt = performance.now();
  await server.stop();
  t.ok(performance.now() - startedAt < patient(2_000));
  leave();
});

t.test('the stream is not compressed, because compression would buffer events', async (t) => {
  const { server } = await startListening(t);
  const response = await fetch(`${server.info.uri}/admin/v1/events`, {
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'accept-encoding': 'gzip' },
  });
  t.equal(response.headers.get('content-encoding'), 'identity');
  await response.body?.cancel();
});

t.test('HEAD responds with the headers of the stream, and ends', async (t) => {
  const { server } = await startListening(t);
  const response = await fetch(`${server.info.uri}/admin/v1/events`, { method: 'HEAD', headers: { authorization: `Bearer ${ADMIN_KEY}` } });
  t.match([response.status, response.headers.get('content-type')], [200, /^text\/event-stream/]);
});

t.test('the position of a reader, case by case', async (t) => {
  const streamOf = (limits: { events: number; bytes: number }) => {
    const stream = createEventStream({ clock: new ManualClock(), log: new RecordingLogger(), limits });
    const ids: string[] = [];
    stream.listen(({ id }) => ids.push(id));
    const append = (count: number, shown: unknown = null) => {
      for (let i = 0; i < count; i++) stream.append({ name: 'a', payload: null, shown });
    };
    const read = (after?: string) => {
      const reader = stream.reader(after);
      const seen: number[] = [];
      for (let event = reader.next(); event; event = reader.next()) seen.push(ids.indexOf(event.id) + 1);
      return [reader.hasGap, seen] as const;
    };
    return { stream, ids, append, read };
  };

  const { stream, ids, append, read } = streamOf({ events: 3, bytes: 10_000 });
  t.strictSame(read(), [false, []], 'no event yet');
  t.strictSame(read('abc-1'), [true, []], 'an unknown id before any event');
  append(3);
  t.strictSame(read(), [false, []], 'from now on');
  t.strictSame(read(ids[0]), [false, [2, 3]]);
  t.strictSame(read(ids[2]), [false, []], 'every event was read');
  append(2);
  t.strictSame(read(ids[1]), [false, [3, 4, 5]], 'the next event is the oldest retained');
  t.strictSame(read(ids[0]), [true, [3, 4, 5]], 'one event was evicted');
  const run = ids[0]!.split('-')[0];
  for (const unknown of ['', '-', '5', `${run}-6`, `${run}--1`, `${run}-1.5`, `${run}-${'9'.repeat(30)}`, 'other-1', `${run}`]) {
    t.strictSame(read(unknown), [true, [3, 4, 5]], `an id that was never issued: ${unknown}`);
  }

  const waiting = stream.reader();
  t.equal(waiting.next(), undefined);
  append(1);
  t.equal(waiting.next()?.id, ids[5], 'a later event is read later');
  append(3);
  t.notOk(waiting.isLost());
  append(1);
  t.ok(waiting.isLost(), 'its position is lost once the event was evicted');
  t.equal(waiting.next(), undefined);

  const heavy = streamOf({ events: 1_000, bytes: 10_000 });
  heavy.append(1);
  heavy.append(10, 'x'.repeat(3_000));
  t.strictSame(heavy.read(heavy.ids[0]), [true, [9, 10, 11]], 'a large event evicts several');
  heavy.append(1, 'x'.repeat(50_000));
  t.strictSame(heavy.read(heavy.ids[10]), [false, [12]], 'the newest event is retained whatever its size');
});

t.test('an event that cannot be serialized uses no number', async (t) => {
  const stream = createEventStream({ clock: new ManualClock(), log: new RecordingLogger() });
  const received: StreamedEvent[] = [];
  stream.listen((event) => received.push(event));
  const append = (shown: unknown) => stream.append({ name: 'thing.counted', payload: shown, shown });
  append({ count: 1 });
  append({ count: 2 });
  const broken = {
    get count() {
      throw new Error('not to be read');
    },
  };
  t.throws(() => append(broken), /not to be read/);
  t.strictSame(stream.reader(received[0]!.id).next(), received[1]);
});

t.test('a listener that throws is logged, and the others receive the event', async (t) => {
  const log = new RecordingLogger();
  const stream = createEventStream({ clock: new ManualClock(), log });
  const received: unknown[] = [];
  stream.listen(() => {
    throw new Error('not again');
  });
  stream.listen(({ data }) => received.push(data));
  for (const shown of [1, 2]) stream.append({ name: 'thing.counted', payload: shown, shown });
  t.strictSame(received, [1, 2]);
  t.match(log.lines, [
    {
      level: 'error',
      message: /a listener of the event stream failed/,
      fields: { event: 'thing.counted', error: { message: 'not again' } },
    },
    { level: 'error' },
  ]);
});

t.test('with retention off, listeners receive every event, and no past event can be read', async (t) => {
  const stream = createEventStream({ clock: new ManualClock(), log: new RecordingLogger(), limits: RETAIN_NOTHING });
  const append = (count: number) => stream.append({ name: 'thing.counted', payload: count, shown: count });
  append(1);
  const received: StreamedEvent[] = [];
  const end = stream.listen((event) => received.push(event));
  append(2);
  append(3);
  end();
  append(4);
  t.strictSame(
    received.map(({ id, data }) => [id.split('-')[1], data]),
    [
      ['2', 2],
      ['3', 3],
    ],
  );
  const reader = stream.reader(received[0]!.id);
  t.ok(reader.hasGap);
  t.equal(reader.next(), undefined);
});

t.test('event data is released, with the admin API too: retained events are stored as text', async (t) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  /** Whether the payload of an event is still reachable after garbage collection. */
  const isKept = async (admin: { key: string } | undefined, received: unknown[] = []): Promise<boolean> => {
    const platform = createPlatform({
      plugins: [],
      ...(admin && { admin }),
      ports: { clock: new ManualClock(), workers: new InlinePool(), log: new RecordingLogger() },
    });
    await platform.start();
    t.teardown(() => platform.stop());
    platform.listen(({ data }) => void (received.length < 1 && received.push(data)));
    const emitted = await (async () => {
      const payload = { count: 1 };
      await platform.store.transaction((tx) => tx.emit(counted, payload));
      return new WeakRef(payload);
    })();
    await new Promise(setImmediate);
    collect();
    return emitted.deref() !== undefined;
  };
  const full = [null];
  t.ok(await isKept(undefined, []), 'a listener that stores events keeps them alive');
  t.notOk(await isKept({ key: ADMIN_KEY }, full));
  t.notOk(await isKept(undefined, full));
});
