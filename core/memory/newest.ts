/** How many items, and how many bytes of them, are kept. */
export interface NewestLimits {
  readonly count: number;
  readonly bytes: number;
}

interface Kept<T> {
  readonly key: string;
  readonly item: T;
  readonly bytes: number;
}

/** The newest items, in memory only, within limits of number and bytes. The oldest are evicted first. */
export class Newest<T> {
  readonly #limits: NewestLimits;
  /** In the order of addition. A map, because removing the first element of a large array costs time that grows with it. */
  readonly #items = new Map<number, Kept<T>>();
  readonly #byKey = new Map<string, T[]>();
  #bytes = 0;
  #last = 0;

  constructor(limits: NewestLimits) {
    this.#limits = limits;
  }

  /** Adds an item under a key, which need not be unique. An item that alone exceeds the limit of bytes is kept until the next one. */
  add(key: string, item: T, bytes: number): void {
    this.#items.set(++this.#last, { key, item, bytes });
    const same = this.#byKey.get(key);
    if (same) same.push(item);
    else this.#byKey.set(key, [item]);
    this.#bytes += bytes;
    while (this.#items.size > this.#limits.count || (this.#bytes > this.#limits.bytes && this.#items.size > 1)) this.#evict();
  }

  /** The items with this key, oldest first. */
  of(key: string): readonly T[] {
    return this.#byKey.get(key) ?? [];
  }

  /** Every item, newest first. */
  *newestFirst(): Generator<T> {
    for (let at = this.#last; at > this.#last - this.#items.size; at--) yield this.#items.get(at)!.item;
  }

  /** Removes the items for which the condition holds. */
  remove(isRemoved: (item: T, key: string) => boolean): void {
    const kept = [...this.#items.values()].filter(({ item, key }) => !isRemoved(item, key));
    this.#items.clear();
    this.#byKey.clear();
    this.#bytes = 0;
    for (const { key, item, bytes } of kept) this.add(key, item, bytes);
  }

  #evict(): void {
    const [number, { key, bytes }] = this.#items.entries().next().value!;
    this.#items.delete(number);
    this.#bytes -= bytes;
    const same = this.#byKey.get(key)!;
    if (same.length === 1) this.#byKey.delete(key);
    else same.shift();
  }
}
