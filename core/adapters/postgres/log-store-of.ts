import type { Heap } from '../../ports/heap.js';
import type { Logger } from '../../ports/logger.js';
import { LogStore } from '../store/index.js';
import { PostgresLog } from './postgres-log.js';

/** Larger appends keep callers waiting without making more of them durable per second. */
const BATCH_BYTES = 256 * 1024;
/** The bytes of a shard's log after a snapshot at which the next one is written, if the options do not say. */
export const SNAPSHOT_EVERY_BYTES = 64 * 1024 * 1024;

export interface LogStoreOfOptions {
  readonly url: string;
  readonly schema?: string;
  readonly leaseMs?: number;
  readonly snapshotEveryBytes?: number;
  readonly log: Logger;
  readonly heap: Heap;
  /** The shard of the log; `main` if not given. */
  readonly shard?: string;
  /** The name of this process in leases; a random one if not given. */
  readonly owner?: string;
}

/** A store whose journal is a shard of the log in PostgreSQL. */
export function logStoreOf({
  url,
  schema,
  leaseMs,
  snapshotEveryBytes = SNAPSHOT_EVERY_BYTES,
  log,
  heap,
  shard,
  owner,
}: LogStoreOfOptions): LogStore {
  const { host, pathname } = new URL(url);
  const lines = new PostgresLog({
    url,
    ...(schema !== undefined && { schema }),
    ...(leaseMs !== undefined && { leaseMs }),
    ...(owner !== undefined && { owner }),
  });
  const name = `the log${shard === undefined ? '' : ` of ${shard}`} in PostgreSQL at ${host}${pathname}`;
  return new LogStore({ lines, log, name, heap, batchBytes: BATCH_BYTES, snapshotEveryBytes, ...(shard !== undefined && { shard }) });
}
