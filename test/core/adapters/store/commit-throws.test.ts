import t from 'tap';
import { JsonStore } from '../../../../core/adapters/store/json-store.js';
import { collection, type Store, type StoreTransaction, StoreUnavailable } from '../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import type { Tap } from '../../../../core/testing/tap.js';
import { stride } from '../../../forms.js';
import { everything, nothing, SimulatedDisk } from './simulated-disk.js';
import { FOLDER } from './store-on-disk.js';
import { ThrownCalls, type When } from './thrown-calls.js';

interface Seat {
  readonly id: string;
  readonly row: string;
  readonly seat: number;
  readonly text?: string;
}

const seats = collection<Seat>({ key: 'id', unique: { seat: ['row', 'seat'] }, indexes: { row: ['row', 'id'] } });
const notes = collection<{ readonly id: string; readonly text: string }>({ key: 'id' });
type State = ReadonlyMap<string, Seat>;
type Write = { readonly name: string; readonly put?: readonly Seat[]; readonly delete?: readonly string[] };

/** Enough items that the next few additions place all of them in the indexes. */
const FIRST = 510;
/** Placing repeats the same calls, so only one in this many is made to throw. */
const ALIKE = 41;
const seatOf = (n: number, row = 'a'): Seat => ({ id: `s${String(n).padStart(4, '0')}`, row, seat: n });

const writes: readonly Write[] = [
  { name: 'new', put: [seatOf(600), seatOf(601, 'b'), { ...seatOf(602), text: 'x'.repeat(80_000) }] },
  { name: 'changed', put: [seatOf(3, 'b'), { ...seatOf(4), seat: 5 }, { ...seatOf(5), seat: 4 }], delete: ['s0006'] },
  { name: 'small', put: [{ ...seatOf(7), text: 'y' }] },
];

const write = (store: Store, { put = [], delete: deleted = [], name }: Write, atEnd?: () => void) =>
  store.transaction((tx: StoreTransaction) => {
    for (const seat of put) tx.in(seats).put(seat);
    for (const id of deleted) tx.in(seats).delete(id);
    tx.in(notes).put({ id: name, text: 'Grüße' });
    if (atEnd) tx.beforeCommit(atEnd);
  });

function after(state: State, { put = [], delete: deleted = [] }: Write): State {
  const next = new Map(state);
  for (const seat of put) next.set(seat.id, seat);
  for (const id of deleted) next.delete(id);
  return next;
}

/** The differences between what readers see and the expected state, by every way to read. */
async function differences(store: JsonStore, state: State, notesThere: readonly string[]): Promise<string[]> {
  const open = store.open(seats);
  const byId = [...state.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const byRow = byId.toSorted((a, b) => (a.row === b.row ? (a.id < b.id ? -1 : 1) : a.row < b.row ? -1 : 1));
  const bySeat = byId.toSorted((a, b) => (a.row === b.row ? a.seat - b.seat : a.row < b.row ? -1 : 1));
  const ids = (found: readonly Seat[]) => found.map(({ id, row, seat, text = '' }) => `${id} ${row} ${seat} ${text.length}`).join();
  const wrong: string[] = [];
  const compare = (what: string, found: string, wanted: string) => found === wanted || wrong.push(what);
  compare('list', ids(await open.list()), ids(byId));
  compare('find by row', ids(await open.find('row')), ids(byRow));
  compare('find by seat', ids(await open.find('seat')), ids(bySeat));
  compare('count', String(await open.count()), String(state.size));
  for (const { put = [], delete: deleted = [] } of writes) {
    for (const id of [...put.map(({ id }) => id), ...deleted]) {
      const known = state.get(id);
      compare(`get ${id}`, ids([(await open.get(id)) ?? []].flat()), ids(known ? [known] : []));
    }
    for (const { row, seat } of [...put, seatOf(4), seatOf(5), seatOf(6)]) {
      const holder = byId.find((one) => one.row === row && one.seat === seat);
      compare(`getBy ${row} ${seat}`, ids([(await open.getBy('seat', [row, seat])) ?? []].flat()), ids(holder ? [holder] : []));
    }
  }
  const found = (await store.open(notes).list()).map(({ id }) => id);
  compare('notes', found.join(), notesThere.toSorted().join());
  return wrong;
}

function openOn(disk: SimulatedDisk): JsonStore {
  // The journal suffices here, and skipping the merge is faster.
  const compact = async () => Promise.reject(new Error('not now'));
  const store = new JsonStore({ folder: FOLDER, log: new RecordingLogger(), fs: disk, compact });
  store.define('test.seats', seats);
  store.define('test.notes', notes);
  return store;
}

/** @returns whether a call threw, and the state of the store after it; undefined when there were fewer calls */
async function round(t: Tap, calls: ThrownCalls, skipped: number, when: When) {
  const disk = new SimulatedDisk();
  const store = openOn(disk);
  await store.start();
  const first: Write = { name: 'first', put: Array.from({ length: FIRST }, (_, n) => seatOf(n)) };
  await write(store, first);
  let state = after(new Map(), first);
  const kept = ['first'];

  const outcomes = await Promise.allSettled(
    writes.map((one, i) => write(store, one, i === 0 ? () => calls.arm(skipped, when) : undefined)),
  );
  calls.disarm();
  const { thrown } = calls;
  const about = `${when} call ${skipped}, ${thrown}`;
  const take = (one: Write, outcome: PromiseSettledResult<unknown>) => {
    if (outcome.status === 'fulfilled') {
      state = after(state, one);
      kept.push(one.name);
    } else if (!/out of memory/.test(String(outcome.reason))) t.fail(`${about}: ${outcome.reason}`);
  };
  for (const [i, outcome] of outcomes.entries()) take(writes[i]!, outcome);
  const wrong = await differences(store, state, kept);
  if (wrong.length > 0) t.fail(`${about}: readers see something other than the acknowledged writes: ${wrong.join(', ')}`);

  const next: Write = { name: 'next', put: [seatOf(700)] };
  const [outcome] = await Promise.allSettled([write(store, next)]);
  const { state: health } = store.health();
  if (outcome.status !== (health === 'open' ? 'fulfilled' : 'rejected'))
    t.fail(`${about}: the store is ${health}, a write is ${outcome.status}`);
  if (outcome.status === 'rejected' && !(outcome.reason instanceof StoreUnavailable)) t.fail(`${about}: ${outcome.reason}`);
  take(next, outcome);
  await store.stop();
  for (const found of [disk.afterCrash(everything), disk.afterCrash(nothing)]) {
    const again = openOn(found);
    await again.start();
    const lost = await differences(again, state, kept);
    if (lost.length > 0) t.fail(`${about}: after a restart: ${lost.join(', ')}`);
    await again.stop();
  }
  return thrown === undefined ? undefined : { thrown, health };
}

for (const when of ['before', 'after'] as const) {
  t.test(
    `a call that throws ${when} its work inside a commit leaves the transaction either refused or acknowledged, wherever it is`,
    async (t) => {
      const calls = new ThrownCalls();
      t.teardown(() => calls.restore());
      const seen = { open: 0, failed: 0, closed: 0 };
      for (let skipped = 0; ; ) {
        const outcome = await round(t, calls, skipped, when);
        if (!outcome) break;
        skipped += outcome.thrown === 'BTree.set' ? ALIKE : stride(18);
        seen[outcome.health]++;
      }
      t.ok(seen.open > 50 / stride(18), `${seen.open} times one transaction was refused and the store kept working`);
      t.ok(seen.failed > 50 / stride(18), `${seen.failed} times the store accepted no more writes`);
    },
  );
}
