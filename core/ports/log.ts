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
  /** The epoch of the owner that appended them; only when they are read, and only in logs that several processes share. */
  readonly epoch?: number;
}

/** A transaction that a process has seen in a shard. The same transaction of the same epoch has the same history before it. */
export interface LogPosition {
  readonly tx: number;
  /** The epoch of the owner that appended the transaction; undefined if it is not known. */
  readonly epoch?: number | undefined;
}

/** The right of a process to append to a shard. */
export interface Lease {
  readonly shard: string;
  /** Grows with every owner of the shard. No two owners have the same one, also if the log has lost the first of them. */
  readonly epoch: number;
}

/**
 * `durable`: the lines are in the log and stay there. `fenced`: they are not and never will be, because another process owns the shard.
 */
export type Appended = 'durable' | 'fenced';

/** All documents of a shard after a transaction, as lines. */
export interface LogSnapshot {
  readonly through: number;
  /** The epoch of transaction `through`; undefined if it is not known. */
  readonly epoch?: number | undefined;
  readonly parts: AsyncIterable<Uint8Array>;
}

/** A file of a snapshot. It never changes. */
export interface LogFile {
  /** Its name in a data folder; unique in the snapshot. */
  readonly name: string;
  /** Unique in the shard. */
  readonly id: string;
  readonly bytes: number;
}

/** The newest snapshot of a shard. */
export interface FoundSnapshot {
  /** Unique in the shard. */
  readonly id: string;
  readonly through: number;
  /** As that of `LogSnapshot`. */
  readonly epoch: number | undefined;
  /** The files with its documents; undefined if it is lines, which `readSnapshot` reads. */
  readonly files: readonly LogFile[] | undefined;
}

/**
 * Keeps snapshots as files, which are read in pieces. Snapshots share files: a new one lists those of the snapshot before it that are
 * still right. A file is kept while a snapshot lists it, and for some minutes after that, because processes may be reading it.
 */
export interface LogFiles {
  /**
   * Whether new snapshots may be files: not while a process may run whose release cannot read them. From the first time on, such a process
   * is refused.
   * @throws LogUnreachable
   */
  mayBeUsed(shard: string): Promise<boolean>;
  /** @throws LogUnreachable */
  newest(shard: string): Promise<FoundSnapshot | undefined>;
  /** Stores a block of a file: `LOG_BLOCK_BYTES`, the last one up to as many. @throws LogUnreachable */
  write(shard: string, id: string, block: number, bytes: Uint8Array): Promise<void>;
  /** Bytes of a file from a position, up to the first one that is missing; possibly fewer than were asked for. @throws LogUnreachable */
  read(shard: string, id: string, position: number, bytes: number): Promise<Uint8Array>;
  /**
   * Makes a snapshot the newest one, as `writeSnapshot` does. Then removes files that no snapshot lists.
   * @param after the snapshot before it; undefined if there was none
   * @param added the files that are new, with the number of their blocks
   * @throws LogUnreachable
   * @throws LogRewound when its last transaction, a new file or the snapshot before it is not there, or that is not the newest one
   */
  publish(
    shard: string,
    snapshot: Omit<FoundSnapshot, 'files'> & { readonly files: readonly LogFile[] },
    after: string | undefined,
    added: ReadonlyMap<string, number>,
  ): Promise<void>;
}

export const LOG_BLOCK_BYTES = 256 * 1024;

/** Keeps the lines of a store. */
export interface Log {
  /** Only in logs that keep snapshots as files: then documents of collections with `cold` need not be in memory. */
  readonly files?: LogFiles;
  /** Opens the log. Rejects with a message that says what is wrong and what to do. */
  start(): Promise<void>;
  /** Releases all resources. Appends that are waiting reject. */
  stop(): Promise<void>;
  /**
   * Takes a shard that no process owns.
   * @param onlyReleased leaves a shard alone whose owner has not released it, although its lease is over
   * @returns undefined while another process owns it
   * @throws LogUnreachable
   * @throws LogStopped while a loss keeps everyone from owning it, see `reportLoss`
   */
  take(shard: string, onlyReleased?: boolean): Promise<Lease | undefined>;
  /**
   * Extends a lease.
   * @param through the last transaction that this owner knows to be durable, once it has appended
   * @returns false when this process does not own the shard any more
   * @throws LogUnreachable
   * @throws LogRewound when that transaction is not in the log any more
   */
  renew(lease: Lease, through?: number): Promise<boolean>;
  /** Gives the shard to the next process that takes it. @throws LogUnreachable */
  release(lease: Lease): Promise<void>;
  /**
   * The lines after a position up to the current end, in order.
   * @throws LogUnreachable
   * @throws LogRewound when the transaction at that position is not in the log any more
   * @throws LogTrimmed when some of them are missing
   * @throws Error when some of them are damaged
   */
  read(shard: string, after: LogPosition): AsyncIterable<readonly LogLines[]>;
  /**
   * The first append of an owner, after the position at which its data ends: from then on all others are fenced.
   * @returns `behind` when the log does not end there, as when the previous owner has appended meanwhile: read on, then try again
   */
  begin(lease: Lease, after: LogPosition, lines: LogLines): Promise<Appended | 'behind'>;
  /**
   * Calls the function after appends and releases of other processes, which it may miss. Call it again from time to time. Only in logs
   * that other processes can follow.
   */
  listen?(shard: string, wake: () => void): Promise<void>;
  /** The newest complete snapshot. Only in logs that keep snapshots with the lines. @throws LogUnreachable */
  readSnapshot?(shard: string): Promise<LogSnapshot | undefined>;
  /**
   * Stores a snapshot, for any process. Then removes lines that no process needs: those before the last one of the snapshot before this one.
   * @throws LogUnreachable
   * @throws LogRewound when its last transaction is not in the log any more
   */
  writeSnapshot?(shard: string, snapshot: LogSnapshot): Promise<void>;
  /** Stores a report of a loss, for operators. @throws LogUnreachable */
  reportLoss?(loss: LogLoss): Promise<void>;
  /** The losses of all shards that were reported, newest first. @throws LogUnreachable */
  losses?(): Promise<readonly ReportedLoss[]>;
  /** An operator has seen a loss. @returns false when there is none with this id @throws LogUnreachable */
  confirmLoss?(id: string): Promise<boolean>;
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

/**
 * Transactions that a process has seen in the log of a shard, and that are not in it any more: its database has failed over to a replica
 * that lacked them, or was restored from a backup.
 */
export interface LogLoss {
  /** The same for every process that has seen the lost transactions. */
  readonly id: string;
  readonly shard: string;
  /** The last transaction that the log has kept. */
  readonly kept: number;
  /** The last transaction that vanished. */
  readonly last: number;
  /** Whether the process that reports the loss owned the shard, so that callers may have received a response for the transactions. */
  readonly isAcknowledged: boolean;
  /** The documents that the transactions wrote, as far as this process remembers them. */
  readonly documents: readonly LostDocument[];
  /** Whether `documents` has all of them. */
  readonly isComplete: boolean;
}

/** A document that a lost transaction wrote or deleted. */
export interface LostDocument {
  readonly collection: string;
  readonly key: string;
  /** `number <uuid>` or `account <name>`, if the document names its tenant. */
  readonly tenant?: string;
  /** The values that identify it besides its key, such as the id that a connector gave a message: the values of its unique indexes, by their names. */
  readonly unique?: Record<string, (string | number | boolean | null)[]>;
}

/** A loss as operators see it. */
export interface ReportedLoss extends LogLoss {
  /** ISO 8601. */
  readonly at: string;
  readonly isConfirmed: boolean;
}

/** The log ends before a transaction that this process has seen, or has another one in its place. */
export class LogRewound extends Error {
  override readonly name = 'LogRewound';
}

/** The log has no lines where a reader continues: a snapshot has replaced them. */
export class LogTrimmed extends Error {
  override readonly name = 'LogTrimmed';
}

/** No process may own the shard, because it has lost transactions and no operator has confirmed it. */
export class LogStopped extends Error {
  override readonly name = 'LogStopped';
}

/** The log cannot be reached at the moment, or refuses everything, as with a full disk. */
export class LogUnreachable extends Error {
  override readonly name = 'LogUnreachable';
}
