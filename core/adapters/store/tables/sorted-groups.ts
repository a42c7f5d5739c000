import { compareValues, type Entry } from '../../../ports/index-order.js';
import type { IndexValue } from '../../../ports/store.js';
import { placeAfter, Sorted } from './sorted.js';

/** How an index orders its items. */
export interface ItemOrder<Item> {
  readonly compare: (a: Item, b: Item) => number;
  /** Compares an item with the edge of a range. */
  readonly compareTo: (item: Item, edge: Entry) => number;
  /** The value of the first field. Undefined for an index in one group: one whose first field alone, such as a time, decides the order. */
  readonly group: ((item: Item) => IndexValue) | undefined;
}

/** The value of the only group of an index without groups. */
const EVERYTHING = null;

/**
 * The items of an index, in one list for each value of the first field, such as the number or the conversation: nearly every read and
 * write concerns one of them, and in a short list it finds its place with a few comparisons.
 */
export class SortedGroups<Item extends object> {
  /** A group of one item is that item: most conversations of an import have one message. */
  readonly #groups = new Map<IndexValue, Item | Sorted<Item>>();
  readonly #order: ItemOrder<Item>;
  /** Added items that get their places with the next read: many indexes are read rarely. */
  readonly #added = new Set<Item>();
  /** The values of the groups in order, sorted by the first read of several groups after a change. */
  #values: IndexValue[] | undefined;

  constructor(order: ItemOrder<Item>) {
    this.#order = order;
  }

  add(item: Item): void {
    this.#added.add(item);
  }

  #place(item: Item): void {
    const value = this.#groupOf(item);
    const group = this.#groups.get(value);
    if (group === undefined) {
      this.#values = undefined;
      this.#groups.set(value, item);
    } else if (group instanceof Sorted) group.add(item);
    else {
      const both = new Sorted<Item>(this.#order.compare);
      both.add(group);
      both.add(item);
      this.#groups.set(value, both);
    }
  }

  /** Removes an item; does nothing if it is not in the index. */
  remove(item: Item): void {
    if (this.#added.delete(item)) return;
    const value = this.#groupOf(item);
    const group = this.#groups.get(value);
    if (group instanceof Sorted) group.remove(item);
    if (group !== item && !(group instanceof Sorted && group.isEmpty)) return;
    this.#values = undefined;
    this.#groups.delete(value);
  }

  /** Fills an empty index with items in ascending order. @param groupOf the value by which an item is grouped */
  fill(items: readonly Item[], groupOf: (item: Item) => IndexValue): void {
    const groupIn = this.#order.group ? groupOf : () => EVERYTHING;
    for (let start = 0, end = 0; start < items.length; start = end) {
      const value = groupIn(items[start]!);
      while (end < items.length && groupIn(items[end]!) === value) end++;
      if (end - start === 1) this.#groups.set(value, items[start]!);
      else {
        const group = new Sorted<Item>(this.#order.compare);
        group.fill(items.slice(start, end));
        this.#groups.set(value, group);
      }
    }
  }

  /** Whether an item may have this value in its first field. */
  mayHave(value: IndexValue): boolean {
    this.#placeAdded();
    return !this.#order.group || this.#groups.has(value);
  }

  /** The items between two edges, ascending. Do not add or remove during the iteration. */
  *ascending(low: Entry, high: Entry): Generator<Item, void> {
    const { compareTo } = this.#order;
    const isBefore = (item: Item): boolean => compareTo(item, low) < 0;
    for (const value of this.#valuesBetween(low, high)) {
      for (const item of itemsFrom(this.#groups.get(value), isBefore)) {
        if (compareTo(item, high) > 0) return;
        yield item;
      }
    }
  }

  /** The items between two edges, descending. Do not add or remove during the iteration. */
  *descending(low: Entry, high: Entry): Generator<Item, void> {
    const { compareTo } = this.#order;
    const isBefore = (item: Item): boolean => compareTo(item, high) < 0;
    for (const value of this.#valuesBetween(low, high).toReversed()) {
      for (const item of itemsBackFrom(this.#groups.get(value), isBefore)) {
        if (compareTo(item, low) < 0) return;
        yield item;
      }
    }
  }

  #placeAdded(): void {
    for (const item of this.#added) {
      this.#place(item);
      this.#added.delete(item);
    }
  }

  #groupOf(item: Item): IndexValue {
    return this.#order.group ? this.#order.group(item) : EVERYTHING;
  }

  /** The values of the groups that may have items between two edges, ascending */
  #valuesBetween([low]: Entry, [high]: Entry): readonly IndexValue[] {
    this.#placeAdded();
    if (!this.#order.group) return [EVERYTHING];
    if (low === high && typeof low !== 'symbol') return [low!];
    this.#values ??= [...this.#groups.keys()].sort(compareValues);
    const start = placeAfter(this.#values, (value) => compareValues(value, low!) < 0);
    return this.#values.slice(
      start,
      placeAfter(this.#values, (value) => compareValues(value, high!) <= 0),
    );
  }
}

function itemsFrom<Item extends object>(group: Item | Sorted<Item> | undefined, isBefore: (item: Item) => boolean): Iterable<Item> {
  if (group instanceof Sorted) return group.from(isBefore);
  return group === undefined || isBefore(group) ? [] : [group];
}

function itemsBackFrom<Item extends object>(group: Item | Sorted<Item> | undefined, isBefore: (item: Item) => boolean): Iterable<Item> {
  if (group instanceof Sorted) return group.backFrom(isBefore);
  return group !== undefined && isBefore(group) ? [group] : [];
}
