import type { LogFile, LostDocument } from '../../../core/ports/log.js';

/** Lines of the log, as a row has them. */
export interface LogRow {
  readonly first: number;
  readonly last: number;
  readonly epoch: number;
  readonly lines: Buffer;
}

export interface LeaseRow {
  readonly owner: string;
  readonly epoch: number;
  /** Milliseconds by the clock of the database; negative infinity when it was released. */
  readonly until: number;
}

export interface SnapshotRow {
  readonly shard: string;
  readonly through: number;
  readonly writer: string;
  readonly parts: number;
  readonly files: readonly LogFile[] | null;
  readonly at: number;
}

/** A block of a file of snapshots. */
export interface BlockRow {
  readonly shard: string;
  readonly file: string;
  readonly block: number;
  readonly bytes: Buffer;
}

export interface PartRow {
  readonly shard: string;
  readonly through: number;
  readonly writer: string;
  readonly part: number;
  readonly lines: Buffer;
}

export interface LossRow {
  readonly id: string;
  readonly shard: string;
  readonly kept: number;
  readonly last: number;
  readonly acknowledged: boolean;
  readonly documents: readonly LostDocument[];
  readonly complete: boolean;
  readonly found_at: number;
  readonly confirmed_at: number | null;
}

export interface EntryRow {
  readonly kind: string;
  readonly key: string;
  readonly shard: string;
  readonly version: number;
  readonly removed: boolean;
}

export interface MemberRow {
  readonly url: string;
  readonly version: string;
  readonly draining: boolean;
  /** JSON. */
  readonly reports: string;
  readonly joined: number;
  readonly until: number;
}

export interface PlacementRow {
  readonly owner: string | null;
  readonly standby: string | null;
  readonly pinned: string | null;
}

/** A change of the tables that may have to be taken back. */
interface Undo {
  readonly at: number;
  readonly undo: () => void;
}

/**
 * The tables of a database, which remember how to take back their newest changes: a replica that lagged does not have them when it takes over.
 * Rows are replaced and never changed.
 */
export class Tables {
  readonly format = new Map<'lease_ms' | 'late_at' | 'version', number>();
  readonly leases = new Map<string, LeaseRow>();
  /** By shard, in order. */
  readonly log = new Map<string, LogRow[]>();
  readonly snapshots = new Map<string, SnapshotRow>();
  readonly parts = new Map<string, PartRow>();
  /** By shard and file, then by block. */
  readonly blocks = new Map<string, ReadonlyMap<number, BlockRow>>();
  readonly losses = new Map<string, LossRow>();
  readonly head = new Map<'version' | 'shards', number>();
  /** By a number of the row. */
  readonly entries = new Map<number, EntryRow>();
  readonly members = new Map<string, MemberRow>();
  readonly leader = new Map<'leader', { readonly id: string; readonly epoch: number }>();
  readonly placement = new Map<string, PlacementRow>();
  readonly #now: () => number;
  #undo: Undo[] = [];

  /** @param now true milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  set<K, V>(table: Map<K, V>, key: K, row: V): void {
    const before = table.get(key);
    const isNew = before === undefined;
    table.set(key, row);
    this.#remember(() => void (isNew ? table.delete(key) : table.set(key, before)));
  }

  delete<K, V>(table: Map<K, V>, key: K): void {
    const before = table.get(key);
    if (before === undefined) return;
    table.delete(key);
    this.#remember(() => void table.set(key, before));
  }

  appendLog(shard: string, row: LogRow): void {
    const rows = this.log.get(shard);
    if (rows) {
      rows.push(row);
      this.#remember(() => void rows.pop());
    } else this.set(this.log, shard, [row]);
  }

  /** Takes back everything that changed after a true time and may still be taken back. @returns the time of the first such change */
  rewind(to: number): number | undefined {
    let since: number | undefined;
    for (let last = this.#undo.at(-1); last && last.at > to; last = this.#undo.at(-1)) {
      this.#undo.pop();
      last.undo();
      since = last.at;
    }
    return since;
  }

  /** Nothing up to a true time is taken back any more. */
  keep(to: number): void {
    const at = this.#undo.findIndex((one) => one.at > to);
    this.#undo = at < 0 ? [] : this.#undo.slice(at);
  }

  #remember(undo: () => void): void {
    this.#undo.push({ at: this.#now(), undo });
  }
}
