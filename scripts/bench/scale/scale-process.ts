// A process under load in the benchmark of several processes: `node scale-process.js file <folder>` serves one platform with a data
// folder; `node scale-process.js cluster <folder> <schema> <port> <shards> [<ms of a lease>]` is one process of a cluster, in the database of
// POSTHORN_DATABASE_URL. Both listen on loopback, until the parent closes the IPC channel.
import Hapi from '@hapi/hapi';
import { createPlatform } from '#core';
import { channels } from '../../../plugins/channels/plugin.js';
import { createCluster } from '../../../plugins/cluster/postgres/cluster.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { ADMIN_KEY, SECRET_KEY } from '../../crash/member-keys.js';

/** The message to the benchmark when the process listens. */
export interface ScaleReady {
  readonly url: string;
}

/** The message to the benchmark on request. */
export interface ScaleMemory {
  readonly rss: number;
  readonly heapUsed: number;
  /** CPU milliseconds of the process since its start. */
  readonly cpuMs: number;
}

const HOST = '127.0.0.1';
const [, , mode, folder, schema, port = '0', shards, leaseMs] = process.argv as unknown as [
  string,
  string,
  'file' | 'cluster',
  string,
  ...string[],
];
const server = Hapi.server({ host: HOST, port: Number(port) });
const platform = {
  plugins: [channels(), webhooks()],
  admin: { key: ADMIN_KEY },
  secretKey: SECRET_KEY,
  dataDir: folder,
  rateLimits: false,
  privateTargets: 'allow',
  logLevel: 'error',
} as const;
const { hapiPlugin } =
  mode === 'file'
    ? createPlatform(platform)
    : createCluster({
        platform: { ...platform, publicUrl: `http://${HOST}` },
        database: { url: process.env.POSTHORN_DATABASE_URL!, schema: schema!, ...(leaseMs && { leaseMs: Number(leaseMs) }) },
        url: `http://${HOST}:${port}`,
        shards: Number(shards),
      });
await server.register(hapiPlugin as Hapi.Plugin<object>);
await server.start();
process.on('disconnect', () => void server.stop({ timeout: 500 }).finally(() => process.exit()));
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  process.send!({ rss, heapUsed, cpuMs: (user + system) / 1_000 } satisfies ScaleMemory);
});
process.send!({ url: server.info.uri } satisfies ScaleReady);
