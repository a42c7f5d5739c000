/**
 * A log keeps the transactions of a store as lines, in shards. The transactions of a shard are numbered from 1 without gaps. One process
 * at a time owns a shard and appends to it; the log itself refuses the appends of a previous owner, also if that process does not know that it lost the shard.
 */

/** The lines of consecutive transactions. */
export interface LogLines {
  /** The number of the first transaction. */
  readonly first: number;
  /** The number of the last transaction. */
  readonly last: number;
  /** One line for each transaction, with line ends. */
  readonly lines: Uint8Array;
}

/** The right of a process to append to a shard. */
export interface Lease {
  readonly shard: string;
  /** Grows with every owner of the shard. */
  readonly epoch: number;
}

/**
 * `durable`: the lines are in the log and stay there. `fenced`: they are not and never will be, because another process owns the shard.
 */
export type Appended = 'durable' | 'fenced';

/** All documents of a shard after a transaction, as lines. */
export interface LogSnapshot {
  readonly through: number;
  readonly parts: AsyncIterable<Uint8Array>;
}

/** Keeps the lines of a store. */
export interface Log {
  /** Opens the log. Rejects with a message that says what is wrong and what to do. */
  start(): Promise<void>;
  /** Releases all resources. Appends that are waiting reject. */
  stop(): Promise<void>;
  /**
   * Takes a shard that no process owns.
   * @param onlyReleased leaves a shard alone whose owner has not released it, although its lease is over
   * @returns undefined while another process owns it
   * @throws LogUnreachable
   */
  take(shard: string, onlyReleased?: boolean): Promise<Lease | undefined>;
  /** Extends a lease. @returns false when another process has taken the shard @throws LogUnreachable */
  renew(lease: Lease): Promise<boolean>;
  /** Gives the shard to the next process that takes it. @throws LogUnreachable */
  release(lease: Lease): Promise<void>;
  /**
   * The lines after transaction `after` up to the current end, in order.
   * @throws LogUnreachable
   * @throws Error when some of them are missing or damaged
   */
  read(shard: string, after: number): AsyncIterable<readonly LogLines[]>;
  /**
   * The first append of an owner, after transaction `lines.first - 1`: from then on all others are fenced.
   * @returns `behind` when the previous owner has appended meanwhile: read on, then try again
   */
  begin(lease: Lease, lines: LogLines): Promise<Appended | 'behind'>;
  /**
   * Calls the function after appends and releases of other processes, which it may miss. Call it again from time to time. Only in logs
   * that other processes can follow.
   */
  listen?(shard: string, wake: () => void): Promise<void>;
  /** The newest complete snapshot. Only in logs that keep snapshots with the lines. @throws LogUnreachable */
  readSnapshot?(shard: string): Promise<LogSnapshot | undefined>;
  /**
   * Stores a snapshot, for any process. Then removes lines that no process needs: those up to the snapshot before this one.
   * @throws LogUnreachable
   */
  writeSnapshot?(shard: string, snapshot: LogSnapshot): Promise<void>;
  /** Calls the listener with the reason while appends wait for the log, and with undefined when it is back. */
  onState?(listener: (reason: string | undefined) => void): void;
  /** Real milliseconds of a lease, from the start of `take` or `renew`. Without it, a lease lasts until another process ends it. */
  readonly leaseMs?: number;
  /**
   * Appends after transaction `lines.first - 1`. One append at a time. While it cannot find out whether the lines are durable, it
   * waits and tries again.
   * @throws Error when the lines are not in the log and never will be, such as on a full disk
   */
  append(lease: Lease, lines: LogLines): Promise<Appended>;
}

/** The log cannot be reached at the moment, or refuses everything, as with a full disk. */
export class LogUnreachable extends Error {
  override readonly name = 'LogUnreachable';
}
