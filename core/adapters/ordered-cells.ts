import sortedBtree from 'sorted-btree';
import type { Row } from './table.js';

// The package is CommonJS: its class is a property of what is imported.
const BTree = sortedBtree.default;

/** Where a document stands. Its place in an order is changed only when what the order goes by has changed. */
export interface Cell {
  row: Row;
}

/** Cells that may wait for their places: few enough that nobody notices when all of them are put there. */
const MOST_UNPLACED = 512;

/**
 * Cells in an order, each once. New ones are put in their places many at a time, or when somebody looks: neighbours cost
 * less together, and what is gone by then, like a job that was done at once, has cost nothing.
 */
export class OrderedCells<At> {
  readonly #placed: InstanceType<typeof BTree<At, Cell>>;
  readonly #unplaced = new Map<Cell, At>();
  readonly #compare: (a: At, b: At) => number;

  constructor(compare: (a: At, b: At) => number) {
    this.#placed = new BTree<At, Cell>(undefined, compare);
    this.#compare = compare;
  }

  add(cell: Cell, at: At): void {
    this.#unplaced.set(cell, at);
    if (this.#unplaced.size >= MOST_UNPLACED) this.#place();
  }

  /** `at` is where it was added. */
  remove(cell: Cell, at: At): void {
    if (!this.#unplaced.delete(cell)) this.#placed.delete(at);
  }

  /** From a place on, in order. Nothing may be added or removed meanwhile. */
  from(at: At): IterableIterator<[At, Cell]> {
    this.#place();
    return this.#placed.entries(at);
  }

  /** From a place on, backwards. Nothing may be added or removed meanwhile. */
  backFrom(at: At): IterableIterator<[At, Cell]> {
    this.#place();
    return this.#placed.entriesReversed(at);
  }

  #place(): void {
    if (this.#unplaced.size === 0) return;
    if (this.#unplaced.size === 1) {
      for (const [cell, at] of this.#unplaced) this.#placed.set(at, cell);
    } else {
      const sorted = [...this.#unplaced].sort(([, a], [, b]) => this.#compare(a, b));
      for (const [cell, at] of sorted) this.#placed.set(at, cell);
    }
    this.#unplaced.clear();
  }
}
