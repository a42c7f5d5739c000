// A flow operator in its own process: POST /accounts creates a business account and returns its token.
import Hapi from '@hapi/hapi';
import { createPlatform } from '#core';
import { flows } from '../../plugins/flows/plugin.js';

const server = Hapi.server({ port: 0, host: '127.0.0.1' });
const platform = createPlatform({ plugins: [flows()], rateLimits: false });
await server.register(platform.hapiPlugin);
let made = 0;
server.route({
  method: 'POST',
  path: '/accounts',
  handler: () =>
    platform.store.transaction((tx) => {
      const account = `account ${++made}`;
      const { uuid } = platform.numbers.create(tx, { kind: 'network', type: 'network', address: `desk:${made}`, name: account, account });
      return platform.tokens.issue(tx, uuid, 'operator').text;
    }),
});
await server.start();
process.on('disconnect', () => process.exit());
process.send?.(server.info.uri);
