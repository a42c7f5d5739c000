import type { Heap } from '../../ports/heap.js';
import type { Log } from '../../ports/log.js';
import type { Logger } from '../../ports/logger.js';

export interface LogStoreOptions {
  readonly lines: Log;
  readonly log: Logger;
  /** The name of the store in messages. */
  readonly name: string;
  /** Refuses to start when the data does not fit into this heap; not checked if not given. */
  readonly heap?: Heap;
  /** Approximate maximum size of one append. */
  readonly batchBytes?: number;
  /** The bytes of lines after a snapshot at which a standby writes the next one. */
  readonly snapshotEveryBytes: number;
  /** The size from which documents move into parts of snapshots; 1 MiB if not given. */
  readonly partBytes?: number;
  /** As those of `ColdTablesOptions`. */
  readonly coldCacheBytes?: number | undefined;
  readonly coldAfterMs?: Readonly<Record<string, number>> | undefined;
  /** The shard of the log; `main` if not given. */
  readonly shard?: string;
}

/** How far a process is with its shard. */
export interface LogPosition {
  readonly role: 'starting' | 'standby' | 'owner' | 'lost';
  /** The last transaction that is applied, or as the owner, durable. */
  readonly transaction: number;
  /** Milliseconds of the newest append, as the owner. */
  readonly flushMs?: number;
}
