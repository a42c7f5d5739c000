import { collection } from '#core';
import type { ReadableCollection, Store, StoreTransaction } from '#core/ports';
import { mergePatch } from '../../core/adapters/store/files/merge-patch.js';
import { liveCollection, type MergePatch } from '../../core/ports/store.js';
import { LiveDocuments } from './live-documents.js';

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

export interface Task {
  readonly id: string;
  readonly seq: number;
  readonly tries: Readonly<Record<string, object>>;
}

/** One document per writer, which most transactions patch, as deliveries are. */
export const tasks = liveCollection<Task>('id');

export type Tasks = ReadonlyMap<string, Task>;

export const WRITERS = 16;
const KEPT = 12;
const SLOTS = 5;
const SHARED_EVERY = 8;

/** Defines the collections. @returns the documents of the live one */
export function defineLoad(store: Store): Tasks {
  const owner = new LiveDocuments<Task>();
  store.defineLive!('crash.tasks', tasks, owner);
  const all = { heads, entries, parts, slots, shared };
  for (const [name, type] of Object.entries(all)) store.define(`crash.${name}`, type as never);
  return owner.all;
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

/** Number of transactions from one `put` of a task to the next; every second round of them ends with a deletion. */
const TASK_STEPS = 10;
type TaskChange = { readonly put: Task } | { readonly patch: MergePatch } | { readonly isDeleted: true };

function taskChangeOf(writer: number, seq: number): TaskChange {
  if (seq % (2 * TASK_STEPS) === 0) return { isDeleted: true };
  const at = seq % TASK_STEPS;
  if (at === 1) return { put: { id: `${writer}`, seq, tries: {} } };
  const removed = at === 5 ? { [seq - 1]: null } : {};
  return { patch: { seq, tries: { [seq]: { ms: seq % 7 }, ...removed } } };
}

/** The task of a writer after a transaction. */
function taskAfter(writer: number, seq: number): Task | undefined {
  let task: Task | undefined;
  for (let at = seq - ((seq - 1) % TASK_STEPS); at <= seq; at++) {
    const change = taskChangeOf(writer, at);
    if ('put' in change) task = change.put;
    else task = 'patch' in change ? (mergePatch(task, change.patch) as Task) : undefined;
  }
  return task;
}

/** Transaction `seq` of a writer. Deterministic, so that the expected state can be computed. */
export async function step(tx: StoreTransaction, writer: number, seq: number): Promise<void> {
  tx.in(heads).put({ writer: `${writer}`, seq });
  tx.in(entries).put(entryOf(writer, seq));
  for (const part of partsOf(writer, seq)) tx.in(parts).put(part);
  tx.in(slots).put(slotOf(writer, seq));
  const change = taskChangeOf(writer, seq);
  if ('put' in change) tx.live!(tasks).put(change.put);
  else if ('patch' in change) tx.live!(tasks).patch(`${writer}`, change.patch);
  else tx.live!(tasks).delete(`${writer}`);
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
export async function differences(store: Store, found: Tasks, seqs: readonly number[]): Promise<string[]> {
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
  const wantedTasks = seqs.map((seq, writer) => taskAfter(writer, seq)).filter((task) => task !== undefined);
  const count = seqs.reduce((sum, seq) => sum + Math.floor(seq / SHARED_EVERY), 0);
  const views = [
    compare('heads', await store.open(heads).list(), wanted.heads),
    compare('entries', await store.open(entries).list(), wanted.entries),
    compare('parts', await store.open(parts).list(), wanted.parts),
    compare('slots', await store.open(slots).list(), wanted.slots),
    compare('tasks', byKey([...found.values()], 'id'), byKey(wantedTasks, 'id')),
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
  const [there, expected] = [found, wanted].map((list) => list.map((one) => JSON.stringify(sorted(one))));
  const at = expected!.findIndex((text, i) => text !== there![i]);
  if (at < 0 && there!.length === expected!.length) return undefined;
  return `${what}: ${there!.length} instead of ${expected!.length}; the first difference is ${there![Math.max(at, 0)]} instead of ${expected![Math.max(at, 0)]}`;
}

/** With its fields, and those of objects in it, in the order of their names. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, sorted(field)]));
}
