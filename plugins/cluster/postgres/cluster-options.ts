import type { Blobs, Ports } from '#core/ports';
import type { PlatformOptions } from '../../../core/platform/options.js';

/** Ports with the state of one shard. */
export const OF_SHARD = ['store', 'queue', 'bus', 'blobs'] as const;
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
