import type { Row, Span } from './cells.js';
import type { Table } from './table.js';

/** A transaction that is applied in memory but not durable yet. */
export class Unsettled {
  readonly tx: number;
  /** The previous row of each changed document, in the order of the changes. */
  readonly changed: readonly Before[];
  /** Functions that undo its changes of live collections, in the order of the changes; filled as they are applied. */
  readonly undo: (() => void)[] = [];
  readonly durable: Promise<void>;
  isDurable = false;
  /** Called with whether the transaction became durable, for readers that saw its writes. */
  readonly watchers: ((durable: boolean) => void)[] = [];
  #resolve!: () => void;
  #reject!: (error: Error) => void;

  constructor(tx: number, changed: readonly Before[]) {
    this.tx = tx;
    this.changed = changed;
    this.durable = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  settle(): void {
    this.isDurable = true;
    this.#resolve();
    for (const notify of this.watchers) notify(true);
  }

  fail(error: Error): void {
    this.#reject(error);
    for (const notify of this.watchers) notify(false);
  }
}

export interface Before {
  readonly table: Table;
  readonly key: string;
  readonly row: Row | undefined;
}

/** The last durable version of a document, and the newest transaction that changed it since. */
interface Touched {
  row: Row | undefined;
  tx: number;
}

/** The transactions between memory and disk, oldest first, and the documents they changed. */
export class UnsettledTransactions {
  readonly #waiting: Unsettled[] = [];
  readonly #touched = new Map<Table, Map<string, Touched>>();

  add(one: Unsettled): void {
    this.#waiting.push(one);
    for (const { table, key, row } of one.changed) {
      const touched = this.#touched.get(table) ?? new Map<string, Touched>();
      this.#touched.set(table, touched);
      const known = touched.get(key);
      if (known) known.tx = one.tx;
      else touched.set(key, { row, tx: one.tx });
    }
  }

  /** The newest of these transactions that changed this document; 0 if none. */
  whichChanged(table: Table, key: string): number {
    return this.#touched.get(table)?.get(key)?.tx ?? 0;
  }

  /** The newest of these transactions that changed a current or previous row of this span; 0 if none. */
  whichChangedIn(table: Table, span: Span): number {
    let newest = 0;
    for (const [key, { row, tx }] of this.#touched.get(table) ?? []) {
      if (tx <= newest) continue;
      const now = table.get(key);
      if ((row && span.contains(row)) || (now && span.contains(now))) newest = tx;
    }
    return newest;
  }

  /** The newest of these transactions that changed this table; 0 if none. */
  whichChangedAny(table: Table): number {
    return this.#touched.get(table)?.size ? table.changedBy : 0;
  }

  /** Whether the transaction becomes durable; undefined if it already is. */
  watch(tx: number): Promise<boolean> | undefined {
    const one = this.#waiting[tx - (this.#waiting[0]?.tx ?? 0)];
    return one && new Promise((resolve) => one.watchers.push(resolve));
  }

  /** Marks everything up to `tx` as durable. After a throw, call it again: no transaction is skipped. */
  settle(tx: number): void {
    let settled = 0;
    try {
      for (const one of this.#waiting) {
        if (one.tx > tx) break;
        for (const { table, key } of one.changed) {
          const touched = this.#touched.get(table);
          const known = touched?.get(key);
          if (known?.tx !== one.tx) continue;
          touched!.delete(key);
          // An old table of the map keeps this entry until the next full collection; the row must not stay with it.
          known.row = undefined;
        }
        one.settle();
        settled++;
      }
    } finally {
      this.#waiting.splice(0, settled);
    }
  }

  /** Rolls back all of them, newest first. */
  undo(error: Error): void {
    const undone = this.#waiting.splice(0);
    for (const one of undone.toReversed()) restore(one);
    this.#touched.clear();
    for (const one of undone) one.fail(error);
  }

  /** Rolls back the newest one, which may be only partially applied. */
  withdraw(one: Unsettled): void {
    if (this.#waiting.at(-1) === one) this.#waiting.pop();
    restore(one);
    for (const { table, key, row } of one.changed) {
      const touched = this.#touched.get(table);
      const known = touched?.get(key);
      // The last durable row is a different one, so an older pending transaction changed the document too. Readers wait for that transaction.
      if (known && known.row !== row) known.tx = Math.min(known.tx, one.tx - 1);
      else touched?.delete(key);
    }
  }
}

/** Deletes all documents before restoring any: they may have exchanged unique values, possibly only partially. */
function restore({ changed, undo }: Unsettled): void {
  for (const back of undo.toReversed()) back();
  for (const { table, key } of changed) table.replace(key, undefined);
  for (const { table, key, row } of changed) if (row) table.replace(key, row);
}
