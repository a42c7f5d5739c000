/** `posthorn/postgres`: a store whose log is in PostgreSQL, for several processes of which one owns the data. */

import type { Logger } from '../../ports/logger.js';
import type { Store } from '../../ports/store.js';
import { ConsoleLogger } from '../log/console-logger.js';
import { V8Heap } from '../v8-heap.js';
import { logStoreOf } from './log-store-of.js';

export type { Cluster } from '../../cluster/cluster.js';
export type { ClusterView } from '../../cluster/cluster-plugin.js';
export { type ClusterOptions, createCluster } from './cluster.js';

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

/**
 * A store whose journal is a table of PostgreSQL: `createPlatform({ plugins, secretKey, ports: { store: postgresStore({ url }) } })`.
 * Start the platform in several processes: one owns the data and serves calls, the others follow it and respond with 503. When the owner
 * ends, another one takes over.
 */
export function postgresStore({ log, ...options }: PostgresStoreOptions): Store & Required<Pick<Store, 'health' | 'ownership'>> {
  return logStoreOf({
    ...options,
    log: log ?? new ConsoleLogger({ clock: { now: () => new Date() }, level: 'info' }),
    heap: new V8Heap(),
  });
}
