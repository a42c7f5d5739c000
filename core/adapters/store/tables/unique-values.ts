import type { IndexValue } from '../../../ports/store.js';

type Level<Item> = Map<IndexValue, Level<Item> | Item>;

/**
 * Items by the values of a unique index, unordered, so that a lookup needs no tree search. One map level per field; leading
 * fields, such as the number, have few distinct values.
 */
export class UniqueValues<Item extends object> {
  readonly #first: Level<Item> = new Map();
  readonly #last: number;

  /** @param fields the number of values of an item */
  constructor(fields: number) {
    this.#last = fields - 1;
  }

  /** `values` may be longer than the fields; the rest is ignored. */
  get(values: readonly unknown[]): Item | undefined {
    let level: Level<Item> | undefined = this.#first;
    for (let i = 0; i < this.#last; i++) {
      level = level.get(values[i] as IndexValue) as Level<Item> | undefined;
      if (!level) return undefined;
    }
    return level.get(values[this.#last] as IndexValue) as Item | undefined;
  }

  /** Replaces the item with these values. */
  set(values: readonly unknown[], item: Item): void {
    this.#levelOf(values).set(values[this.#last] as IndexValue, item);
  }

  /** Adds an item. @returns false, without a change, when an item has these values */
  addNew(values: readonly unknown[], item: Item): boolean {
    const level = this.#levelOf(values);
    const value = values[this.#last] as IndexValue;
    if (level.has(value)) return false;
    level.set(value, item);
    return true;
  }

  #levelOf(values: readonly unknown[]): Level<Item> {
    let level = this.#first;
    for (let i = 0; i < this.#last; i++) {
      let next = level.get(values[i] as IndexValue) as Level<Item> | undefined;
      if (!next) {
        next = new Map();
        level.set(values[i] as IndexValue, next);
      }
      level = next;
    }
    return level;
  }

  /** Removes an item, unless another item has these values now. */
  delete(values: readonly unknown[], item: Item): void {
    if (this.get(values) === item) this.#prune(this.#first, values, 0);
  }

  /** Also removes levels that become empty. */
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
