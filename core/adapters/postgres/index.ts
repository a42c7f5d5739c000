/** `posthorn/postgres`: a store whose log is in PostgreSQL, for several processes of which one owns the data. */

import type { Logger } from '../../ports/logger.js';
import type { Store } from '../../ports/store.js';
import { ConsoleLogger } from '../log/console-logger.js';
import { LogStore } from '../store/index.js';
import { V8Heap } from '../v8-heap.js';
import { PostgresLog } from './postgres-log.js';

/** Options of `postgresStore`. Only `url` is required. */
export interface PostgresStoreOptions {
  /** `postgres://user:password@host/database`, with the parameters of libpq such as `sslmode`. */
  readonly url: string;
  /** The schema of the tables; `posthorn` if not given. Platforms with different data need different ones. */
  readonly schema?: string;
  /**
   * Real milliseconds after which a standby takes over from an owner that does not renew its lease; 3,000 if not given. The same in every
   * process.
   */
  readonly leaseMs?: number;
  /** The bytes of the log after a snapshot at which a standby writes the next one; 64 MiB if not given. */
  readonly snapshotEveryBytes?: number;
  /** The logger of the store; lines on standard error if not given. */
  readonly log?: Logger;
}

/** Larger appends keep callers waiting without making more of them durable per second. */
const BATCH_BYTES = 256 * 1024;
const SNAPSHOT_EVERY_BYTES = 64 * 1024 * 1024;

/**
 * A store whose journal is a table of PostgreSQL: `createPlatform({ plugins, secretKey, ports: { store: postgresStore({ url }) } })`.
 * Start the platform in several processes: one owns the data and serves calls, the others follow it and respond with 503. When the owner
 * ends, another one takes over.
 */
export function postgresStore({
  url,
  schema,
  leaseMs,
  snapshotEveryBytes = SNAPSHOT_EVERY_BYTES,
  log,
}: PostgresStoreOptions): Store & Required<Pick<Store, 'health' | 'ownership'>> {
  const { host, pathname } = new URL(url);
  const logger = log ?? new ConsoleLogger({ clock: { now: () => new Date() }, level: 'info' });
  const lines = new PostgresLog({ url, ...(schema !== undefined && { schema }), ...(leaseMs !== undefined && { leaseMs }) });
  const name = `the log in PostgreSQL at ${host}${pathname}`;
  return new LogStore({ lines, log: logger, name, heap: new V8Heap(), batchBytes: BATCH_BYTES, snapshotEveryBytes });
}
