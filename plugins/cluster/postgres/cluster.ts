import type { Blobs, Logger, Ports } from '#core/ports';
import { ConsoleLogger } from '../../../core/adapters/log/console-logger.js';
import { V8Heap } from '../../../core/adapters/v8-heap.js';
import { workerPool } from '../../../core/adapters/workers/worker-pool.js';
import type { PlatformOptions } from '../../../core/platform/options.js';
import { version } from '../../../core/platform/version.js';
import { type Cluster, type ClusterParts, composeCluster } from '../cluster.js';
import { LeaseTerm } from './lease-term.js';
import { logStoreOf } from './log-store-of.js';
import { PostgresDirectory } from './postgres-directory.js';
import { LEASE_MS } from './postgres-log.js';
import { Servers } from './servers.js';
import { shardBlobs } from './shard-blobs.js';

/** Ports with the state of one shard. */
const OF_SHARD = ['store', 'queue', 'bus', 'blobs'] as const;
type OfShard = (typeof OF_SHARD)[number];

/** Options of `createCluster`. */
export interface ClusterOptions {
  /** The options of the platform, without a store. */
  readonly platform: Omit<PlatformOptions, 'ports' | 'secretKey' | 'publicUrl'> & {
    /** 64 hexadecimal digits, the same in every process: it encrypts secrets in the database, and signs calls between processes. */
    readonly secretKey: string;
    /** The URL of the load balancer, at which clients reach any of the processes. */
    readonly publicUrl: string;
    /** All shards of the process share them. Each has a store, a queue, a bus and blobs of its own. */
    readonly ports?: Omit<Partial<Ports>, OfShard>;
  };
  /**
   * The media files of a shard; in a folder of `platform.dataDir` if not given. Shards must not share files: each deletes those that it no
   * longer needs.
   */
  readonly blobsOf?: (shard: string) => Blobs;
  readonly database: {
    /**
     * `postgres://user:password@host/database`, with the parameters of libpq such as `sslmode`. Several hosts, separated by commas, are the
     * servers of one database: the cluster uses the one that accepts writes.
     */
    readonly url: string;
    /** The password for each new connection, as of credentials that expire; that of the URL if not given. */
    readonly password?: () => string | Promise<string>;
    /**
     * The decision when the database has lost transactions, after a fail-over to a replica that lacked them, or after the restore of a backup: the
     * cluster reports them and continues (`continue`, if not given), or serves no shard that has lost any until an operator confirms the
     * report (`stop`).
     */
    readonly afterLoss?: 'continue' | 'stop';
    /** The schema of the tables; `posthorn` if not given. */
    readonly schema?: string;
    /** Real milliseconds after which a standby takes over a shard whose owner does not renew its lease; 3,000 if not given. */
    readonly leaseMs?: number;
    /** The bytes of a shard's log after a snapshot at which its standby writes the next one; 64 MiB if not given. */
    readonly snapshotEveryBytes?: number;
  };
  /** The URL at which the other processes call this one: `http://10.0.0.3:8080`. Without the route prefix. */
  readonly url: string;
  /** The number of shards when the database is set up; 4 if not given. Later it is that of the database. */
  readonly shards?: number;
}

/**
 * One of several processes that serve the same platform, with its data in PostgreSQL. Every process responds to every call. The numbers are
 * divided into shards; each shard is in the memory of the process that owns it, and of a standby that takes over when the owner ends.
 */
export const createCluster = (options: ClusterOptions): Cluster => clusterOn(new Servers(options.database), options);

/** The same, with connections to the database and to other processes that the caller makes. */
export function clusterOn(
  servers: Servers,
  { platform, blobsOf, database, url, shards }: ClusterOptions,
  connections: Pick<ClusterParts, 'agent'> = {},
): Cluster {
  const { schema = 'posthorn', leaseMs = LEASE_MS, snapshotEveryBytes } = database;
  for (const port of OF_SHARD)
    if ((platform.ports as Partial<Ports> | undefined)?.[port])
      throw new TypeError(`ports.${port} cannot be shared by shards: ${port === 'blobs' ? 'pass blobsOf instead' : 'remove it'}`);
  refuseGlobal(platform.plugins);
  if (!URL.canParse(url))
    throw new TypeError('url is required: the URL at which the other processes call this one, such as http://10.0.0.3:8080');
  const log: Logger = platform.ports?.log ?? new ConsoleLogger({ clock: { now: () => new Date() }, level: platform.logLevel ?? 'info' });
  const term = new LeaseTerm({ baseMs: leaseMs, log });
  const directory = new PostgresDirectory({
    servers,
    schema,
    term,
    log,
    ...(shards !== undefined && { shards }),
    member: { url: url.replace(/\/+$/, ''), version },
  });
  const heap = platform.ports?.heap ?? new V8Heap();
  return composeCluster({
    ...connections,
    platform,
    directory,
    log,
    workers: (onBatch) => workerPool({ heap, log, onBatch }),
    storeOf(shard) {
      const store = logStoreOf({ servers, schema, term, snapshotEveryBytes, log, heap, shard, owner: directory.self.id });
      const blobs = blobsOf?.(shard) ?? (platform.dataDir === undefined ? undefined : shardBlobs(platform.dataDir, shard));
      return { position: () => store.position(), ports: { store, ...(blobs && { blobs }) } };
    },
  });
}

/** A document of the whole installation would have a copy in each shard, and a transaction changes only one of them. */
function refuseGlobal(plugins: PlatformOptions['plugins']): void {
  for (const { manifest } of plugins)
    for (const [name, { tenant }] of Object.entries(manifest.collections ?? {}))
      if (tenant && 'global' in tenant)
        throw new TypeError(
          `collection ${manifest.name}.${name} is declared global, and a cluster has no documents of the whole installation: declare how the tenant of a document is found, or use one process with a standby`,
        );
}
