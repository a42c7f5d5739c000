import type { Row, Span, Table } from './table.js';

/** A transaction that has taken effect in memory, but is not durable yet. */
export interface Unsettled {
  readonly tx: number;
  /** What each document was before, in the order of the changes. */
  readonly changed: readonly Before[];
  /** Its promise is fulfilled. */
  readonly settle: () => void;
  readonly fail: (error: Error) => void;
  /** Those who saw something of it; they hear whether it became durable. */
  readonly watchers: ((durable: boolean) => void)[];
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

  /** Everything up to `tx` is durable. */
  settle(tx: number): void {
    const count = this.#waiting.length === 0 ? 0 : Math.min(this.#waiting.length, tx - this.#waiting[0]!.tx + 1);
    const settled = this.#waiting.splice(0, count);
    for (const one of settled) {
      for (const { table, key } of one.changed) {
        const touched = this.#touched.get(table);
        if (touched?.get(key)?.tx === one.tx) touched.delete(key);
      }
    }
    for (const one of settled) {
      one.settle();
      for (const tell of one.watchers) tell(true);
    }
  }

  /** Takes all of them back, the newest first. */
  undo(error: Error): void {
    const undone = this.#waiting.splice(0);
    for (const { changed } of undone.toReversed()) for (const { table, key, row } of changed.toReversed()) table.set(key, row);
    this.#touched.clear();
    for (const one of undone) {
      one.fail(error);
      for (const tell of one.watchers) tell(false);
    }
  }
}
