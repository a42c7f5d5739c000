import type { IndexValue } from '../../../ports/store.js';

type Level<Item> = Map<IndexValue, Level<Item> | Item>;

/**
 * Items by the values of a unique index, in no order: who looks for one value need not go through a tree of all of them.
 * A level for each field; the leading ones are few, as an index begins with what narrows most.
 */
export class UniqueValues<Item extends object> {
  readonly #first: Level<Item> = new Map();
  readonly #last: number;

  /** @param fields how many values an item has */
  constructor(fields: number) {
    this.#last = fields - 1;
  }

  /** `values` may go on after those of the fields. */
  get(values: readonly unknown[]): Item | undefined {
    let level: Level<Item> | undefined = this.#first;
    for (let i = 0; i < this.#last; i++) {
      level = level.get(values[i] as IndexValue) as Level<Item> | undefined;
      if (!level) return undefined;
    }
    return level.get(values[this.#last] as IndexValue) as Item | undefined;
  }

  /** In the place of what has these values. */
  set(values: readonly unknown[], item: Item): void {
    let level = this.#first;
    for (let i = 0; i < this.#last; i++) {
      let next = level.get(values[i] as IndexValue) as Level<Item> | undefined;
      if (!next) {
        next = new Map();
        level.set(values[i] as IndexValue, next);
      }
      level = next;
    }
    level.set(values[this.#last] as IndexValue, item);
  }

  /** Takes an item out, unless another one has these values by now. */
  delete(values: readonly unknown[], item: Item): void {
    if (this.get(values) === item) this.#prune(this.#first, values, 0);
  }

  /** Levels that become empty go too. */
  #prune(level: Level<Item>, values: readonly unknown[], at: number): void {
    const value = values[at] as IndexValue;
    if (at < this.#last) {
      const next = level.get(value) as Level<Item>;
      this.#prune(next, values, at + 1);
      if (next.size > 0) return;
    }
    level.delete(value);
  }
}
