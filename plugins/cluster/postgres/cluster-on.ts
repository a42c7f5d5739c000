import type { Logger, Ports } from '#core/ports';
import { ConsoleLogger } from '../../../core/adapters/log/console-logger.js';
import { V8Heap } from '../../../core/adapters/v8-heap.js';
import { workerPool } from '../../../core/adapters/workers/worker-pool.js';
import type { PlatformOptions } from '../../../core/platform/options.js';
import { version } from '../../../core/platform/version.js';
import { type Cluster, type ClusterParts, composeCluster, isMixed } from '../cluster.js';
import { type ClusterOptions, OF_SHARD } from './cluster-options.js';
import { LeaseTerm } from './lease-term.js';
import { type ColdOptions, coldOptions, logStoreOf } from './log-store-of.js';
import { PostgresDirectory } from './postgres-directory.js';
import { LEASE_MS } from './postgres-log.js';
import type { Servers } from './servers.js';
import { shardBlobs } from './shard-blobs.js';

/** `createCluster` with connections to the database and to other processes that the caller makes. */
export function clusterOn(
  servers: Servers,
  { platform, blobsOf, database, url, shards }: ClusterOptions,
  { cold, ...connections }: Pick<ClusterParts, 'agent'> & { readonly cold?: ColdOptions } = {},
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
      const store = logStoreOf({
        ...{ servers, schema, term, snapshotEveryBytes, log, heap, shard },
        owner: directory.self.id,
        mayUseFiles: () => !isMixed(directory),
        cold: { ...coldOptions(platform), ...cold },
      });
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
