// One process of a cluster, until it is killed; its parent gets the URL: node cluster-member.js <schema> <shared folder> <port> <ms of a lease>
// <shards> <URL for the other processes>
import Hapi from '@hapi/hapi';
import { channels } from '../../plugins/channels/plugin.js';
import { createCluster } from '../../plugins/cluster/postgres/index.js';
import { webhooks } from '../../plugins/webhooks/plugin.js';
import { ADMIN_KEY, SECRET_KEY } from './member-keys.js';

const [schema, dataDir, port, leaseMs, shards, url] = process.argv.slice(2) as [string, string, string, string, string, string];
const server = Hapi.server({ port: Number(port), host: '127.0.0.1' });
const { hapiPlugin } = createCluster({
  platform: {
    plugins: [channels(), webhooks()],
    admin: { key: ADMIN_KEY },
    secretKey: SECRET_KEY,
    publicUrl: 'http://127.0.0.1:1',
    dataDir,
    privateTargets: 'allow',
  },
  database: { url: process.env.POSTHORN_DATABASE_URL!, schema, leaseMs: Number(leaseMs) },
  url,
  shards: Number(shards),
});
await server.register(hapiPlugin);
await server.start();
process.on('disconnect', () => process.exit());
process.on('message', async () => {
  await server.stop();
  process.exit();
});
process.send!(server.info.uri);
