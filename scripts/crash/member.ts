// One process of a platform on PostgreSQL, until it is killed; its parent gets the URL: node member.js <schema> <shared folder>
import { start } from '../../sandbox/examples/with-standby.js';
import { ADMIN_KEY, SECRET_KEY } from './member-keys.js';

const [schema, sharedFolder] = process.argv.slice(2);
const server = await start({
  ...{ port: 0, schema: schema!, sharedFolder: sharedFolder!, adminKey: ADMIN_KEY, secretKey: SECRET_KEY },
  databaseUrl: process.env.POSTHORN_DATABASE_URL!,
  onTakenOver: () => process.exit(3),
});
process.on('disconnect', () => process.exit());
process.on('message', async () => {
  await server.stop();
  process.exit();
});
process.send!(server.info.uri);
