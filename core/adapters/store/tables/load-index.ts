import { compareKeys, compareValues, type Entry } from '../../../ports/index-order.js';

/** In ascending order of their keys; the array is sorted in place. A snapshot has them in that order already. */
export function inKeyOrder<Item>(items: Item[], keyOf: (item: Item) => string): Item[] {
  const isSorted = items.every((item, i) => i === 0 || keyOf(items[i - 1]!) < keyOf(item));
  return isSorted ? items : items.sort((a, b) => compareKeys(keyOf(a), keyOf(b)));
}

/**
 * Puts what comes in the order of the keys into that of an index, field by field: a value that many share, as most
 * documents share their number, is compared once and not with each of them.
 * @param fields those before the key, if the index has it among them
 */
export function inIndexOrder<Item>(items: readonly Item[], entryOf: (item: Item) => Entry, fields: number): Item[] {
  const sorted: Item[] = [];
  sort(items, 0);
  return sorted;

  function sort(some: readonly Item[], field: number): void {
    if (some.length < 2 || field === fields) {
      for (const one of some) sorted.push(one);
      return;
    }
    const byValue = new Map<Entry[number], Item | Several<Item>>();
    for (const one of some) {
      const value = entryOf(one)[field]!;
      const alike = byValue.get(value);
      if (alike === undefined) byValue.set(value, one);
      else if (alike instanceof Several) alike.items.push(one);
      else byValue.set(value, new Several([alike, one]));
    }
    for (const value of [...byValue.keys()].sort(compareValues)) {
      const alike = byValue.get(value)!;
      if (alike instanceof Several) sort(alike.items, field + 1);
      else sorted.push(alike);
    }
  }
}

/** Items with the same value. */
class Several<Item> {
  readonly items: Item[];

  constructor(items: Item[]) {
    this.items = items;
  }
}

/** After so many values of a field it is known whether they repeat themselves. */
const LOOKED_AT = 1_000;
const WORTH_IT = 0.01;

/**
 * One string for the values that are the same in many documents: that takes less memory, and they are told to be alike at
 * once. Of fields whose values are all different nothing is remembered.
 */
export class SharedStrings {
  readonly #strings = new Map<string, string>();
  #looked = 0;
  #found = 0;

  get remembered(): number {
    return this.#strings.size;
  }

  of(value: string): string {
    if (this.#looked >= LOOKED_AT && this.#found < this.#looked * WORTH_IT) return value;
    this.#looked++;
    const same = this.#strings.get(value);
    if (same === undefined) this.#strings.set(value, value);
    else this.#found++;
    return same ?? value;
  }
}
