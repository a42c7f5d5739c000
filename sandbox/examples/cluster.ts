/**
 * One of several processes that serve the same platform. Start it as often as you like, on as many machines: every process responds to
 * every call, and when one ends, the others serve its numbers within seconds. A load balancer in front asks GET /ready.
 */
import Hapi, { type Server } from '@hapi/hapi';
import { channels } from 'posthorn/plugins/channels';
import { webhooks } from 'posthorn/plugins/webhooks';
import { createCluster } from 'posthorn/postgres';

export interface Options {
  readonly port: number;
  /** The address at which the other processes reach this one. */
  readonly host: string;
  /** The URL of the load balancer. */
  readonly publicUrl: string;
  /** Addresses of the load balancer, such as `10.1.0.0/16`: its `X-Forwarded-For` tells the addresses of clients. */
  readonly trustedProxies?: readonly string[];
  /** `postgres://user:password@host/database`. Pass it in an environment variable: other users can see arguments. */
  readonly databaseUrl: string;
  /** 64 hexadecimal digits, the same in every process. */
  readonly secretKey: string;
  readonly adminKey: string;
  /** A folder for media files that every process reaches, such as a network file system. */
  readonly sharedFolder: string;
  /** The schema of the tables, `posthorn` if not given. */
  readonly schema?: string;
}

export async function start({ port, host, publicUrl, databaseUrl, schema = 'posthorn', ...more }: Options): Promise<Server> {
  const server = Hapi.server({ port, host });
  const cluster = createCluster({
    platform: {
      plugins: [channels(), webhooks()],
      admin: { key: more.adminKey },
      secretKey: more.secretKey,
      publicUrl,
      trustedProxies: more.trustedProxies ?? [],
      dataDir: more.sharedFolder,
      privateTargets: 'allow',
    },
    database: { url: databaseUrl, schema },
    url: `http://${host}:${port}`,
  });
  await server.register(cluster.hapiPlugin);
  await server.start();
  return server;
}
