/** Items of a chunk: an insertion moves half of them on average. */
const MAX_ITEMS = 512;
/** V8 gives a growing array room for 16 more items, which most conversations never fill. */
const EXACT_ITEMS = 16;

/**
 * A sorted list of unique items, in chunks. Adding after the last item, where most new documents belong, takes one comparison; a
 * tree compares at every level, which was most of the cost of an index (a tenth of the main thread's time per inbound message).
 * No call leaves a partial change when it throws.
 */
export class Sorted<Item> {
  #chunks: Item[][] = [];
  readonly #compare: (a: Item, b: Item) => number;

  constructor(compare: (a: Item, b: Item) => number) {
    this.#compare = compare;
  }

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  add(item: Item): void {
    const chunks = this.#chunks;
    const last = chunks.at(-1);
    if (!last) chunks.push([item]);
    else if (this.#compare(last.at(-1)!, item) >= 0) this.#insert(item);
    else if (last.length < MAX_ITEMS) this.#put(chunks.length - 1, last.length, item);
    else chunks.push([item]);
  }

  /** Replaces the contents. The caller guarantees that the items are in ascending order: a check would read every loaded document. */
  fill(items: readonly Item[]): void {
    const chunks: Item[][] = [];
    for (let start = 0; start < items.length; start += MAX_ITEMS) chunks.push(items.slice(start, start + MAX_ITEMS));
    this.#chunks = chunks;
  }

  /** Removes an item; does nothing if it is not in the list. */
  remove(item: Item): void {
    const before = (other: Item): boolean => this.#compare(other, item) < 0;
    const at = this.#chunkAfter(before);
    const chunk = this.#chunks[at];
    if (!chunk) return;
    const place = placeAfter(chunk, before);
    if (chunk[place] !== item) return;
    if (chunk.length === 1) this.#chunks.splice(at, 1);
    else chunk.splice(place, 1);
  }

  /** The items after those for which `isBefore` holds, ascending. Do not add or remove during the iteration. */
  *from(isBefore: (item: Item) => boolean): Generator<Item, void> {
    let at = this.#chunkAfter(isBefore);
    if (at === this.#chunks.length) return;
    for (let place = placeAfter(this.#chunks[at]!, isBefore); at < this.#chunks.length; at++, place = 0) {
      const chunk = this.#chunks[at]!;
      for (; place < chunk.length; place++) yield chunk[place]!;
    }
  }

  /** The items for which `isBefore` holds, descending. Do not add or remove during the iteration. */
  *backFrom(isBefore: (item: Item) => boolean): Generator<Item, void> {
    let at = this.#chunkAfter(isBefore);
    let place = at < this.#chunks.length ? placeAfter(this.#chunks[at]!, isBefore) : 0;
    for (;;) {
      while (place > 0) yield this.#chunks[at]![--place]!;
      if (at === 0) return;
      place = this.#chunks[--at]!.length;
    }
  }

  #insert(item: Item): void {
    const before = (other: Item): boolean => this.#compare(other, item) < 0;
    let at = this.#chunkAfter(before);
    const chunk = this.#chunks[at]!;
    if (chunk.length === MAX_ITEMS) {
      const half = MAX_ITEMS / 2;
      this.#chunks.splice(at, 1, chunk.slice(0, half), chunk.slice(half));
      if (before(chunk[half - 1]!)) at++;
    }
    this.#put(at, placeAfter(this.#chunks[at]!, before), item);
  }

  #put(at: number, place: number, item: Item): void {
    const chunk = this.#chunks[at]!;
    if (chunk.length < EXACT_ITEMS) this.#chunks[at] = chunk.toSpliced(place, 0, item);
    else if (place === chunk.length) chunk.push(item);
    else chunk.splice(place, 0, item);
  }

  /** The first chunk whose last item is not before; the number of chunks if there is none. */
  #chunkAfter(isBefore: (item: Item) => boolean): number {
    let [low, high] = [0, this.#chunks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.#chunks[middle]!.at(-1)!)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The first place whose item is not before; the length if there is none. */
export function placeAfter<Item>(chunk: readonly Item[], isBefore: (item: Item) => boolean): number {
  let [low, high] = [0, chunk.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(chunk[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
