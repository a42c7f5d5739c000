/** `posthorn/postgres`: a store whose log is in PostgreSQL, for several processes of which one owns the data. */

import type { Logger, Store } from '#core/ports';
import { ConsoleLogger } from '../../../core/adapters/log/console-logger.js';
import { V8Heap } from '../../../core/adapters/v8-heap.js';
import { coldOptions, logStoreOf } from './log-store-of.js';
import { Servers } from './servers.js';

export type { ClusterView } from '../admin-routes.js';
export type { Cluster } from '../cluster.js';
export { type ClusterOptions, createCluster } from './cluster.js';

/** Options of `postgresStore`. Only `url` is required. */
export interface PostgresStoreOptions {
  /**
   * `postgres://user:password@host/database`, with the parameters of libpq such as `sslmode`. Several hosts, separated by commas, are the servers
   * of one database: the store uses the one that accepts writes.
   */
  readonly url: string;
  /** The password for each new connection, as of credentials that expire; that of the URL if not given. */
  readonly password?: () => string | Promise<string>;
  /**
   * The decision when the database has lost transactions, after a fail-over to a replica that lacked them, or after the restore of a backup: the
   * platform reports them and continues (`continue`, if not given), or serves nothing until an operator confirms the report (`stop`).
   */
  readonly afterLoss?: 'continue' | 'stop';
  /** The schema of the tables; `posthorn` if not given. Platforms with different data need different ones. */
  readonly schema?: string;
  /**
   * Real milliseconds after which a standby takes over from an owner that does not renew its lease; 3,000 if not given. The same in every
   * process.
   */
  readonly leaseMs?: number;
  /** The bytes of the log after a snapshot at which a standby writes the next one; 64 MiB if not given. */
  readonly snapshotEveryBytes?: number;
  /** Bytes of memory for documents in the database that were read lately; 32 MiB if not given. They count for `safeHeapBytes`. */
  readonly coldCacheBytes?: number;
  /** As the option of the platform. */
  readonly conversationsInMemoryHours?: number;
  /** The logger of the store; lines on standard error if not given. */
  readonly log?: Logger;
}

/**
 * A store whose journal is a table of PostgreSQL: `createPlatform({ plugins, secretKey, ports: { store: postgresStore({ url }) } })`.
 * Start the platform in several processes: one owns the data and serves calls, the others follow it and respond with 503. When the owner
 * ends, another one takes over.
 */
export function postgresStore({
  log,
  url,
  password,
  afterLoss,
  ...options
}: PostgresStoreOptions): Store & Required<Pick<Store, 'health' | 'ownership' | 'losses'>> {
  return logStoreOf({
    ...options,
    cold: coldOptions(options),
    servers: new Servers({ url, password, afterLoss }),
    log: log ?? new ConsoleLogger({ clock: { now: () => new Date() }, level: 'info' }),
    heap: new V8Heap(),
  });
}
