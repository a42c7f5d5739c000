import type { Plugin as HapiPlugin, Server } from '@hapi/hapi';
import { createPlatform, type Platform } from '#core';
import type { Logger, Ports, WorkerBatch, WorkerPool } from '#core/ports';
import { NotReady } from '../../core/errors.js';
import type { PlatformOptions } from '../../core/platform/options.js';
import { areasOf, metersOf } from '../../core/platform/platform.js';
import { version } from '../../core/platform/version.js';
import { type ClusterView, viewOf } from './admin-routes.js';
import type { ClusterDirectory } from './directory.js';
import { AssignedShards } from './local-shards.js';
import { clusterPlugin } from './plugin.js';
import { HopSigner, passedOperator } from './routing/hop.js';
import { mountRouter } from './routing/router.js';
import { type CallAgent, ShardCalls } from './routing/shard-calls.js';
import { type OpenedShard, outerServer } from './shard-host.js';
import { forShard, stopPorts } from './shared-ports.js';

/** One process of a cluster. */
export interface Cluster {
  /** The plugin to register in a hapi server: it serves the API of all shards, and starts and stops with the server. */
  readonly hapiPlugin: HapiPlugin<object>;
  /** The owners of the shards, and warnings for the operator; as `GET /admin/v1/cluster`. */
  status(): ClusterView;
}

/** The parts that `composeCluster` puts together. */
export interface ClusterParts {
  /** Options of the platforms of all shards, without a store. */
  readonly platform: PlatformOptions & { readonly secretKey: string };
  readonly directory: ClusterDirectory;
  /** The ports of one shard, and the position of its store. */
  readonly storeOf: (shard: string) => Pick<OpenedShard, 'position'> & { readonly ports: Partial<Ports> };
  readonly log: Logger;
  /** Creates the workers that all shards of this process share, unless the platform has a pool; if not given, each shard has its own. */
  readonly workers?: (onBatch: (batch: WorkerBatch) => void) => WorkerPool;
  /** Called with the platform of each shard that this process opens, before it starts. */
  readonly onOpen?: (shard: string, platform: Platform) => void;
  /** Makes the calls to other processes; connections of HTTP if not given. */
  readonly agent?: CallAgent;
}

/** A call waits for a new owner for this many leases, and then gets 503. */
const PATIENCE = 2;

/** Composes one process of a cluster. Opens no connection; the start of the server does. */
export function composeCluster({ platform, directory, storeOf, log, workers, onOpen, agent }: ClusterParts): Cluster {
  const optionsOf = (shard: string) => ({ ...platform, plugins: [...platform.plugins, clusterPlugin(directory, shard)] });
  return {
    status: () => viewOf(directory),
    hapiPlugin: {
      name: `${platform.name ?? 'posthorn'}-cluster`,
      version,
      register(server: Server) {
        const signer = new HopSigner(platform.secretKey);
        const calls = new ShardCalls({ directory, signer, waitMs: () => PATIENCE * directory.leaseMs, ...(agent && { agent }) });
        // As other calls that concern the process: its first shard shows the batches of all.
        const pool = platform.ports?.workers ?? workers?.((batch) => local.first && metersOf(local.first)?.batch(batch));
        const shared: Partial<Ports> = { ...platform.ports, ...(pool && { workers: pool }) };
        const local: AssignedShards = new AssignedShards({
          directory,
          log,
          open(shard) {
            const { position, ports: own } = storeOf(shard);
            const ports = { ...shared, ...forShard(shared), ...own };
            const opened = createPlatform(
              { ...optionsOf(shard), ports },
              {
                claims: directory.claimsOf(shard),
                processes: { self: directory.self.id, isRunning: (id) => directory.members().some((member) => member.id === id) },
                isMixed: () => isMixed(directory),
                passedOperator: passedOperator(signer),
                clientOf: ({ headers }) => signer.clientOf(headers),
              },
            );
            onOpen?.(shard, opened);
            return { position, platform: opened };
          },
          outer: outerServer(server),
        });
        // Only its routes are used; it is never started.
        const { ports: _, dataDir: __, ...described } = optionsOf('');
        const areas = areasOf(createPlatform(described));
        const whyNotReady = (): NotReady | undefined => {
          const problem = directory.problem();
          if (problem !== undefined) return new NotReady(`the database cannot be reached: ${problem}`, 'directory_unavailable');
          return directory.shards.some((shard) => directory.ownerOf(shard))
            ? undefined
            : new NotReady('no shard has an owner yet', 'owner_missing');
        };
        const adminKey = platform.admin?.key;
        const hasAdmin = (platform.admin ?? platform.operators) !== undefined;
        mountRouter(server, { areas, adminKey, hasAdmin, directory, local, calls, signer, whyNotReady });
        server.ext('onPreStart', async () => {
          await directory.start();
          local.start();
        });
        server.ext('onPreStop', async () => {
          await local.stop();
        });
        server.ext('onPostStop', async () => {
          await calls.close();
          await stopPorts(shared);
          await directory.stop();
        });
      },
    },
  };
}

/** Whether a process of another release runs, which may become the owner of any shard. */
export const isMixed = (directory: ClusterDirectory): boolean =>
  directory.members().some((member) => member.version !== directory.self.version);
