import t from 'tap';
import { inboundText } from '../channels/channel-under-test.js';
import { numberIn, routed } from './routed.js';

t.test('a search finds the records of all shards; its pages miss and repeat nothing, and an id finds only its record', async (t) => {
  const cluster = await routed(t, { shards: 3, processes: 2 });
  const names: string[] = [];
  for (const shard of cluster.directory.shards) {
    const { uuid, token } = await numberIn(cluster, shard, `search ${shard}`);
    await cluster.call(0, 'POST', '/admin/v1/webhooks', { number: uuid, url: 'http://127.0.0.1:9/hook', subscriptions: ['msgapp'] });
    for (let i = 0; i < 5; i++) {
      const text = `parcel ${shard} ${i}`;
      names.push(text);
      await cluster.call(0, 'POST', `/v1/numbers/${uuid}/messages`, inboundText(text, { id: text }), { authorization: `Bearer ${token}` });
    }
  }
  const find = async (process: number, query: string) => {
    for (;;) {
      const { status, body, text } = await cluster.call(process, 'GET', `/admin/v1/search?q=parcel${query}`);
      t.equal(status, 200, text);
      // The first search of a platform reads its texts.
      if (!query.includes('limit=100') || body.kinds.every((one: { looked_back_to: string | null }) => one.looked_back_to === null))
        return body;
    }
  };
  for (const kind of ['message', 'delivery', 'call']) {
    const all = (await find(0, `&kinds=${kind}&limit=100`)).results as { id: string; at: string }[];
    t.equal(new Set(all.map(({ id }) => id)).size, names.length, kind);
    t.strictSame(
      all.map(({ at }) => at),
      all
        .map(({ at }) => at)
        .sort()
        .reverse(),
      `${kind}: newest first`,
    );
    const paged: string[] = [];
    for (let [next, pages] = ['', 0] as [string | null, number]; next !== null && pages < 30; pages++) {
      const body = await find(pages % 2, `&kinds=${kind}&limit=4${next && `&before=${encodeURIComponent(next)}`}`);
      t.equal(body.kinds.length, 1);
      t.ok(body.results.length <= 4);
      paged.push(...body.results.map(({ id }: { id: string }) => id));
      next = body.kinds[0].next;
    }
    t.strictSame(
      paged,
      all.map(({ id }) => id),
      `${kind}: pages`,
    );
  }
  const { results, kinds, is_id } = await find(1, '');
  t.equal(is_id, false);
  t.equal(new Set(kinds.map(({ kind }: { kind: string }) => kind)).size, kinds.length, 'each kind once');
  t.equal(results.filter(({ kind }: { kind: string }) => kind === 'message').length, 10, 'the limit holds for all shards together');
  const [{ id }] = results.filter(({ kind }: { kind: string }) => kind === 'delivery');
  for (const one of [id, 'parcel shard-2 3']) {
    const { body } = await cluster.call(
      0,
      'GET',
      `/admin/v1/search?q=${encodeURIComponent(one === id ? one : 'search')}&kinds=number,delivery`,
    );
    t.equal(body.is_id, one === id);
    t.equal(body.results.length, one === id ? 1 : 3, 'the numbers of all shards');
  }
});
