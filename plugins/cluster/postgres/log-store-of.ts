import { withoutUndefined } from '#core';
import type { Heap, Logger } from '#core/ports';
import { LogStore, type LogStoreOptions } from '../../../core/adapters/store/index.js';
import type { PlatformOptions } from '../../../core/platform/options.js';
import type { LeaseTerm } from './lease-term.js';
import { PostgresLog } from './postgres-log.js';
import type { Servers } from './servers.js';

/** Larger appends keep callers waiting without making more of them durable per second. */
const BATCH_BYTES = 256 * 1024;
/** The bytes of a shard's log after a snapshot at which the next one is written, if the options do not say. */
export const SNAPSHOT_EVERY_BYTES = 64 * 1024 * 1024;

export interface LogStoreOfOptions {
  readonly servers: Servers;
  readonly schema?: string | undefined;
  readonly leaseMs?: number | undefined;
  /** Instead of `leaseMs`: the length of leases that the shards of this process share. */
  readonly term?: LeaseTerm;
  readonly snapshotEveryBytes?: number | undefined;
  readonly log: Logger;
  readonly heap: Heap;
  /** The shard of the log; `main` if not given. */
  readonly shard?: string;
  /** The name of this process in leases; a random one if not given. */
  readonly owner?: string;
  /** As that of `PostgresLogOptions`. */
  readonly mayUseFiles?: () => boolean;
  readonly cold?: ColdOptions | undefined;
}

/** How documents that need not be in memory are kept. */
export type ColdOptions = Pick<LogStoreOptions, 'partBytes' | 'coldCacheBytes' | 'coldAfterMs'>;

const HOUR_MS = 3_600_000;

export function coldOptions({
  coldCacheBytes,
  conversationsInMemoryHours: hours,
}: Pick<PlatformOptions, 'coldCacheBytes' | 'conversationsInMemoryHours'>): ColdOptions {
  const coldAfterMs = hours === undefined ? undefined : { 'core.conversations': hours * HOUR_MS, 'core.contacts': hours * HOUR_MS };
  return { coldCacheBytes, coldAfterMs };
}

/** A store whose journal is a shard of the log in PostgreSQL. */
export function logStoreOf({ snapshotEveryBytes = SNAPSHOT_EVERY_BYTES, heap, shard, cold, ...options }: LogStoreOfOptions): LogStore {
  const { servers, log } = options;
  const lines = new PostgresLog(withoutUndefined(options));
  const name = `the log${shard === undefined ? '' : ` of ${shard}`} in PostgreSQL at ${servers.name}`;
  return new LogStore({
    ...cold,
    lines,
    log,
    name,
    heap,
    batchBytes: BATCH_BYTES,
    snapshotEveryBytes,
    ...(shard !== undefined && { shard }),
  });
}
