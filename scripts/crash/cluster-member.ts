// One process of a cluster, until it is killed; its parent gets the URL: node cluster-member.js <schema> <shared folder> <port>
import { start } from '../../sandbox/examples/cluster.js';
import { ADMIN_KEY, SECRET_KEY } from './member-keys.js';

const [schema, sharedFolder, port] = process.argv.slice(2);
const server = await start({
  ...{ port: Number(port), host: '127.0.0.1', schema: schema!, sharedFolder: sharedFolder!, adminKey: ADMIN_KEY, secretKey: SECRET_KEY },
  publicUrl: 'http://127.0.0.1:1',
  databaseUrl: process.env.POSTHORN_DATABASE_URL!,
});
process.on('disconnect', () => process.exit());
process.on('message', async () => {
  await server.stop();
  process.exit();
});
process.send!(server.info.uri);
