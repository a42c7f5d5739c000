import { collection } from '#core';
import type { ReadableCollection, Store, StoreTransaction } from '#core/ports';

/** The last transaction of each writer. Every transaction writes it, so that it shows which transactions are stored. */
export interface Head {
  readonly writer: string;
  readonly seq: number;
}

export interface Entry {
  readonly id: string;
  readonly writer: number;
  readonly seq: number;
  readonly text: string;
}

export interface Slot {
  readonly id: string;
  readonly weight: number;
  readonly by: string;
}

export const heads = collection<Head>({ key: 'writer' });
/** One per transaction; stored while it is among the newest of its writer. */
export const entries = collection<Entry>({ key: 'id', unique: { place: ['writer', 'seq'] } });
/** Several per transaction; deleted with their entry. */
export const parts = collection<Entry>({ key: 'id', indexes: { seq: ['seq', 'writer'] } });
/** Overwritten repeatedly, each time with another position in the index. */
export const slots = collection<Slot>({ key: 'id', indexes: { weight: ['weight'] } });
/** Written by all writers, to cause conflicts. */
export const shared = collection<{ readonly name: string; readonly count: number }>({ key: 'name' });

export const WRITERS = 16;
const KEPT = 12;
const SLOTS = 5;
const SHARED_EVERY = 8;

export function defineLoad(store: Store): void {
  const all = { heads, entries, parts, slots, shared };
  for (const [name, type] of Object.entries(all)) store.define(`crash.${name}`, type as never);
}

const entryOf = (writer: number, seq: number): Entry => ({
  id: `${writer}-${seq}`,
  writer,
  seq,
  text: 'x'.repeat((seq * 37 + writer * 11) % 400),
});
const partsOf = (writer: number, seq: number): Entry[] =>
  Array.from({ length: (seq + writer) % 4 }, (_, part) => ({ ...entryOf(writer, seq), id: `${writer}-${seq}-${part}` }));
const slotOf = (writer: number, seq: number): Slot => ({
  id: `${writer}-${seq % SLOTS}`,
  weight: (seq * 7919 + writer) % 101,
  by: `${writer}-${seq}`,
});

/** Transaction `seq` of a writer. Deterministic, so that the expected state can be computed. */
export async function step(tx: StoreTransaction, writer: number, seq: number): Promise<void> {
  tx.in(heads).put({ writer: `${writer}`, seq });
  tx.in(entries).put(entryOf(writer, seq));
  for (const part of partsOf(writer, seq)) tx.in(parts).put(part);
  tx.in(slots).put(slotOf(writer, seq));
  if (seq > KEPT) {
    tx.in(entries).delete(`${writer}-${seq - KEPT}`);
    for (const { id } of partsOf(writer, seq - KEPT)) tx.in(parts).delete(id);
  }
  if (seq % SHARED_EVERY !== 0) return;
  const count = (await tx.in(shared).get('all'))?.count ?? 0;
  tx.in(shared).put({ name: 'all', count: count + 1 });
}

export async function headsOf(store: Store): Promise<number[]> {
  const known = new Map((await store.open(heads).list()).map(({ writer, seq }) => [writer, seq]));
  return Array.from({ length: WRITERS }, (_, writer) => known.get(`${writer}`) ?? 0);
}

/** Differences between the store and the expected state after exactly these transactions. */
export async function differences(store: Store, seqs: readonly number[]): Promise<string[]> {
  const stored = seqs.flatMap((seq, writer) => {
    const first = Math.max(1, seq - KEPT + 1);
    return Array.from({ length: seq - first + 1 }, (_, at) => [writer, first + at] as const);
  });
  const wanted = {
    heads: byKey(
      seqs.flatMap((seq, writer) => (seq > 0 ? [{ writer: `${writer}`, seq }] : [])),
      'writer',
    ),
    entries: byKey(
      stored.map(([writer, seq]) => entryOf(writer, seq)),
      'id',
    ),
    parts: byKey(
      stored.flatMap(([writer, seq]) => partsOf(writer, seq)),
      'id',
    ),
    slots: byKey([...new Map(stored.map(([writer, seq]) => [slotOf(writer, seq).id, slotOf(writer, seq)])).values()], 'id'),
  };
  const count = seqs.reduce((sum, seq) => sum + Math.floor(seq / SHARED_EVERY), 0);
  const views = [
    compare('heads', await store.open(heads).list(), wanted.heads),
    compare('entries', await store.open(entries).list(), wanted.entries),
    compare('parts', await store.open(parts).list(), wanted.parts),
    compare('slots', await store.open(slots).list(), wanted.slots),
    compare('the shared count', [(await store.open(shared).get('all'))?.count ?? 0], [count]),
    await compareIndex('entries by place', store.open(entries), 'place', ({ writer, seq }) => [writer, seq]),
    await compareIndex('parts by seq', store.open(parts), 'seq', ({ seq, writer }) => [seq, writer]),
    await compareIndex('slots by weight', store.open(slots), 'weight', ({ weight }) => [weight]),
  ];
  return views.filter((view) => view !== undefined);
}

/** Compares an index with one that is computed from all documents. */
async function compareIndex<T extends { readonly id: string }>(
  what: string,
  view: ReadableCollection<T>,
  index: string,
  valuesOf: (document: T) => readonly number[],
): Promise<string | undefined> {
  const placed = (await view.list()).map((document) => ({ document, values: valuesOf(document) }));
  placed.sort((a, b) => {
    const at = a.values.findIndex((value, i) => value !== b.values[i]);
    return at < 0 ? (a.document.id < b.document.id ? -1 : 1) : a.values[at]! - b.values[at]!;
  });
  return compare(
    `the index of ${what}`,
    await view.find(index),
    placed.map(({ document }) => document),
  );
}

function byKey<T, K extends keyof T>(documents: readonly T[], key: K): T[] {
  return documents.toSorted((a, b) => (a[key] < b[key] ? -1 : 1));
}

function compare(what: string, found: readonly unknown[], wanted: readonly unknown[]): string | undefined {
  const [there, expected] = [found, wanted].map((list) => list.map((one) => JSON.stringify(one, Object.keys(one as object).sort())));
  const at = expected!.findIndex((text, i) => text !== there![i]);
  if (at < 0 && there!.length === expected!.length) return undefined;
  return `${what}: ${there!.length} instead of ${expected!.length}; the first difference is ${there![Math.max(at, 0)]} instead of ${expected![Math.max(at, 0)]}`;
}
