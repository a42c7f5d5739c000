import type { Row, Span, Table } from './table.js';

/** A transaction that has taken effect in memory, but is not durable yet. */
export class Unsettled {
  readonly tx: number;
  /** What each document was before, in the order of the changes. */
  readonly changed: readonly Before[];
  readonly durable: Promise<void>;
  isDurable = false;
  /** Readers that saw something of it; they are told whether it became durable. */
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
    for (const tell of this.watchers) tell(true);
  }

  fail(error: Error): void {
    this.#reject(error);
    for (const tell of this.watchers) tell(false);
  }
}

export interface Before {
  readonly table: Table;
  readonly key: string;
  readonly row: Row | undefined;
}

/** A document as it was when it was durable last, and the newest transaction that changed it since. */
interface Touched {
  readonly row: Row | undefined;
  tx: number;
}

/** The transactions between memory and disk, oldest first, and which documents they touch. */
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

  /** The newest of them that changed this document; 0 if none did. */
  whichChanged(table: Table, key: string): number {
    return this.#touched.get(table)?.get(key)?.tx ?? 0;
  }

  /** The newest of them that changed what is, or was, in this span; 0 if none did. */
  whichChangedIn(table: Table, span: Span): number {
    let newest = 0;
    for (const [key, { row, tx }] of this.#touched.get(table) ?? []) {
      if (tx <= newest) continue;
      const now = table.get(key);
      if ((row && span.holds(row)) || (now && span.holds(now))) newest = tx;
    }
    return newest;
  }

  /** The newest of them that changed anything in this table; 0 if none did. */
  whichChangedAny(table: Table): number {
    return this.#touched.get(table)?.size ? table.changedBy : 0;
  }

  /** Whether the transaction will be durable; undefined when it is. */
  watch(tx: number): Promise<boolean> | undefined {
    const one = this.#waiting[tx - (this.#waiting[0]?.tx ?? 0)];
    return one && new Promise((resolve) => one.watchers.push(resolve));
  }

  /** Everything up to `tx` is durable. When it throws, call it again: none of them is left out. */
  settle(tx: number): void {
    let settled = 0;
    try {
      for (const one of this.#waiting) {
        if (one.tx > tx) break;
        for (const { table, key } of one.changed) {
          const touched = this.#touched.get(table);
          if (touched?.get(key)?.tx === one.tx) touched.delete(key);
        }
        one.settle();
        settled++;
      }
    } finally {
      this.#waiting.splice(0, settled);
    }
  }

  /** Takes all of them back, the newest first. */
  undo(error: Error): void {
    const undone = this.#waiting.splice(0);
    for (const one of undone.toReversed()) restore(one);
    this.#touched.clear();
    for (const one of undone) one.fail(error);
  }

  /** Takes back the newest one, of which a part may be missing. */
  withdraw(one: Unsettled): void {
    if (this.#waiting.at(-1) === one) this.#waiting.pop();
    restore(one);
    for (const { table, key, row } of one.changed) {
      const touched = this.#touched.get(table);
      const known = touched?.get(key);
      // Another row was durable last, so an older transaction among them has changed the document too: readers wait for that.
      if (known && known.row !== row) known.tx = Math.min(known.tx, one.tx - 1);
      else touched?.delete(key);
    }
  }
}

/** All are taken out before the first is put back: documents may have exchanged unique values, or one of them only half of it. */
function restore({ changed }: Unsettled): void {
  for (const { table, key } of changed) table.set(key, undefined);
  for (const { table, key, row } of changed) if (row) table.set(key, row);
}
