import t from 'tap';
import { until } from '../../../scripts/crash/until.js';
import { inboundText } from '../../plugins/channel-under-test.js';
import { withDatabase } from '../postgres/with-database.js';
import { type Clustered, clustered, folderFor, settled } from './clustered.js';

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

t.test(
  'two processes share the shards; each responds to the calls of all numbers, and one takes over when the other stops',
  withDatabase(async (t, database) => {
    const folder = folderFor(t);
    const first = await clustered(t, database, { folder });
    await settled([first]);
    await until(async () => first.owned().length === 2, 'a process alone owns all');
    t.match(first.cluster.status().warnings, [/without a standby.*Start another process/]);
    const made = [];
    for (let n = 0; n < 4; n++) made.push(await channelWithToken(first, n));
    t.strictSame([...new Set(first.cluster.status().shards.map(({ tenants }) => tenants))], [2], 'tenants are spread evenly');

    const second = await clustered(t, database, { folder });
    await settled([first, second]);
    await until(async () => first.owned().length === 1 && second.owned().length === 1, 'the shards are balanced');
    t.strictSame(first.cluster.status().warnings, []);
    for (const [i, { uuid, token }] of made.entries())
      for (const member of [first, second]) {
        const sent = await member.call(
          'POST',
          `/v1/numbers/${uuid}/messages`,
          inboundText('hi', { id: `m-${i}-${member === first}` }),
          token,
        );
        t.equal(sent.status, 200, sent.text);
      }
    t.equal((await second.call('GET', '/admin/v1/numbers')).body.numbers.length, 4);
    const fresh = await channelWithToken(second, 10);
    t.equal((await first.call('POST', `/v1/numbers/${fresh.uuid}/messages`, inboundText('hi'), fresh.token)).status, 200, 'known at once');
    t.equal((await first.call('POST', '/admin/v1/channels', channel(10))).status, 409, 'an address is unique in the cluster');

    const stoppedAt = performance.now();
    await first.stop();
    for (const { uuid, token } of made)
      t.equal(
        (await second.call('POST', `/v1/numbers/${uuid}/messages`, inboundText('after', { id: `after-${uuid}` }), token)).status,
        200,
      );
    t.comment(`${Math.round(performance.now() - stoppedAt)} ms from the stop to the last of four calls`);
    await until(async () => second.owned().length === 2, 'the other process owns both');
  }),
);

t.test(
  'a revoked token is refused by every process immediately; an account has one shard',
  withDatabase(async (t, database) => {
    const folder = folderFor(t);
    const members = [await clustered(t, database, { folder }), await clustered(t, database, { folder })] as const;
    await settled(members);
    const [first, second] = members;
    const { uuid, token } = await channelWithToken(first, 1, 'acme');
    t.equal((await second.call('POST', `/v1/numbers/${uuid}/messages`, inboundText('hi'), token)).status, 200);
    const { tokens } = (await second.call('GET', `/admin/v1/numbers/${uuid}/tokens`)).body;
    t.equal((await second.call('DELETE', `/admin/v1/numbers/${uuid}/tokens/${tokens[0].uuid}`)).status, 200);
    for (const member of members) t.equal((await member.call('POST', `/v1/numbers/${uuid}/messages`, inboundText('x'), token)).status, 401);
    for (let n = 2; n < 6; n++) await channelWithToken(members[n % 2]!, n, 'acme');
    t.strictSame(
      first.cluster
        .status()
        .shards.map(({ tenants }) => tenants)
        .sort(),
      [0, 5],
      'all numbers of an account are in its shard',
    );
    const lone = await channelWithToken(first, 20);
    t.match(await second.call('PATCH', `/admin/v1/numbers/${lone.uuid}`, { account: 'acme' }), {
      status: 409,
      text: /in another shard/,
    });
  }),
);

t.test(
  'an operator moves and drains',
  withDatabase(async (t, database) => {
    const folder = folderFor(t);
    const members = [
      await clustered(t, database, { folder }),
      await clustered(t, database, { folder }),
      await clustered(t, database, { folder }),
    ] as const;
    await settled(members);
    const [first, second, third] = members;
    const target = third.cluster.status().process;
    const shown = await first.call('GET', '/admin/v1/cluster');
    t.equal(shown.body.cluster.processes.length, 3);
    for (const shard of ['shard-1', 'shard-2'])
      t.equal((await second.call('POST', '/admin/v1/cluster/moves', { shard, process: target })).status, 200);
    await until(async () => third.owned().length === 2, 'the third process owns both');
    await settled(members);
    t.equal((await first.call('POST', '/admin/v1/cluster/drains', { process: target })).status, 200);
    await until(async () => third.owned().length === 0, 'the drained process has none');
    await settled(members);
    t.equal((await third.call('GET', '/admin/v1/numbers')).status, 200, 'and still responds');
    t.equal((await first.call('POST', '/admin/v1/cluster/moves', { shard: 'shard-9' })).status, 404);
    t.equal((await first.call('POST', '/admin/v1/cluster/moves', { shard: 'shard-1', process: 'unknown' })).status, 404);
    t.equal((await first.call('GET', '/admin/v1/clock')).status, 404, 'no sandbox, no clock');
  }),
);
