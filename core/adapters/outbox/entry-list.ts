import { BTree } from '../queue/b-tree.js';
import type { Entry, Slot } from './entry.js';

/** The slot of a delivery that is stored. */
export type StoredSlot = Slot & { current: Entry };

/** Deliveries in the order of their keys. A key must not change while its delivery is in the list. */
export class EntryList<K> {
  readonly #keyOf: (slot: StoredSlot) => K;
  readonly #tree: InstanceType<typeof BTree<K, StoredSlot>>;

  /** @param compare a total order */
  constructor(keyOf: (slot: StoredSlot) => K, compare: (a: K, b: K) => number) {
    this.#keyOf = keyOf;
    this.#tree = new BTree<K, StoredSlot>(undefined, compare);
  }

  get size(): number {
    return this.#tree.size;
  }

  get(key: K): StoredSlot | undefined {
    return this.#tree.get(key);
  }

  add(slot: StoredSlot): void {
    this.#tree.set(this.#keyOf(slot), slot);
  }

  remove(slot: StoredSlot): void {
    if (!this.#tree.delete(this.#keyOf(slot))) throw new Error('a delivery is not in its list');
  }

  /** From the highest key below `before`. */
  *descending(before: K): Generator<Entry> {
    for (const [, { current }] of this.#tree.entriesReversed(before, [], true)) yield current;
  }

  /** From the lowest key that is at least `from`; from the first if not given. */
  *ascending(from?: K): Generator<Entry> {
    for (const { current } of this.#tree.values(from)) yield current;
  }
}

/** A list by seq. Its keys are numbers, because a search that reads the deliveries themselves misses the caches of the processor. */
export const listBySeq = (): EntryList<number> =>
  new EntryList(
    ({ order }) => order,
    (a, b) => a - b,
  );

/** A list by rank, and by seq among deliveries with the same rank. */
export const listByRank = (): EntryList<StoredSlot> =>
  new EntryList(
    (slot) => slot,
    (a, b) => a.rank - b.rank || a.order - b.order,
  );
