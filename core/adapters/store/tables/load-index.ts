import { compareKeys, compareValues, type Entry } from '../../../ports/index-order.js';

/** Sorts items by key, in place. A snapshot already has them in this order. */
export function inKeyOrder<Item>(items: Item[], keyOf: (item: Item) => string): Item[] {
  const isSorted = items.every((item, i) => i === 0 || keyOf(items[i - 1]!) < keyOf(item));
  return isSorted ? items : items.sort((a, b) => compareKeys(keyOf(a), keyOf(b)));
}

/**
 * Sorts items from key order into index order, field by field: a value that many documents share, such as their number, is
 * compared once and not per document.
 * @param fields the number of index fields before the key
 */
export function inIndexOrder<Item>(items: readonly Item[], valueIn: (item: Item, field: number) => Entry[number], fields: number): Item[] {
  const sorted: Item[] = [];
  sort([...items], 0);
  return sorted;

  function compare(a: Item, b: Item, from: number): number {
    for (let field = from; field < fields; field++) {
      const order = compareValues(valueIn(a, field), valueIn(b, field));
      if (order !== 0) return order;
    }
    return 0;
  }

  function sort(unsorted: Item[], field: number): void {
    if (unsorted.length < 2 || field === fields) {
      for (const item of unsorted) sorted.push(item);
      return;
    }
    if (unsorted.length <= FEW) {
      for (const item of unsorted.sort((a, b) => compare(a, b, field))) sorted.push(item);
      return;
    }
    const byValue = new Map<Entry[number], Item | Group<Item>>();
    for (const item of unsorted) {
      const value = valueIn(item, field);
      const group = byValue.get(value);
      if (group === undefined) byValue.set(value, item);
      else if (group instanceof Group) group.items.push(item);
      else byValue.set(value, new Group([group, item]));
    }
    for (const value of [...byValue.keys()].sort(compareValues)) {
      const group = byValue.get(value)!;
      if (group instanceof Group) sort(group.items, field + 1);
      else sorted.push(group);
    }
  }
}

/** Up to this many items are compared with each other instead of grouped, such as the messages of one conversation. */
const FEW = 64;

/** Items with the same value. */
class Group<Item> {
  readonly items: Item[];

  constructor(items: Item[]) {
    this.items = items;
  }
}

/** Sample size for deciding whether the values of a field repeat. */
const SAMPLE_SIZE = 1_000;
const MIN_HIT_RATE = 0.01;

/**
 * Shares one string between documents with equal values, which saves memory and makes comparisons immediate. Stops for fields
 * whose values do not repeat.
 */
export class SharedStrings {
  readonly #strings = new Map<string, string>();
  #sampled = 0;
  #hits = 0;

  get size(): number {
    return this.#strings.size;
  }

  of(value: string): string {
    if (this.#sampled >= SAMPLE_SIZE && this.#hits < this.#sampled * MIN_HIT_RATE) return value;
    this.#sampled++;
    const same = this.#strings.get(value);
    if (same === undefined) this.#strings.set(value, value);
    else this.#hits++;
    return same ?? value;
  }
}
