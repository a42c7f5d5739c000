import sortedBtree from 'sorted-btree';
import { bulkLoad } from 'sorted-btree/extended/bulkLoad.js';

// The package is CommonJS: its class is a property of what is imported.
const BTree = sortedBtree.default;

/** Items that may wait for their places: few enough that nobody notices when all of them are put there. */
const MAX_UNPLACED = 512;
/** Items in a node of the tree; the package's own default. */
const NODE_ITEMS = 32;

/**
 * Items in an order, each once. New ones are put in their places many at a time, or when somebody looks: neighbours cost
 * less together, and what is gone by then, like a job that was done at once, has cost nothing.
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

  /** Takes the place of all there is. @throws Error when they are not in ascending order */
  fill(places: At[], items: Item[]): void {
    this.#unplaced.clear();
    this.#placed = bulkLoad(places, items, NODE_ITEMS, this.#compare);
  }

  /** `at` is where it was added. */
  remove(item: Item, at: At): void {
    if (!this.#unplaced.delete(item)) this.#placed.delete(at);
  }

  /** From a place on, in order. Nothing may be added or removed meanwhile. */
  from(at: At): IterableIterator<[At, Item]> {
    this.#place();
    return this.#placed.entries(at);
  }

  /** From a place on, backwards. Nothing may be added or removed meanwhile. */
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
      // An item in both would stay in the tree when it is removed.
      for (const [, at] of sorted) this.#placed.delete(at);
      throw error;
    }
    this.#unplaced.clear();
  }
}
