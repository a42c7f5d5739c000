import type { LogLines } from '../../ports/log.js';
import type { LiveOwner } from '../../ports/store.js';
import { type StoredChange, textOf } from './commit.js';
import { commitsIn } from './files/journal-file.js';
import type { LiveTable } from './tables/live-table.js';
import type { Table } from './tables/table.js';

/** Other work of the process runs at least this often while indexes are built. */
const MAX_TURN_MS = 50;

/** Applies the lines of a log to the tables, and to the owners of live collections. */
export class Tail {
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #owners: ReadonlyMap<string, LiveOwner<object>>;
  #lastTx = 0;
  #isIndexed = false;

  constructor(tables: readonly Table[], lives: readonly LiveTable[]) {
    this.#tables = new Map(tables.map((table) => [table.name, table]));
    this.#owners = new Map(lives.map(({ name, owner }) => [name, owner]));
  }

  /** The last transaction that is applied. */
  get lastTx(): number {
    return this.#lastTx;
  }

  /** Applies the transactions that are not applied yet. @throws Error when a line is damaged, or one is missing before it */
  apply({ first, last, lines }: LogLines): void {
    for (const { tx, changes } of commitsIn(Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength))) {
      if (tx <= this.#lastTx) continue;
      if (tx !== this.#lastTx + 1) throw new Error(`transactions ${first} to ${last} of the log contain ${tx} after ${this.#lastTx}`);
      for (const change of changes) this.#change(change);
      this.#lastTx = tx;
    }
  }

  /** Builds the indexes after the first lines: faster than keeping them up to date from the beginning. */
  async index(): Promise<void> {
    this.#isIndexed = true;
    for (const table of this.#tables.values()) {
      let pausedAt = performance.now();
      for (const _ of table.buildIndexes()) {
        if (performance.now() - pausedAt < MAX_TURN_MS) continue;
        await new Promise(setImmediate);
        pausedAt = performance.now();
      }
    }
  }

  #change(change: StoredChange): void {
    const { collection, key, kind } = change;
    const owner = this.#owners.get(collection);
    if (owner) {
      if (kind === 'patch') owner.patch(key, JSON.parse(textOf(change)));
      else if (kind === 'document') owner.put(JSON.parse(textOf(change)));
      else owner.delete(key);
      return;
    }
    const table = this.#tables.get(collection);
    const json = kind === 'document' ? textOf(change) : undefined;
    if (this.#isIndexed) table?.apply(key, json);
    else table?.load(key, json);
  }
}
