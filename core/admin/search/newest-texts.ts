import { setTimeout as wait } from 'node:timers/promises';
import type { SearchPlace } from '../../contract/search.js';
import { folded } from './query.js';

/** The text of a record in its folded form. */
export interface TextRow {
  readonly id: string;
  readonly at: string;
  readonly number: string;
  text: string;
}

interface TextsOptions {
  readonly maxBytes: () => number;
  readonly now: () => Date;
  readonly numbers: () => Promise<readonly { readonly uuid: string }[]>;
  /** The rows of a number before one, newest first; at most `PAGE`. */
  readonly older: (number: string, before: TextRow | undefined) => Promise<readonly TextRow[]>;
  /** Called before texts are kept. A platform without searches listens to nothing for them. */
  readonly onBegin: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** Rows of a number that are read together. */
export const PAGE = 50;
/** Rows in a block. */
const BLOCK = 200;
const FIRST_BLOCKS = 8;
const AFTER_ALL_IDS = '~';

/** The place after which records of this time are searched again. It names none of them: the operator may not see the last one. */
export const from = (at: string): SearchPlace => ({ at, id: AFTER_ALL_IDS });
/** Approximate heap of a row without its text. */
const ROW_BYTES = 300;
/** A transaction that takes longer may be missing until the platform starts again. */
const SLOWEST_COMMIT_MS = 60_000;
/** How often a search looks for records that were read since. */
const POLL_MS = 2;
/** The rest of a longer text is not searched. */
const MAX_TEXT = 4_096;

export const textRow = (id: string, at: string, number: string, text: string): TextRow => ({
  id,
  at,
  number,
  text: folded(text.slice(0, MAX_TEXT)),
});

/** Whether a result is shown after another one. */
export const isAfter = (one: SearchPlace, other: SearchPlace): boolean =>
  one.at < other.at || (one.at === other.at && other.id !== undefined && (one.id ?? '') < other.id);

/**
 * The texts of the newest records in memory, because reading a record from the store takes ten times as long as comparing its text. Nothing is
 * kept before the first search. It reads the older records in the background; `put` adds those that are made later.
 */
export class NewestTexts {
  readonly #options: TextsOptions;
  /** The newest block first; in a block the oldest row first. */
  #blocks: TextRow[][] = [];
  #rows = new Map<string, TextRow>();
  #bytes = 0;
  #state: 'off' | 'reading' | 'full' | 'complete' = 'off';
  #beganAt = '';
  /** Differs after each `clear`, which ends the reading. */
  #run = 0;

  constructor(options: TextsOptions) {
    this.#options = options;
  }

  /** Begins to keep texts. */
  begin(): void {
    if (this.#state !== 'off') return;
    this.#options.onBegin();
    this.#state = 'reading';
    this.#beganAt = this.#options.now().toISOString();
    const run = ++this.#run;
    this.#read(run).catch((error: unknown) => {
      if (run !== this.#run) return;
      this.#state = 'full';
      this.#options.onFailure(error);
    });
  }

  get isOn(): boolean {
    return this.#state !== 'off';
  }

  /** Removes all texts. The next search begins again. */
  clear(): void {
    this.#run++;
    this.#state = 'off';
    this.#blocks = [];
    this.#rows = new Map();
    this.#bytes = 0;
  }

  /** Adds a new record, or changes the text of one. */
  put(row: TextRow): void {
    if (this.#state === 'off') return;
    const known = this.#rows.get(row.id);
    if (known) {
      this.#bytes += row.text.length - known.text.length;
      known.text = row.text;
      return;
    }
    // A record that the reading has not reached.
    if (this.rest && Date.parse(row.at) < Date.parse(this.rest.at) - SLOWEST_COMMIT_MS) return;
    const [newest] = this.#blocks;
    if (!newest || (newest.length >= BLOCK && isAfter(newest.at(-1)!, row))) this.#blocks.unshift([]);
    const block = this.#blocks.find(([oldest]) => !oldest || isAfter(oldest, row)) ?? this.#blocks.at(-1)!;
    // Transactions do not end in the order in which they have begun.
    let at = block.length;
    while (at > 0 && isAfter(row, block[at - 1]!)) at--;
    block.splice(at, 0, row);
    this.#added(row);
    while (this.#bytes > this.#options.maxBytes() && this.#blocks.length > 1) this.#dropOldest();
  }

  /** A text that is empty has no words, so that no search finds it. */
  remove(ids: readonly string[]): void {
    for (const id of ids) {
      const row = this.#rows.get(id);
      if (!row) continue;
      this.#bytes -= row.text.length;
      row.text = '';
    }
  }

  /** The blocks, the newest first. While older records are read, it waits for them as long as there is time. */
  async *newestFirst(goOn: () => Promise<boolean>): AsyncGenerator<readonly TextRow[]> {
    for (let last: TextRow[] | undefined; ; ) {
      const place = last ? this.#blocks.indexOf(last) : -1;
      const isDropped = last !== undefined && place < 0;
      const next = this.#blocks[place + 1];
      if (next && !isDropped) {
        yield next;
        last = next;
      } else if (isDropped || this.#state !== 'reading' || !(await goOn())) return;
      else await wait(POLL_MS);
    }
  }

  /**
   * The place before which nothing is known; undefined if everything is. A later search can continue there while older records are read. It names no
   * record, because the operator may not see that one.
   */
  get rest(): SearchPlace | undefined {
    if (this.#state === 'complete') return undefined;
    const { at } = this.#blocks.at(-1)?.[0] ?? { at: this.#beganAt };
    return this.#state === 'full' ? { at } : from(at);
  }

  /** The same for a search that has seen the blocks up to one: it may have ended before blocks that were read since. */
  restAfter(last: readonly TextRow[] | undefined): SearchPlace | undefined {
    const place = last ? this.#blocks.indexOf(last as TextRow[]) : -1;
    const isDropped = last !== undefined && place < 0;
    return !isDropped && place + 1 < this.#blocks.length ? from(last?.[0]?.at ?? this.#beganAt) : this.rest;
  }

  #added(row: TextRow): void {
    this.#rows.set(row.id, row);
    this.#bytes += ROW_BYTES + row.text.length;
  }

  #dropOldest(): void {
    for (const { id, text } of this.#blocks.pop()!) {
      this.#rows.delete(id);
      this.#bytes -= ROW_BYTES + text.length;
    }
    this.#state = 'full';
  }

  /** Reads the records of all numbers from the newest to the oldest. */
  async #read(run: number): Promise<void> {
    const tails = (await this.#options.numbers()).map(({ uuid }) => ({
      number: uuid,
      rows: [] as TextRow[],
      last: undefined as TextRow | undefined,
      isAtEnd: false,
    }));
    for (let block: TextRow[] = []; run === this.#run; ) {
      for (const tail of tails) {
        if (tail.rows.length > 0 || tail.isAtEnd) continue;
        const began = performance.now();
        const page = await this.#options.older(tail.number, tail.last);
        tail.isAtEnd = page.length < PAGE;
        tail.last = page.at(-1) ?? tail.last;
        tail.rows = page.toReversed();
        // Half of the time is for the other work of the process.
        await wait(performance.now() - began, undefined, { ref: false });
        if (run !== this.#run) return;
      }
      let newest: (typeof tails)[number] | undefined;
      for (const tail of tails) if (tail.rows.length > 0 && (!newest || isAfter(newest.rows.at(-1)!, tail.rows.at(-1)!))) newest = tail;
      const row = newest?.rows.pop();
      // It may be one that was put since.
      if (row && !this.#rows.has(row.id)) {
        block.push(row);
        this.#added(row);
      }
      const isFull = this.#bytes > this.#options.maxBytes() || this.#state === 'full';
      // The first search waits for the first blocks.
      const size = this.#blocks.length < FIRST_BLOCKS ? PAGE : BLOCK;
      if (block.length >= size || ((!row || isFull) && block.length > 0)) {
        this.#blocks.push(block.reverse());
        block = [];
      }
      if (row && !isFull) continue;
      this.#state = row ? 'full' : 'complete';
      return;
    }
  }
}
