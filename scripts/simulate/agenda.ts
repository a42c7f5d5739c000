import type { Process } from './process.js';

/** Something that happens at a point of simulated time. */
export interface Entry {
  readonly at: number;
  /** Decides between entries of the same time. */
  readonly tie: number;
  readonly process: Process;
  readonly run: () => void;
  isCancelled: boolean;
}

/** Entries by time: a binary heap. */
export class Agenda {
  #entries: Entry[] = [];

  add(entry: Entry): void {
    const entries = this.#entries;
    let at = entries.length;
    entries.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(entry, entries[parent]!)) break;
      entries[at] = entries[parent]!;
      at = parent;
    }
    entries[at] = entry;
  }

  /** Removes the first entry. */
  next(): Entry | undefined {
    const entries = this.#entries;
    const first = entries[0];
    const last = entries.pop();
    if (last !== undefined && last !== first) this.#sink(last);
    return first;
  }

  peek(): Entry | undefined {
    return this.#entries[0];
  }

  /** Removes the entries of processes that have ended. */
  removeEnded(): void {
    const kept = this.#entries.filter(({ process, isCancelled }) => process.isAlive && !isCancelled);
    this.#entries = [];
    for (const entry of kept) this.add(entry);
  }

  /** Puts an entry into the place of the first. */
  #sink(entry: Entry): void {
    const entries = this.#entries;
    const half = entries.length >> 1;
    let at = 0;
    while (at < half) {
      let child = 2 * at + 1;
      if (child + 1 < entries.length && isBefore(entries[child + 1]!, entries[child]!)) child++;
      if (!isBefore(entries[child]!, entry)) break;
      entries[at] = entries[child]!;
      at = child;
    }
    entries[at] = entry;
  }
}

const isBefore = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.tie < b.tie);
