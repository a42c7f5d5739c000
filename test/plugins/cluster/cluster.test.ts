import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import pg from 'pg';
import t from 'tap';
import { definePlugin } from '../../../core/contract/plugin.js';
import { collection } from '../../../core/ports/store.js';
import { RecordingLogger } from '../../../core/testing/index.js';
import { channels } from '../../../plugins/channels/plugin.js';
import { createCluster } from '../../../plugins/cluster/postgres/index.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { until } from '../../../scripts/crash/until.js';
import { inboundText } from '../channels/channel-under-test.js';
import { type Clustered, clustered, folderFor, settled } from './clustered.js';
import { withDatabase } from './postgres/with-database.js';

const channel = (n: number, account?: string) => ({
  from_addr: `web:${n}`,
  name: `Web ${n}`,
  endpoint: 'http://127.0.0.1:9/',
  ...(account && { account }),
});

async function channelWithToken(member: Clustered, n: number, account?: string) {
  const created = await member.call('POST', '/admin/v1/channels', channel(n, account));
  if (created.status !== 201) throw new Error(created.text);
  const { uuid } = created.body.number;
  const { body } = await member.call('POST', `/admin/v1/numbers/${uuid}/tokens`, { name: 'test' });
  return { uuid: uuid as string, token: body.text as string };
}

/** The header `Connection` of the response to a message. */
async function connectionAfter(url: string, token: string): Promise<string | undefined> {
  const agent = new Agent({ keepAlive: true });
  const call = request(url, { method: 'POST', agent, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } });
  call.end(JSON.stringify(inboundText('hi', { id: `kept-${url}` })));
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  for await (const _ of response);
  agent.destroy();
  return response.headers.connection;
}

/** Threads of this process, also those that earlier tests are ending. */
const workerThreads = (): number => (process.report.getReport() as { readonly workers: readonly object[] }).workers.length;

t.test(
  'two processes share the shards',
  withDatabase(async (t, database) => {
    const folder = folderFor(t);
    const before = workerThreads();
    // Warnings are compared, and a busy machine renews a shorter lease late.
    const patient = { folder, database: { leaseMs: 3_000 } };
    const first = await clustered(t, database, patient);
    await settled([first]);
    await until(async () => first.owned().length === 2, 'a process alone owns all');
    t.ok(workerThreads() <= before + 1, 'its shards share their workers');
    t.match(first.cluster.status().warnings, [/without a standby.*Start another process/]);
    const made: Awaited<ReturnType<typeof channelWithToken>>[] = [];
    for (let n = 0; n < 4; n++) made.push(await channelWithToken(first, n));
    t.strictSame([...new Set(first.cluster.status().shards.map(({ tenants }) => tenants))], [2], 'tenants are spread evenly');

    const second = await clustered(t, database, patient);
    await settled([first, second]);
    await until(async () => first.owned().length === 1 && second.owned().length === 1, 'the shards are balanced');
    t.strictSame(first.cluster.status().warnings, []);

    await t.test('each responds to the calls of all numbers', async (t) => {
      for (const [i, { uuid, token }] of made.entries())
        for (const member of [first, second]) {
          const message = inboundText('hi', { id: `m-${i}-${member === first}` });
          const sent = await member.call('POST', `/v1/numbers/${uuid}/messages`, message, token);
          t.equal(sent.status, 200, sent.text);
        }
      for (const { uuid, token } of made)
        for (const { url } of [first, second])
          t.equal(await connectionAfter(`${url}/v1/numbers/${uuid}/messages`, token), 'keep-alive', 'the client keeps its connection');
      t.equal((await second.call('GET', '/admin/v1/numbers')).body.numbers.length, 4);
      const fresh = await channelWithToken(second, 10);
      t.equal(
        (await first.call('POST', `/v1/numbers/${fresh.uuid}/messages`, inboundText('hi'), fresh.token)).status,
        200,
        'known at once',
      );
      t.equal((await first.call('POST', '/admin/v1/channels', channel(10))).status, 409, 'an address is unique in the cluster');
    });

    await t.test('a revoked token is refused by every process immediately', async (t) => {
      const { uuid, token } = await channelWithToken(first, 20);
      t.equal((await second.call('POST', `/v1/numbers/${uuid}/messages`, inboundText('hi'), token)).status, 200);
      const { tokens } = (await second.call('GET', `/admin/v1/numbers/${uuid}/tokens`)).body;
      t.equal((await second.call('DELETE', `/admin/v1/numbers/${uuid}/tokens/${tokens[0].uuid}`)).status, 200);
      for (const member of [first, second])
        t.equal((await member.call('POST', `/v1/numbers/${uuid}/messages`, inboundText('x'), token)).status, 401);
    });

    await t.test('all numbers of an account are in its shard', async (t) => {
      const tenants = () => first.cluster.status().shards.map((shard) => shard.tenants);
      const before = tenants();
      for (let n = 30; n < 35; n++) await channelWithToken([first, second][n % 2]!, n, 'acme');
      t.strictSame(
        tenants()
          .map((count, i) => count - before[i]!)
          .sort(),
        [0, 5],
      );
      const lone = await channelWithToken(first, 40);
      const moved = await second.call('PATCH', `/admin/v1/numbers/${lone.uuid}`, { account: 'acme' });
      t.match(moved, { status: 409, text: /in another shard/ }, 'a number without an account goes to the shard with the fewest');
    });

    await t.test('one takes over when the other stops', async (t) => {
      const stoppedAt = performance.now();
      await first.stop();
      for (const { uuid, token } of made) {
        const sent = await second.call('POST', `/v1/numbers/${uuid}/messages`, inboundText('after', { id: `after-${uuid}` }), token);
        t.equal(sent.status, 200);
      }
      t.comment(`${Math.round(performance.now() - stoppedAt)} ms from the stop to the last of four calls`);
      await until(async () => second.owned().length === 2, 'the other process owns both');
    });
  }),
);

t.test(
  'a process that has handed a shard over becomes its standby from the newest snapshot, and gets it back',
  withDatabase(async (t, database) => {
    const folder = folderFor(t);
    const options = { folder, shards: 1, database: { snapshotEveryBytes: 20_000 } };
    const members = [await clustered(t, database, options), await clustered(t, database, options)] as const;
    await settled(members);
    const [first, second] = members;
    const { uuid, token } = await channelWithToken(first, 1);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    t.teardown(() => client.end());
    const firstOfLog = async () => Number((await client.query(`select min(first) from ${database.schema}.log`)).rows[0].min);
    let sent = 0;
    await until(async () => {
      const { status } = await first.call(
        'POST',
        `/v1/numbers/${uuid}/messages`,
        inboundText('x'.repeat(2_000), { id: `m-${sent}` }),
        token,
      );
      t.equal(status, 200);
      sent++;
      return (await firstOfLog()) > 1;
    }, 'a standby has written two snapshots, and removed the log before them');

    for (const [target, other] of [[second, first], members] as const) {
      await first.call('POST', '/admin/v1/cluster/moves', { shard: 'main', process: target.cluster.status().process });
      await until(async () => target.owned().length === 1, 'the shard is moved');
      await settled(members);
      t.strictSame(other.owned(), []);
      const { conversations } = (await first.call('GET', `/admin/v1/conversations?number=${uuid}`)).body;
      const { body } = await first.call('GET', `/admin/v1/conversations/${conversations[0].conversation.uuid}/messages?limit=200`);
      t.equal(body.messages.length, sent, 'the shard has all messages');
    }
  }),
);

t.test(
  'a shard whose platform could not start after a take-over is started again',
  withDatabase(async (t, database) => {
    const folder = folderFor(t);
    let failures = 2;
    const failing = definePlugin({
      name: 'failing',
      version: '1.0.0',
      register: () => ({
        start() {
          if (failures-- > 0) throw new Error('the database was away');
        },
      }),
    });
    const first = await clustered(t, database, { folder });
    await settled([first]);
    const plugins = [channels(), webhooks(), messages(), failing()];
    const second = await clustered(t, database, { folder, platform: { plugins, ports: { log: new RecordingLogger() } } });
    await until(async () => second.cluster.status().shards.every(({ lag }) => lag !== null), 'the second process is a standby');
    await first.stop();
    await until(async () => second.owned().length === 2, 'the second process owns both shards');
    t.ok(failures < 0, 'both starts failed before');
  }),
);

t.test('a plugin with a collection of the whole installation is refused', async (t) => {
  const settings = collection<{ readonly id: string }>({ key: 'id', tenant: { global: true } });
  const own = definePlugin({ name: 'own', version: '1.0.0', collections: { settings }, register: () => ({}) });
  const platform = { plugins: [own()], secretKey: '7'.repeat(64), publicUrl: 'http://cluster.test' };
  t.throws(() => createCluster({ platform, database: { url: 'postgres://127.0.0.1:1/none' }, url: 'http://127.0.0.1:1' }), {
    name: 'TypeError',
    message: /^collection own\.settings is declared global/,
  });
});
