import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import t from 'tap';
import { LogUnreachable } from '../../../core/ports/log.js';
import { patient } from '../../../core/testing/slowness.js';
import { CLIENT_HEADER, HOP_HEADER, HopSigner } from '../../../plugins/cluster/routing/hop.js';
import { clockPlugin } from '../../../sandbox/server/clock-plugin.js';
import { inboundText } from '../channels/channel-under-test.js';
import { ADMIN_KEY, numberIn, type Routed, routed } from './routed.js';

const inbound = (id: string) => inboundText('hi', { id });

const clock = clockPlugin({ movable: undefined, pendingTimers: async () => [] });
/** Two shards in two processes, for most tests; a call waits 1.5 seconds for an owner. */
const pair = await routed(t, { waitMs: 1_500, extra: [clock] });
/** Three shards in two processes. */
const trio = await routed(t, { shards: 3, processes: 2 });
const numbersOf = async ({ call }: Routed) =>
  (await call(0, 'GET', '/admin/v1/numbers')).body.numbers as { uuid: string; created_at: string }[];

t.test('every process responds to the calls of every token; the shard of the token has the effect', async (t) => {
  const cluster = pair;
  const [one, two] = [await numberIn(cluster, 'shard-1', 'one'), await numberIn(cluster, 'shard-2', 'two')];
  for (const process of [0, 1]) {
    for (const [i, { uuid, token }] of [one, two].entries()) {
      const sent = await cluster.call(process, 'POST', `/v1/numbers/${uuid}/messages`, inbound(`m-${process}-${i}`), {
        authorization: `Bearer ${token}`,
      });
      t.match(sent, { status: 200, body: { success: true } }, `process ${process}, number ${i}: ${sent.text}`);
    }
  }
  for (const [shard, { uuid }] of [
    ['shard-1', one],
    ['shard-2', two],
  ] as const) {
    const { platform } = cluster.shards.get(shard)!;
    const [contact] = await platform.contacts.list(uuid);
    t.ok(contact, shard);
    t.equal((await platform.contacts.list(uuid)).length, 1);
  }
  const refused = await cluster.call(0, 'POST', `/v1/numbers/${two.uuid}/messages`, inbound('x'), { authorization: `Bearer ${one.token}` });
  t.notSame(refused.status, 200, 'a token of another number');
});

t.test('a new token is known; unknown and malformed ones get 401 in the shape of the area', async (t) => {
  const cluster = pair;
  const { uuid, token } = await numberIn(cluster, 'shard-2', 'new');
  const [key, shard] = [...cluster.directory.entries].findLast(([entry]) => entry.startsWith('token '))!;
  cluster.directory.entries.delete(key);
  cluster.directory.late.set(key, shard);
  t.equal((await cluster.call(0, 'POST', `/v1/numbers/${uuid}/messages`, inbound('m'), { authorization: `Bearer ${token}` })).status, 200);
  for (const authorization of ['Bearer unknown', 'Bearer', 'Basic abc', ''])
    t.equal((await cluster.call(0, 'POST', '/v1/messages', {}, { authorization })).status, 401, authorization);
  t.equal((await cluster.call(1, 'GET', '/v1/nothing')).status, 404);
  t.equal((await cluster.call(1, 'DELETE', '/v1/messages')).status, 405);
});

t.test('admin calls reach the number, the account or the record that they name', async (t) => {
  const cluster = pair;
  const created = await cluster.call(0, 'POST', '/admin/v1/numbers', {
    kind: 'network',
    address: '+27600000001',
    name: 'Shop',
    account: 'acme',
  });
  t.equal(created.status, 201, created.text);
  const { uuid } = created.body.number;
  t.ok(await cluster.shards.get('shard-2')!.platform.numbers.get(uuid), 'in the shard of new accounts');
  t.equal(
    (await cluster.call(0, 'GET', `/admin/v1/numbers/${uuid}`)).body.number.name,
    'Shop',
    'the directory does not know it, so it is found',
  );
  t.equal((await cluster.call(1, 'PATCH', `/admin/v1/numbers/${uuid}`, { name: 'Store' })).status, 200);
  const hook = await cluster.call(0, 'POST', '/admin/v1/webhooks', { number: uuid, url: 'http://127.0.0.1:9/hook' });
  t.equal(hook.status, 201, hook.text);
  t.equal((await cluster.call(1, 'GET', `/admin/v1/webhooks/${hook.body.webhook.uuid}`)).body.webhook.number, uuid);
  t.equal((await cluster.call(0, 'GET', `/admin/v1/webhooks?number=${uuid}`)).body.webhooks.length, 1);
  t.equal((await cluster.call(1, 'DELETE', `/admin/v1/webhooks/${hook.body.webhook.uuid}`)).status, 200);
  t.equal((await cluster.call(0, 'GET', `/admin/v1/webhooks/${hook.body.webhook.uuid}`)).status, 404);
  const flow = await cluster.call(0, 'POST', '/admin/v1/flows', { account: 'acme', name: 'F', definition: '{}' });
  t.equal(flow.status, 201, flow.text);
  t.equal((await cluster.call(1, 'GET', '/admin/v1/flows')).body.flows.length, 1);
  t.equal((await cluster.call(0, 'POST', '/admin/v1/numbers', '{')).status, 400);
  t.equal((await cluster.call(0, 'GET', '/admin/v1/numbers', undefined, { authorization: 'Bearer wrong' })).status, 401);
});

t.test('calls that would have to act on all processes simultaneously are refused', async (t) => {
  for (const [method, path] of [
    ['GET', '/clock'],
    ['POST', '/clock'],
    ['POST', '/clock/advance'],
  ] as const) {
    const refused = await pair.call(1, method, `/admin/v1${path}`, method === 'POST' ? {} : undefined);
    t.match(refused, { status: 409, text: /several processes/ }, `${method} ${path}`);
    t.equal(refused.headers.get('x-posthorn-cause'), 'several_processes');
  }
});

t.test('lists of all shards are one list, and its pages miss and repeat nothing', async (t) => {
  const cluster = trio;
  const all: string[] = [];
  for (let i = 0; i < 9; i++) all.push((await numberIn(cluster, `shard-${(i % 3) + 1}`, `n-${i}`)).uuid);
  const { body } = await cluster.call(0, 'GET', '/admin/v1/numbers');
  t.strictSame(body.numbers.map(({ uuid }: { uuid: string }) => uuid).sort(), [...all].sort());
  const times = body.numbers.map(({ created_at }: { created_at: string }) => created_at);
  t.strictSame(times, [...times].sort(), 'oldest first');

  for (const uuid of all) {
    await cluster.call(1, 'POST', '/admin/v1/webhooks', { number: uuid, url: 'http://127.0.0.1:9/hook', subscriptions: ['channel'] });
  }
  t.equal((await cluster.call(1, 'GET', '/admin/v1/webhooks')).body.webhooks.length, 9);
});

t.test('pages of deliveries across shards miss and repeat nothing; bulk calls act on all shards', async (t) => {
  const cluster = trio;
  const PER_SHARD = 7;
  for (const shard of cluster.directory.shards) {
    const { uuid, token } = await numberIn(cluster, shard, shard);
    await cluster.call(0, 'POST', '/admin/v1/webhooks', { number: uuid, url: 'http://127.0.0.1:9/hook', subscriptions: ['msgapp'] });
    for (let i = 0; i < PER_SHARD; i++)
      await cluster.call(0, 'POST', `/v1/numbers/${uuid}/messages`, inbound(`${shard}-${i}`), { authorization: `Bearer ${token}` });
  }
  const all = (await cluster.call(1, 'GET', '/admin/v1/deliveries')).body.deliveries as { uuid: string; created_at: string }[];
  t.equal(all.length, 3 * PER_SHARD);
  const paged: string[] = [];
  for (let after: string | undefined; ; after = paged.at(-1)) {
    const { body } = await cluster.call(
      paged.length % 2,
      'GET',
      `/admin/v1/deliveries?limit=4${after === undefined ? '' : `&after=${after}`}`,
    );
    if (body.deliveries.length === 0) break;
    paged.push(...body.deliveries.map(({ uuid }: { uuid: string }) => uuid));
  }
  t.strictSame(
    paged,
    all.map(({ uuid }) => uuid),
  );
  t.equal((await cluster.call(0, 'GET', '/admin/v1/deliveries?after=00000000-0000-4000-8000-000000000000')).status, 404);
  const cancelled = await cluster.call(0, 'POST', '/admin/v1/deliveries/cancel', {});
  t.equal(cancelled.body.cancelled, cancelled.body.deliveries.length);
  for (const [shard, { platform }] of cluster.shards) {
    const own = (await platform.deliveries.list({ limit: 100 })).map(({ uuid }) => uuid);
    t.ok(
      own.some((uuid) => cancelled.body.deliveries.includes(uuid)),
      shard,
    );
  }
  t.equal((await cluster.call(0, 'POST', '/admin/v1/deliveries/cancel', { wrong: 1 })).status, 400);
});

t.test('a call waits while its shard changes its owner, and gets 503 with Retry-After when that takes too long', async (t) => {
  const cluster = pair;
  const { uuid, token } = await numberIn(cluster, 'shard-2', 'waiting');
  const authorization = `Bearer ${token}`;
  cluster.own('shard-2', undefined);
  const waiting = cluster.call(0, 'POST', `/v1/numbers/${uuid}/messages`, inbound('m'), { authorization });
  await new Promise((resolve) => setTimeout(resolve, 100));
  cluster.own('shard-2', 0);
  t.equal((await waiting).status, 200);

  // The directory still names the previous owner.
  cluster.processes[0]!.owned.delete('shard-2');
  cluster.processes[1]!.owned.add('shard-2');
  const misdirected = cluster.call(1, 'POST', `/v1/numbers/${uuid}/messages`, inbound('m2'), { authorization });
  t.equal((await misdirected).status, 200, 'this process knows better');
  const other = cluster.call(0, 'POST', `/v1/numbers/${uuid}/messages`, inbound('m3'), { authorization });
  await new Promise((resolve) => setTimeout(resolve, 100));
  cluster.own('shard-2', 1);
  t.equal((await other).status, 200);

  cluster.own('shard-2', undefined);
  const refused = await cluster.call(0, 'POST', `/v1/numbers/${uuid}/messages`, inbound('m4'), { authorization });
  t.match(refused, { status: 503 });
  t.equal(refused.headers.get('retry-after'), '1');
  t.match(refused.text, /has no owner at the moment/);
  t.equal((await cluster.call(0, 'GET', '/admin/v1/numbers')).status, 503, 'a list without a shard would be incomplete');
  cluster.own('shard-2', 1);
});

t.test('large bodies are streamed, and those above the limit of the route are refused', async (t) => {
  const cluster = pair;
  const { token } = await numberIn(cluster, 'shard-2', '+27600000002', { kind: 'network', type: 'network' }).catch(async () => {
    const created = await cluster.call(0, 'POST', '/admin/v1/numbers', { kind: 'network', address: '+27600000002', name: 'N' });
    const issued = await cluster.call(0, 'POST', `/admin/v1/numbers/${created.body.number.uuid}/tokens`, { name: 'T' });
    const { hashOf } = await import('../../../core/messaging/token.js');
    cluster.directory.entries.set(`token ${hashOf(issued.body.text)}`, 'shard-2');
    return { uuid: created.body.number.uuid, token: issued.body.text as string };
  });
  const response = await fetch(`${cluster.processes[0]!.url}/v1/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png' },
    body: Buffer.alloc(3_000_000, 7),
  });
  t.equal(response.status, 200, await response.clone().text());
  const { media } = (await response.json()) as { media: { id: string }[] };
  const read = await fetch(`${cluster.processes[0]!.url}/v1/media/${media[0]!.id}`, { headers: { authorization: `Bearer ${token}` } });
  t.equal((await read.arrayBuffer()).byteLength, 3_000_000);
  t.equal(
    (await cluster.call(0, 'POST', '/v1/messages', { text: 'x'.repeat(2_000_000) }, { authorization: `Bearer ${token}` })).status,
    413,
  );
});

t.test('clients cannot choose a shard: only processes with the secret key can sign the header', async (t) => {
  const cluster = pair;
  const url = '/admin/v1/numbers';
  const call = { method: 'GET', url };
  const foreign = new HopSigner('6'.repeat(64)).header('shard-1', call);
  const other = new HopSigner('5'.repeat(64)).header('shard-1', { method: 'GET', url: '/admin/v1/events' });
  await numberIn(cluster, 'shard-1', 'chosen');
  await numberIn(cluster, 'shard-2', 'not chosen');
  const [all, ofShard] = [await numbersOf(cluster), await cluster.shards.get('shard-1')!.platform.numbers.list()];
  t.ok(ofShard.length > 0 && ofShard.length < all.length);
  for (const header of [foreign, other, 'shard-1', ''])
    t.equal(
      (await cluster.call(0, 'GET', url, undefined, { authorization: `Bearer ${ADMIN_KEY}`, [HOP_HEADER]: header })).body.numbers.length,
      all.length,
      header,
    );
  const own = new HopSigner('5'.repeat(64)).header('shard-1', call);
  // Taken for a call of a client, it would be passed on to all shards, each time it is received.
  const withWrongClock = new HopSigner('5'.repeat(64), () => Date.now() - 300_000).header('shard-1', call);
  for (const header of [own, withWrongClock])
    t.equal(
      (await cluster.call(0, 'GET', url, undefined, { authorization: `Bearer ${ADMIN_KEY}`, [HOP_HEADER]: header })).body.numbers.length,
      ofShard.length,
      'one of the processes, whatever its clock',
    );
  t.equal(
    (await cluster.call(0, 'GET', url, undefined, { authorization: 'Bearer wrong', [HOP_HEADER]: own })).status,
    401,
    'and it needs a credential',
  );
});

t.test('a call whose shard must be looked up gets 503 while the database cannot be reached', async (t) => {
  const { directory } = pair;
  const { catchUp } = directory;
  t.teardown(() => Object.assign(directory, { catchUp }));
  directory.catchUp = () => Promise.reject(new LogUnreachable('PostgreSQL does not respond'));
  const unknown = '019b8d2d-7f0a-7ab3-9c98-7d82398a4a8b';
  const withToken = { authorization: 'Bearer new' };
  for (const [method, path, payload, headers] of [
    ['POST', `/admin/v1/deliveries/${unknown}/redeliver`],
    ['GET', `/admin/v1/numbers/${unknown}`],
    ['POST', '/v1/messages', {}, withToken],
  ] as const) {
    const { status, headers: sent } = await pair.call(0, method, path, payload, headers);
    t.match([status, sent.get('retry-after')], [503, '1'], `${method} ${path}`);
  }
});

t.test('a session of the console works through every process and for every shard', async (t) => {
  const cluster = pair;
  await numberIn(cluster, 'shard-1', 'seen');
  const { uuid } = await numberIn(cluster, 'shard-2', 'changed');
  const { body } = await cluster.call(1, 'POST', '/admin/v1/console/sessions');
  const page = `${cluster.processes[1]!.url}${new URL(body.url).pathname}${new URL(body.url).search}`;
  const opened = await fetch(page, { redirect: 'manual', headers: { 'sec-fetch-site': 'none' } });
  const cookie = opened.headers.get('set-cookie')?.split(';')[0];
  t.ok(cookie, String(opened.status));
  const headers = { cookie: cookie!, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' };
  const list = await cluster.call(1, 'GET', '/admin/v1/numbers', undefined, headers);
  t.equal(list.body?.numbers?.length, (await numbersOf(cluster)).length, list.text);
  const change = { ...headers, origin: cluster.processes[1]!.url, 'x-posthorn': '1' };
  t.equal((await cluster.call(1, 'PATCH', `/admin/v1/numbers/${uuid}`, { name: 'B' }, change)).status, 200);
  t.equal((await cluster.call(1, 'PATCH', `/admin/v1/numbers/${uuid}`, { name: 'C' }, headers)).status, 403, 'not without Origin');
  t.equal((await cluster.call(1, 'GET', '/admin/v1/numbers', undefined, { ...headers, cookie: `${cookie}x` })).status, 401);
});

t.test('a key works through every process and for every shard, with its roles', async (t) => {
  const cluster = pair;
  const { uuid } = await numberIn(cluster, 'shard-2', 'kept');
  const { text } = (await cluster.call(1, 'POST', '/admin/v1/keys', { name: 'reader', roles: ['viewer'] })).body;
  for (const process of [0, 1]) {
    const call = (method: string, path: string, payload?: unknown, headers: Record<string, string> = { authorization: `Bearer ${text}` }) =>
      cluster.call(process, method, `/admin/v1${path}`, payload, headers);
    t.equal((await call('GET', '/numbers')).body.numbers.length, (await numbersOf(cluster)).length, 'lists are joined');
    t.equal((await call('GET', `/numbers/${uuid}`)).status, 200);
    t.equal((await call('GET', '/metrics')).status, 200);
    t.match((await call('GET', '/me')).body, { operator: { name: 'reader', roles: ['viewer'] } });
    t.equal((await call('PATCH', `/numbers/${uuid}`, { name: 'B' })).status, 403);
    t.equal((await call('POST', '/console/sessions')).status, 200, 'a key opens a session of its roles');
    const operator = { operator: { id: 'eve', name: 'Eve', roles: ['owner'] }, byKey: true };
    const forged = { 'x-posthorn-operator': new HopSigner('6'.repeat(64)).operatorHeader(operator) };
    for (const path of ['/numbers', `/numbers/${uuid}`, '/metrics'])
      t.equal((await call('GET', path, undefined, { cookie: '', ...forged })).status, 401, `forged: ${path}`);
    t.equal((await call('GET', `/numbers/${uuid}`, undefined, { authorization: 'Bearer phk_unknown' })).status, 401);
  }
});

t.test('the record of a call that another process passes on has the address of the client', async (t) => {
  const cluster = pair;
  const { uuid } = await numberIn(cluster, 'shard-2', 'recorded');
  const forged = new HopSigner('6'.repeat(64)).clientHeader('9.9.9.9', 'shard-2 1 2');
  const options = {
    method: 'PATCH',
    localAddress: '127.0.0.9',
    headers: { authorization: `Bearer ${ADMIN_KEY}`, [CLIENT_HEADER]: forged },
  };
  for (const { url } of cluster.processes) {
    const sent = request(`${url}/admin/v1/numbers/${uuid}`, {
      ...options,
      headers: { ...options.headers, 'content-type': 'application/json' },
    });
    sent.end(JSON.stringify({ name: `by ${url}` }));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    t.equal(response.statusCode, 200);
  }
  const { records } = (await cluster.call(0, 'GET', `/admin/v1/audit?target=${uuid}`)).body;
  t.match(records, [{ from: '127.0.0.9' }, { from: '127.0.0.9' }], 'at the owner, and at the other process');
});

t.test('beside a process of 0.1.0, which knows no operators, owners reach its shard, and others are refused there', async (t) => {
  const cluster = await routed(t, {
    earlier: ['shard-2'],
    operators: { authenticate: ({ headers: { 'x-user': user } }) => (user ? { id: 'one', name: 'One', roles: [`${user}`] } : undefined) },
  });
  const { uuid: here } = await numberIn(cluster, 'shard-1', 'here');
  const { uuid: there } = await numberIn(cluster, 'shard-2', 'there');
  for (const process of [0, 1]) {
    const as = async (user: string, path: string) =>
      (await cluster.call(process, 'GET', `/admin/v1${path}`, undefined, { cookie: 'none=1', 'x-user': user })).status;
    t.equal(await as('owner', `/numbers/${here}`), 200);
    t.equal(await as('owner', `/numbers/${there}`), 200, 'by the admin key, which 0.1.0 knows');
    t.equal(await as('owner', '/numbers'), 200);
    t.equal(await as('viewer', `/numbers/${here}`), 200);
    t.not(await as('viewer', `/numbers/${there}`), 200, 'never with more than his roles');
  }
});

t.test('a replaced admin key is refused by all shards with the next call, and its event streams end', async (t) => {
  let key = ADMIN_KEY;
  const cluster = await routed(t, { adminKey: () => key });
  const numbers = [await numberIn(cluster, 'shard-1', 'here'), await numberIn(cluster, 'shard-2', 'there')];
  const statuses = async (text: string) => {
    const paths = ['/numbers', '/metrics', ...numbers.map(({ uuid }) => `/numbers/${uuid}`)];
    const calls = [0, 1].flatMap((process) =>
      paths.map((path) => cluster.call(process, 'GET', `/admin/v1${path}`, undefined, { authorization: `Bearer ${text}` })),
    );
    return [...new Set((await Promise.all(calls)).map(({ status }) => status))].sort();
  };
  const NEXT = 'another-admin-key-of-the-tests';
  t.strictSame([await statuses(ADMIN_KEY), await statuses(NEXT)], [[200], [401]]);
  const open = (process: number) =>
    fetch(`${cluster.processes[process]!.url}/admin/v1/events`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
  const streams = await Promise.all([open(0), open(1)]);
  key = NEXT;
  const began = performance.now();
  t.strictSame([await statuses(ADMIN_KEY), await statuses(NEXT)], [[401], [200]]);
  await Promise.all(streams.map((stream) => stream.text()));
  t.ok(performance.now() - began < 5_000 * patient(1));
});

t.test('the event streams of all shards end when the accounts of their operator change', async (t) => {
  let accounts = ['acme'];
  const authenticate = ({ headers: { 'x-user': user } }: { headers: Record<string, unknown> }) =>
    user ? { id: 'one', name: 'One', roles: ['viewer'], accounts } : undefined;
  const cluster = await routed(t, { operators: { authenticate } });
  const response = await fetch(`${cluster.processes[1]!.url}/admin/v1/events`, { headers: { 'x-user': 'one' } });
  t.equal(response.status, 200);
  accounts = ['other'];
  const began = performance.now();
  await response.text();
  t.ok(performance.now() - began < 5_000 * patient(1));
});

t.test('the event streams of all shards are one stream, which resumes after its last event', async (t) => {
  const cluster = pair;
  const authorization = `Bearer ${ADMIN_KEY}`;
  const read = async (last: string | undefined, until: (text: string) => boolean) => {
    const ended = new AbortController();
    const response = await fetch(`${cluster.processes[0]!.url}/admin/v1/events`, {
      headers: { authorization, ...(last !== undefined && { 'last-event-id': last }) },
      signal: ended.signal,
    });
    let text = '';
    const decoder = new TextDecoder();
    const reading = (async () => {
      for await (const chunk of response.body!) {
        text += decoder.decode(chunk as Uint8Array, { stream: true });
        if (until(text)) break;
      }
    })();
    return { ended: () => ended.abort(), done: reading.catch(() => undefined), text: () => text };
  };
  const count = (n: number) => (text: string) => (text.match(/^event: number\.created$/gm)?.length ?? 0) >= n;
  const first = await read(undefined, count(2));
  await new Promise((resolve) => setTimeout(resolve, 200));
  await numberIn(cluster, 'shard-1', 'a');
  await numberIn(cluster, 'shard-2', 'b');
  await first.done;
  const ids = [...first.text().matchAll(/^id: (.+)$/gm)].map(([, id]) => id!);
  t.match(ids.at(-1), /shard-1=.+,shard-2=|shard-2=.+,shard-1=/);
  await numberIn(cluster, 'shard-2', 'c');
  await numberIn(cluster, 'shard-1', 'd');
  const resumed = await read(ids.at(-1), count(2));
  await resumed.done;
  const addresses = [...resumed.text().matchAll(/"address":"(\w)"/g)].map(([, address]) => address);
  t.strictSame(addresses.sort(), ['c', 'd']);
  t.notMatch(resumed.text(), /gap/);
  t.equal((await cluster.call(0, 'GET', '/admin/v1/events', undefined, { authorization: 'Bearer wrong' })).status, 401);
});

t.test('probes and metrics concern the process', async (t) => {
  const cluster = trio;
  t.match(await cluster.call(0, 'GET', '/ready'), { status: 200, body: { status: 'ready' } });
  t.match(await cluster.call(0, 'GET', '/health'), { status: 200, body: { status: 'ok' } });
  const { text } = await cluster.call(0, 'GET', '/admin/v1/metrics');
  t.match(text, /\{shard="shard-1"/);
  t.match(text, /\{shard="shard-3"/);
  t.notMatch(text, /shard-2/);
  t.equal(
    text.match(/^# TYPE process_cpu_seconds_total|^# TYPE posthorn_store_open/gm)?.length ?? 0,
    new Set(text.match(/^# TYPE process_cpu_seconds_total|^# TYPE posthorn_store_open/gm)).size,
  );
});

t.test('below a route prefix', async (t) => {
  const cluster = await routed(t, { prefix: '/chat' });
  const { uuid, token } = await numberIn(cluster, 'shard-2', 'b');
  t.equal(
    (await cluster.call(0, 'POST', `/chat/v1/numbers/${uuid}/messages`, inbound('m'), { authorization: `Bearer ${token}` })).status,
    200,
  );
  t.equal((await cluster.call(0, 'GET', '/chat/admin/v1/numbers')).body.numbers.length, 1);
  t.match(await cluster.call(0, 'GET', '/chat/ready'), { status: 200 });
  t.equal((await cluster.call(0, 'GET', '/chat/nothing')).status, 404);
});

/** A URL with another signature. */
const altered = (url: string): string => url.replace(/signature=(.)/, (_, first) => `signature=${first === '_' ? 'a' : '_'}`);

t.test('a signed link works at every process, although each shard signs with a key of its own', async (t) => {
  for (const [name, { platform }] of trio.shards) {
    const { uuid, token } = await numberIn(trio, name, '+27600000009', { kind: 'network', type: 'network', account: name });
    const authorization = `Bearer ${token}`;
    const { id } = await platform.media.put(uuid, Buffer.from(name), { mimeType: 'text/plain' });
    trio.directory.entries.set(`account ${name}`, name);
    const flow = await trio.call(0, 'POST', '/admin/v1/flows', { account: name, name: 'F', definition: '{}' });
    const assets = await trio.call(0, 'GET', `/v1/flows/${flow.body.flow.id}/assets`, undefined, { authorization });
    t.equal(assets.status, 200, assets.text);
    const download = new URL(assets.body.data[0].download_url);
    const link = platform.media.link(id).replace('http://public.test', '');
    for (const [path, status] of [
      [link, 200],
      [platform.media.link(id, { expired: true }).replace('http://public.test', ''), 403],
      [altered(link), 403],
      [link.replace(id, '1'), 403],
      [`${download.pathname}${download.search}`, 200],
      [altered(`${download.pathname}${download.search}`), 403],
    ] as const)
      for (const process of [0, 1])
        t.match(await trio.call(process, 'GET', path, undefined, { cookie: '' }), { status }, `${name}: ${path}`);
  }
});
