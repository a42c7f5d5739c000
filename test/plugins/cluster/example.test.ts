import t from 'tap';
import { start } from '../../../sandbox/examples/cluster.js';
import { until } from '../../../scripts/crash/until.js';
import { freePort } from '../../../scripts/free-port.js';
import { folderFor } from './clustered.js';
import { withDatabase } from './postgres/with-database.js';

const ADMIN = 'admin-key-of-the-example';

t.test(
  'the cluster on the page serves the same numbers in two processes',
  withDatabase(async (t, { url, schema }) => {
    const sharedFolder = folderFor(t);
    const startOne = async () => {
      const server = await start({
        ...{ port: await freePort(), host: '127.0.0.1', publicUrl: 'http://balancer.test' },
        ...{ databaseUrl: url, schema, secretKey: '7'.repeat(64), adminKey: ADMIN, sharedFolder },
      });
      let stopped: Promise<void> | undefined;
      const stop = (): Promise<void> => (stopped ??= server.stop());
      t.teardown(stop);
      const call = async (path: string, payload?: object) => {
        const response = await fetch(`${server.info.uri}${path}`, {
          method: payload ? 'POST' : 'GET',
          headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
          ...(payload && { body: JSON.stringify(payload) }),
        });
        // biome-ignore lint/suspicious/noExplicitAny: a test reads arbitrary JSON
        return { status: response.status, body: (await response.json()) as any };
      };
      return { call, stop, isReady: async () => (await call('/ready')).status === 200 };
    };
    const [first, second] = [await startOne(), await startOne()];
    await until(async () => (await first.isReady()) && (await second.isReady()), 'both processes are ready');
    const addresses = [];
    for (const [n, { call }] of [first, second].entries()) {
      const created = await call('/admin/v1/channels', { from_addr: `web:${n}`, name: 'Web', endpoint: 'http://127.0.0.1:9/' });
      t.equal(created.status, 201, JSON.stringify(created.body));
      addresses.push(created.body.number.address);
    }
    const listed = async ({ call }: typeof first) =>
      (await call('/admin/v1/numbers')).body.numbers.map(({ address }: { address: string }) => address);
    for (const one of [first, second]) t.strictSame(await listed(one), addresses);
    t.equal((await second.call('/admin/v1/cluster')).body.cluster.processes.length, 2);
    await first.stop();
    t.strictSame(await listed(second), addresses, 'the other process serves all numbers');
  }),
);
