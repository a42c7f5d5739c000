import sortedBtree from 'sorted-btree';
import { bulkLoad } from 'sorted-btree/extended/bulkLoad.js';

// The package is CommonJS: the class is a property of its default import.
const BTree = sortedBtree.default;

/** Items that may be unplaced, few enough that placing all of them takes no noticeable time. */
const MAX_UNPLACED = 512;
/** Items per tree node; the default of the package. */
const NODE_ITEMS = 32;

/**
 * A sorted collection of unique items. New items are placed in batches or on the first read: placing neighbours together is
 * cheaper, and an item removed before then, such as a job that completes immediately, costs nothing.
 */
export class Ordered<At, Item> {
  #placed: InstanceType<typeof BTree<At, Item>>;
  readonly #unplaced = new Map<Item, At>();
  readonly #compare: (a: At, b: At) => number;

  constructor(compare: (a: At, b: At) => number) {
    this.#placed = new BTree<At, Item>(undefined, compare);
    this.#compare = compare;
  }

  add(item: Item, at: At): void {
    this.#unplaced.set(item, at);
    if (this.#unplaced.size >= MAX_UNPLACED) this.#place();
  }

  /** Replaces the contents. The caller guarantees that the places are in ascending order: a check would read every loaded document. */
  fill(places: At[], items: Item[]): void {
    this.#unplaced.clear();
    let isFilled = false;
    this.#placed = bulkLoad(places, items, NODE_ITEMS, (a: At, b: At) => (isFilled ? this.#compare(a, b) : -1));
    isFilled = true;
  }

  /** @param at where the item was added */
  remove(item: Item, at: At): void {
    if (!this.#unplaced.delete(item)) this.#placed.delete(at);
  }

  /** Entries from `at` on, ascending. Do not add or remove during the iteration. */
  from(at: At): IterableIterator<[At, Item]> {
    this.#place();
    return this.#placed.entries(at);
  }

  /** Entries from `at` on, descending. Do not add or remove during the iteration. */
  backFrom(at: At): IterableIterator<[At, Item]> {
    this.#place();
    return this.#placed.entriesReversed(at);
  }

  #place(): void {
    if (this.#unplaced.size === 0) return;
    const sorted = [...this.#unplaced];
    if (sorted.length > 1) sorted.sort(([, a], [, b]) => this.#compare(a, b));
    try {
      for (const [item, at] of sorted) this.#placed.set(at, item);
    } catch (error) {
      // An item in both would stay in the tree after its removal.
      for (const [, at] of sorted) this.#placed.delete(at);
      throw error;
    }
    this.#unplaced.clear();
  }
}
