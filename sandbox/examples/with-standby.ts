/**
 * A platform whose data is in PostgreSQL. Start it in two processes: one owns the data and serves, the other follows as a standby, and
 * takes over within seconds when the owner ends. A load balancer asks GET /ready, or repeats calls that get 503.
 */
import Hapi, { type Server } from '@hapi/hapi';
import { createPlatform } from 'posthorn';
import { channels } from 'posthorn/plugins/channels';
import { webhooks } from 'posthorn/plugins/webhooks';
import { postgresStore } from 'posthorn/postgres';

export interface Options {
  readonly port: number;
  /** `postgres://user:password@host/database`. Pass it in an environment variable: other users can see arguments. */
  readonly databaseUrl: string;
  /** 64 hexadecimal digits that encrypt secrets in the database; the same in every process. */
  readonly secretKey: string;
  readonly adminKey: string;
  /** A folder for media files that every process reaches, such as a network file system. */
  readonly sharedFolder: string;
  /** The schema of the tables, `posthorn` if not given. */
  readonly schema?: string;
  /** Called when another process has taken over although this one runs, such as after a pause. Restart the process then. */
  readonly onTakenOver: () => void;
}

export async function start({ port, databaseUrl, schema = 'posthorn', adminKey, secretKey, ...more }: Options): Promise<Server> {
  const server = Hapi.server({ port, host: '127.0.0.1' });
  const platform = createPlatform({
    plugins: [channels(), webhooks()],
    admin: { key: adminKey },
    secretKey,
    dataDir: more.sharedFolder,
    privateTargets: 'allow',
    ports: { store: postgresStore({ url: databaseUrl, schema }) },
  });
  await server.register(platform.hapiPlugin);
  platform.listen('store.failed', more.onTakenOver);
  // Also resolves in a standby. Its server responds to calls with 503 and Retry-After until it takes over.
  await server.start();
  return server;
}
