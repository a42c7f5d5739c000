import type { Entry, Slot } from './entry.js';

/** The slot of a delivery that is stored. */
export type StoredSlot = Slot & { current: Entry };

/** Positions at the front that are free after this many removals are given back. */
const MAX_FREE = 1_024;

/** Deliveries in ascending order of a rank that does not change while they are in the list. */
export class EntryList {
  readonly #rank: (entry: Entry) => number;
  #slots: (StoredSlot | undefined)[] = [];
  /** The first position in use: retention removes the oldest first, and moving all others for each would be slow. */
  #first = 0;
  /** Of the last position; undefined when it is not known. */
  #lastRank: number | undefined;

  constructor(rank: (entry: Entry) => number) {
    this.#rank = rank;
  }

  get size(): number {
    return this.#slots.length - this.#first;
  }

  /** Usually appends: new deliveries have the highest rank. */
  add(slot: StoredSlot): void {
    const slots = this.#slots;
    const rank = this.#rank(slot.current);
    const last = slots.at(-1)?.current;
    const lastRank = last && (this.#lastRank ?? this.#rank(last));
    if (lastRank === undefined || lastRank < rank || (lastRank === rank && last!.seq < slot.current.seq)) {
      slots.push(slot);
      this.#lastRank = rank;
    } else {
      slots.splice(this.#positionFor(slot.current), 0, slot);
      this.#lastRank = lastRank;
    }
  }

  /** The slot of the delivery with this seq, in a list by seq. */
  withSeq(seq: number): StoredSlot | undefined {
    const found = this.#slots[this.#positionOf(seq)];
    return found?.current.seq === seq ? found : undefined;
  }

  remove(slot: StoredSlot): void {
    let at = this.#positionOf(this.#rank(slot.current));
    // Several deliveries can have one rank.
    while (this.#slots[at] !== slot) {
      if (++at >= this.#slots.length) throw new Error('a delivery is not in its list');
    }
    if (at === this.#slots.length - 1) this.#lastRank = undefined;
    if (at > this.#first) {
      this.#slots.splice(at, 1);
      return;
    }
    this.#slots[at] = undefined;
    this.#first++;
    if (this.#first < MAX_FREE || this.#first < this.#slots.length / 2) return;
    this.#slots = this.#slots.slice(this.#first);
    this.#first = 0;
  }

  /** From the highest rank below `before`. */
  *descending(before = Number.POSITIVE_INFINITY): Generator<Entry> {
    for (let at = this.#positionOf(before) - 1; at >= this.#first; at--) yield this.#slots[at]!.current;
  }

  /** From the lowest rank above `after`. */
  *ascending(after = Number.NEGATIVE_INFINITY): Generator<Entry> {
    for (let at = this.#positionAfter(after); at < this.#slots.length; at++) yield this.#slots[at]!.current;
  }

  /** The place of an entry: by rank, and by seq among those with the same rank. */
  #positionFor(entry: Entry): number {
    const rank = this.#rank(entry);
    let at = this.#positionOf(rank);
    while (at < this.#slots.length) {
      const other = this.#slots[at]!.current;
      if (this.#rank(other) !== rank || other.seq > entry.seq) break;
      at++;
    }
    return at;
  }

  /** The first position with at least this rank. */
  #positionOf(rank: number): number {
    return this.#position((other) => other < rank);
  }

  /** The first position with a higher rank. */
  #positionAfter(rank: number): number {
    return this.#position((other) => other <= rank);
  }

  #position(isBefore: (rank: number) => boolean): number {
    let [low, high] = [this.#first, this.#slots.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.#rank(this.#slots[middle]!.current))) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
