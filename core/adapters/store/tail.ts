import type { LogLines, LogPosition } from '../../ports/log.js';
import type { LiveOwner } from '../../ports/store.js';
import type { ColdPart } from './cold/cold-part.js';
import { type Change, decodedText, type StoredChange } from './commit.js';
import { commitsIn } from './files/journal-file.js';
import { mergePatch } from './files/merge-patch.js';
import { ColdTable } from './tables/cold-table.js';
import { type LiveTable, loadLive } from './tables/live-table.js';
import type { Table } from './tables/table.js';

/** Other work of the process runs at least this often while indexes are built. */
const MAX_TURN_MS = 50;

/** Applies the lines of a log to the tables, and to the owners of live collections. */
export class Tail {
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #owners: ReadonlyMap<string, LiveOwner<object>>;
  /** Documents of collections that are not defined here, such as those of a plugin that is not loaded: a snapshot must keep them. */
  readonly #others = new Map<string, Map<string, string>>();
  /** Keys whose rows on disk, if there are some, are not masked yet. */
  readonly #unmasked = new Map<ColdTable, Set<string>>();
  #lastTx = 0;
  #epoch: number | undefined;
  #isIndexed = false;

  constructor(tables: readonly Table[], lives: readonly LiveTable[]) {
    this.#tables = new Map(tables.map((table) => [table.name, table]));
    this.#owners = new Map(lives.map(({ name, owner }) => [name, owner]));
  }

  /** The last transaction that is applied. */
  get lastTx(): number {
    return this.#lastTx;
  }

  /** Where the log continues. */
  get position(): LogPosition {
    return { tx: this.#lastTx, epoch: this.#epoch };
  }

  /** Applies the transactions that are not applied yet. @throws Error when a line is damaged, or one is missing before it */
  apply({ first, last, lines, epoch }: LogLines): void {
    for (const { tx, changes } of commitsIn(Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength))) {
      if (tx <= this.#lastTx) continue;
      if (tx !== this.#lastTx + 1) throw new Error(`transactions ${first} to ${last} of the log contain ${tx} after ${this.#lastTx}`);
      for (const change of changes) this.#change(change, tx);
      this.#lastTx = tx;
      this.#epoch = epoch;
    }
  }

  /** Applies a part of a snapshot. @throws Error when it is damaged */
  restore(part: Uint8Array): void {
    for (const { tx, changes } of commitsIn(Buffer.from(part.buffer, part.byteOffset, part.byteLength)))
      for (const change of changes) this.#change(change, tx);
  }

  /** The tables and owners got a snapshot of files, and the indexes are built. */
  restored(position: LogPosition): void {
    this.#isIndexed = true;
    this.#others.clear();
    this.startAfter(position);
  }

  /**
   * Masks the rows on disk of documents that were changed since. Until then, reads find both.
   * @param keysOf all keys of a part, if they can be read
   * @throws StoreUnavailable, and the next call does what is missing
   */
  async mask(keysOf: (table: ColdTable, part: ColdPart) => Promise<readonly string[] | undefined>): Promise<void> {
    for (const [table, keys] of this.#unmasked) {
      if (table.cold.parts.length > 0) await table.maskChanged(keys, (part) => keysOf(table, part));
      this.#unmasked.delete(table);
    }
  }

  /** Continues after a snapshot. */
  startAfter({ tx, epoch }: LogPosition): void {
    this.#lastTx = tx;
    this.#epoch = epoch;
  }

  /** Removes all documents, for another start from the beginning. @throws Error if an owner of a live collection cannot list its own */
  async reset(): Promise<void> {
    const documents = this.documents();
    if (!documents) throw new Error('the documents of a live collection cannot be removed; restart this process');
    let pausedAt = performance.now();
    for (const document of documents) {
      const { collection, key } = document();
      const table = this.#tables.get(collection);
      if (!table) this.#owners.get(collection)?.delete(key);
      else if (this.#isIndexed) table.apply(key, undefined);
      else table.load(key, undefined);
      if (performance.now() - pausedAt < MAX_TURN_MS) continue;
      await new Promise(setImmediate);
      pausedAt = performance.now();
    }
    this.#others.clear();
    this.#unmasked.clear();
    this.startAfter({ tx: 0 });
  }

  /** All documents in memory as they are now, each as a function that gives its JSON. Undefined if an owner of a live collection cannot list its own. */
  documents(): (() => Change)[] | undefined {
    const all: (() => Change)[] = [];
    for (const [collection, table] of this.#tables)
      for (const row of table.keySpan().rows()) all.push(() => ({ collection, key: row.key, json: row.json }));
    for (const [collection, owner] of this.#owners) {
      const documents = owner.documents?.();
      if (!documents) return undefined;
      for (const { key, toJson } of documents) all.push(() => ({ collection, key, json: toJson() }));
    }
    for (const [collection, documents] of this.#others) for (const [key, json] of documents) all.push(() => ({ collection, key, json }));
    return all;
  }

  /** Builds the indexes after the first lines: faster than keeping them up to date from the beginning. */
  async index(): Promise<void> {
    if (this.#isIndexed) return;
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

  #change(change: StoredChange, tx: number): void {
    const { collection, key, kind } = change;
    const owner = this.#owners.get(collection);
    if (owner) {
      if (kind === 'patch') owner.patch(key, JSON.parse(decodedText(change)));
      else if (kind === 'document') loadLive(owner, change);
      else owner.delete(key);
      return;
    }
    const table = this.#tables.get(collection);
    if (!table) {
      this.#keep(change);
      return;
    }
    const json = kind === 'document' ? decodedText(change) : undefined;
    if (this.#isIndexed) table.apply(key, json);
    else table.load(key, json);
    if (!(table instanceof ColdTable)) return;
    table.latest.set(key, tx);
    const keys = this.#unmasked.get(table) ?? new Set();
    this.#unmasked.set(table, keys.add(key));
  }

  #keep(change: StoredChange): void {
    const { collection, key, kind } = change;
    const documents = this.#others.get(collection) ?? new Map<string, string>();
    this.#others.set(collection, documents);
    if (kind === 'deletion') documents.delete(key);
    else if (kind === 'document') documents.set(key, decodedText(change));
    else documents.set(key, JSON.stringify(mergePatch(JSON.parse(documents.get(key) ?? '{}'), JSON.parse(decodedText(change)))));
  }
}
