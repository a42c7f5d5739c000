import fc from 'fast-check';
import t from 'tap';
import { MemoryStore } from '../../../core/adapters/store/memory-store.js';
import { createHistories } from '../../../core/memory/histories.js';
import { createHistory } from '../../../core/memory/history.js';
import { collection, DocumentDamaged } from '../../../core/ports/store.js';
import type { Database } from '../../../core/ports/transaction.js';
import { ManualClock } from '../../../core/testing/index.js';
import { RecordingLogger } from '../../../core/testing/recording-logger.js';

interface Note {
  readonly id: string;
  readonly at?: string;
  readonly size: number;
}

const notes = collection<Note>({ key: 'id', indexes: { at: ['at', 'id'] }, cold: { after: 0 } });
const about = {
  name: 'notes',
  at: ({ at }: Note) => at,
  bytes: ({ size }: Note) => size,
  limits: { count: 1_000, bytes: 1e9, days: 30 },
  evict: async (tx: Parameters<Parameters<Database['transaction']>[0]>[0], { id }: Note) => tx.in(notes).delete(id),
};

async function openStore(): Promise<Database> {
  const store = new MemoryStore({ log: new RecordingLogger() });
  store.define('test.notes', notes);
  await store.start();
  return store as unknown as Database;
}

const ids = Array.from({ length: 10 }, (_, n) => `n${n}`);
const noteOf = fc.record<Note>(
  { id: fc.constantFrom(...ids), at: fc.constant('2026-01-01T00:00:00.000Z'), size: fc.nat(9) },
  { requiredKeys: ['id', 'size'] },
);

t.test('counts the records that exist, also when others are added, changed and removed meanwhile', async (t) => {
  const change = fc.record({ note: noteOf, deletes: fc.boolean() });
  const property = fc.asyncProperty(
    fc.array(noteOf),
    fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 8 }),
    async (notesBefore, meanwhile) => {
      const store = await openStore();
      await store.transaction((tx) => {
        for (const note of notesBefore) tx.in(notes).put(note);
      });
      const between = meanwhile.slice();
      const changeSome = async () => {
        for (const { note, deletes } of between.shift() ?? []) {
          await store.transaction(async (tx) => {
            const before = await tx.in(notes).get(note.id);
            if (before) history.removed(tx, before);
            if (deletes) return tx.in(notes).delete(note.id);
            tx.in(notes).put(note);
            if (note.at !== undefined) history.added(tx, note);
          });
        }
      };
      const list = async (range: object) => {
        await changeSome();
        const page = await store.open(notes).list(range);
        // The page may be out of date before it is counted.
        await changeSome();
        return page;
      };
      const slow = { ...store, open: () => ({ list }), transaction: store.transaction.bind(store) } as unknown as Database;
      const ports = { store: slow, clock: new ManualClock(), log: new RecordingLogger(), countedAtOnce: 2 };
      const history = createHistory<Note>(ports, { ...about, type: notes, index: 'at' });
      await history.load(() => false);
      const expected = (await store.open(notes).list()).filter(({ at }) => at !== undefined);
      t.strictSame(history.size(), { count: expected.length, bytes: expected.reduce((sum, { size }) => sum + size, 0) });
    },
  );
  await fc.assert(property, { numRuns: 300 });
});

t.test('a record that cannot be read does not prevent a start, and a stop does not wait for all of them', async (t) => {
  const store = await openStore();
  await store.transaction((tx) => {
    for (const id of ids) tx.in(notes).put({ id, at: '2026-01-01T00:00:00.000Z', size: 1 });
  });
  const log = new RecordingLogger();
  const failing = { ...store, open: () => ({ list: async () => Promise.reject(new Error('damaged')) }) } as unknown as Database;
  const histories = createHistories({ store: failing, clock: new ManualClock(), log }, { maxBytes: 1e9 });
  histories.create<Note>({ ...about, type: notes, index: 'at', limits: { count: 5, days: 30 } });
  await histories.start();
  await histories.stop();
  t.match(
    log.lines.map(({ level, message }) => [level, message]),
    [['error', /counting finished records failed; .* evict fewer/]],
  );
});

t.test('a damaged record on disk does not prevent a start that estimates the bytes of all', async (t) => {
  const log = new RecordingLogger();
  const find = () => Promise.reject(new DocumentDamaged('/data/test.notes.1.json', 'the checksum does not match the document'));
  const damaged = { open: () => ({ count: async () => 7, find }) } as unknown as Database;
  const histories = createHistories({ store: damaged, clock: new ManualClock(), log }, { maxBytes: 1e9, onDisk: true });
  const history = histories.create<Note>({ ...about, type: notes, index: 'at', wholeBy: 'number' });
  await histories.start();
  t.strictSame(history.size(), { count: 7, bytes: 0 });
  t.match(log.messages('error'), [/counting finished records failed; .* evict fewer/]);
  await histories.stop();
});

t.test('while memory is short, records on disk stay, because evicting them would free hardly any', async (t) => {
  for (const [onDisk, left] of [
    [true, 8],
    [false, 2],
  ] as const) {
    const store = await openStore();
    const clock = new ManualClock();
    const histories = createHistories({ store, clock, log: new RecordingLogger() }, { maxBytes: 1e9, onDisk });
    const history = histories.create<Note>({ ...about, type: notes, index: 'at', limits: { count: 8, days: 30 } });
    await store.transaction((tx) => {
      for (const id of ids.slice(0, 8)) {
        const note = { id, at: clock.now().toISOString(), size: 1 };
        tx.in(notes).put(note);
        history.added(tx, note);
      }
    });
    t.equal(await histories.squeeze(true), !onDisk);
    t.equal(history.size().count, left);
    t.equal(await store.open(notes).count(), left);
  }
});

t.test('a history of whole collections on disk is counted without reading it, and the documents on hold when a number is', async (t) => {
  const records = collection<Note & { readonly number: string }>({
    key: 'id',
    indexes: { at: ['at', 'id'], number: ['number', 'at'] },
    cold: { after: 0 },
  });
  const store = new MemoryStore({ log: new RecordingLogger() });
  store.define('test.records', records);
  await store.start();
  const database = store as unknown as Database;
  await database.transaction((tx) => {
    for (const [n, id] of ids.entries())
      tx.in(records).put({ id, at: `2026-01-01T00:00:0${n}.000Z`, size: 5, number: n < 4 ? 'held' : 'free' });
  });
  let held: ReadonlySet<string> = new Set();
  const holds = { numbers: async () => held, isHeld: async (_: unknown, number: string) => held.has(number) };
  let listed = 0;
  const open = (type: typeof records) => {
    const opened = store.open(type);
    const list: typeof opened.list = (range) => {
      listed++;
      return opened.list(range);
    };
    return { ...opened, list };
  };
  const watched = { transaction: store.transaction.bind(store), open } as unknown as Database;
  const clock = new ManualClock({ start: new Date('2026-01-02T00:00:00Z') });
  const histories = createHistories({ store: watched, clock, log: new RecordingLogger(), holds }, { maxBytes: 1e9, onDisk: true });
  const history = histories.create<Note & { readonly number: string }>({
    name: 'records',
    type: records,
    index: 'at',
    at: ({ at }) => at,
    bytes: ({ size }) => size,
    number: ({ number }) => number,
    wholeBy: 'number',
    limits: { count: 5, days: 30 },
    evict: async (tx, { id }) => tx.in(records).delete(id),
  });
  await histories.start();
  t.strictSame(history.size(), { count: 10, bytes: 50 });
  t.equal(listed, 0);
  held = new Set(['held']);
  await history.evict();
  t.strictSame(history.size(), { count: 9, bytes: 45 }, 'those on hold do not count');
  held = new Set();
  await history.evict();
  t.strictSame(history.size(), { count: 5, bytes: 25 });
  t.strictSame(
    (await store.open(records).list()).map(({ id }) => id),
    ids.slice(5),
  );
  await histories.stop();
});
