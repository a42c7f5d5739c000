import t from 'tap';
import { type Authenticate, type NumberRecord, unixSeconds } from '#core';
import { startPlatform } from '#core/testing';
import { mergedLists } from '../../../core/kernel/http/merged-lists.js';
import { describedPlugins } from '../../../sandbox/server/described-plugins.js';

const ofHeader: Authenticate = ({ headers: { 'x-accounts': accounts, 'x-roles': roles = 'owner' } }) =>
  accounts === undefined ? undefined : { id: 'ann', name: 'Ann', roles: [String(roles)], accounts: String(accounts).split(' ') };

/** Numbers of two accounts with a webhook each, 12 deliveries, one a second, alternately of each, and calls. */
const started = (async () => {
  const test = await startPlatform(t, {
    plugins: describedPlugins(),
    recording: { calls: true },
    operators: { authenticate: ofHeader, roles: { metadata: ['deliveries.read'], people: ['contacts.read'] } },
    rateLimits: false,
  });
  const { platform, admin, clock, number, http } = test;
  http.answer('*', { body: {} }).answer('https://down.test/*', { status: 401 });
  const made: NumberRecord[] = [];
  let token = '';
  for (const [account, address, url] of [
    ['alpha', '+27110000001', 'https://up.test/'],
    ['beta', '+27110000002', 'https://down.test/'],
  ] as const) {
    const own = await number('network', { account, address });
    await admin('POST', '/webhooks', { number: own.uuid, url, name: account, subscriptions: ['msgapp'] });
    token = own.token;
    made.push((await platform.numbers.get(own.uuid)) as NumberRecord);
  }
  const begin = clock.now().toISOString();
  for (let n = 0; n < 12; n++) {
    const from = `2782000000${n % 3}`;
    await platform.store.transaction((tx) =>
      platform.messages.received(tx, made[n % 2]!, {
        ...{ id: `in.${n}`, contact: { id: from, name: 'Zoë' }, from, timestamp: unixSeconds(clock.now()) },
        ...{ type: 'text', content: { text: { body: `Parcel ${n} for the café` } } },
      }),
    );
    await clock.advance(1_000);
  }
  const list = async (path: string, headers?: Record<string, string>) => {
    const { status, body } = await (headers ? test.call('GET', `/admin/v1${path}`, { headers }) : admin('GET', path));
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body;
  };
  /** All pages of a list. */
  const all = async (path: string, headers?: Record<string, string>) => {
    const found: Record<string, string>[] = [];
    let pages = 0;
    for (let next: string | null | undefined; next !== null; pages++) {
      const page = await list(`${path}${next === undefined ? '' : `&before=${encodeURIComponent(next)}`}`, headers);
      found.push(...(page.deliveries ?? page.calls ?? page.contacts));
      next = page.next;
      if (pages > 50) throw new Error('endless');
    }
    return { found, pages };
  };
  return { ...test, made, token, begin, list, all };
})();

const idsOf = (found: readonly Record<string, string>[]) => found.map(({ uuid, id }) => uuid ?? id);

t.test('deliveries are filtered by state, reason, contact, text and time, also together', async (t) => {
  const { list, made, begin } = await started;
  const count = async (query: string) => (await list(`/deliveries?${query}`)).deliveries.length;
  t.equal(await count('limit=500'), 12);
  t.equal(await count('reason=http_4xx'), 6);
  t.equal(await count('reason=exhausted'), 0);
  t.equal(await count('contact=%2B27820000001'), 4);
  t.equal(await count('contact=27820000001&reason=http_4xx'), 2);
  t.equal(await count(`webhook=${(await list('/webhooks')).webhooks[0].uuid}&number=${made[1]!.uuid}`), 0, 'both count');
  t.equal(await count('text=CAFE%20parcel'), 12, 'without regard to case and accents');
  t.equal(await count('text=%22parcel%207%22'), 1);
  const at = (s: number) => encodeURIComponent(new Date(Date.parse(begin) + s * 1_000).toISOString());
  t.equal(await count(`from=${at(2)}&before=${at(5)}`), 3);
  t.equal(await count(`from=${at(2)}&state=delivered`), 5);
  const { looked_back_to, next } = await list(`/deliveries?from=${at(2)}&limit=500`);
  t.strictSame([looked_back_to, next], [null, null]);
});

t.test('pages follow each other without a gap or a repetition, also when many are of one moment', async (t) => {
  const { all, list, call, token, clock } = await started;
  const whole = idsOf((await list('/deliveries?limit=500')).deliveries);
  for (const limit of [1, 5, 12]) t.strictSame(idsOf((await all(`/deliveries?limit=${limit}`)).found), whole, `limit ${limit}`);
  t.equal((await all('/deliveries?limit=2&contact=27820000001')).found.length, 4);
  const page = await list('/deliveries?limit=3');
  t.equal(page.looked_back_to, page.deliveries[2].created_at);
  t.equal(page.next, `${page.deliveries[2].created_at}/${page.deliveries[2].uuid}`);

  for (let n = 0; n < 7; n++)
    await call('POST', '/v1/messages', { headers: { authorization: `Bearer ${token}` }, payload: { to: '+27820001001', kind: `k${n}` } });
  await call('POST', '/v1/messages', { headers: { authorization: 'Bearer wrong' }, payload: {} });
  await clock.advance(1_000);
  const calls = idsOf((await list('/calls?limit=500')).calls);
  t.equal(calls.length, 8);
  for (const limit of [1, 3, 8]) t.strictSame(idsOf((await all(`/calls?limit=${limit}`)).found), calls, `calls, limit ${limit}`);
  const known = await list('/calls?limit=3');
  t.strictSame(
    idsOf((await list(`/calls?before=${encodeURIComponent(`${known.calls[2].at}/evicted`)}`)).calls),
    calls,
    'not known any more',
  );
});

t.test('calls are filtered by status, token, path and words', async (t) => {
  const { list } = await started;
  const count = async (query: string) => (await list(`/calls?${query}`)).calls.length;
  t.equal(await count('status=4xx'), 8);
  t.equal(await count('status=401'), 1);
  t.equal(await count('identified=false'), 1);
  t.equal(await count('refused=true&path=post%20/V1'), 8);
  t.equal(await count('text=k3'), 1);
  t.equal((await list('/calls?text=k3&contents=false')).calls[0].request, undefined);
});

t.test('operators of accounts get pages of their numbers, and no words of bodies without permission', async (t) => {
  const { all, list } = await started;
  const both = { 'x-accounts': 'alpha beta' };
  const whole = idsOf((await list('/deliveries?limit=500')).deliveries);
  t.strictSame(idsOf((await all('/deliveries?limit=2', both)).found), whole);
  t.equal((await all('/deliveries?limit=2', { 'x-accounts': 'beta' })).found.length, 6);
  t.equal((await all('/deliveries?limit=2&text=parcel', both)).found.length, 12);
  t.match(await list('/deliveries', { 'x-accounts': 'gamma' }), { deliveries: [], next: null, looked_back_to: null });
  const metadata = { 'x-accounts': 'alpha beta', 'x-roles': 'metadata' };
  t.equal((await all('/deliveries?limit=2&text=parcel', metadata)).found.length, 0);
  t.equal((await all('/deliveries?limit=2&text=msgapp', metadata)).found.length, 12);
});

t.test('contacts of all numbers are listed, filtered and blocked', async (t) => {
  const { all, list, admin, call, made, token, begin } = await started;
  const shownOf = (found: readonly object[]) => (found as { contact: { uuid: string } }[]).map(({ contact }) => contact.uuid);
  const { contacts } = await list('/contacts?limit=500');
  t.equal(contacts.length, 6);
  t.match(contacts[0], {
    contact: { number: made[1]!.uuid, id: '27820000002', fields: { last_message_received_at: String } },
    ids: ['27820000002'],
    conversation: { number: made[1]!.uuid, contact: contacts[0].contact.uuid },
    message: { content: { text: { body: 'Parcel 11 for the café' } } },
  });
  const whole = shownOf(contacts);
  t.strictSame(
    contacts.map(({ contact }: { contact: { created_at: string } }) => contact.created_at),
    contacts
      .map(({ contact }: { contact: { created_at: string } }) => contact.created_at)
      .toSorted()
      .toReversed(),
  );
  for (const query of ['', '&text=zoe'])
    for (const limit of [1, 4, 6]) t.strictSame(shownOf((await all(`/contacts?limit=${limit}${query}`)).found), whole, `${limit}${query}`);
  const count = async (query: string) => (await all(`/contacts?limit=4&${query}`)).found.length;
  t.equal(await count(`number=${made[0]!.uuid}`), 3);
  t.equal(await count(`number=${made[0]!.uuid}&text=%2B27820000002%20zoe`), 1, 'in another spelling');
  t.equal(await count('text=zaphod'), 0);
  t.equal(await count('id=%2B27820000002'), 2, 'one of each number');
  const at = (s: number) => encodeURIComponent(new Date(Date.parse(begin) + s * 1_000).toISOString());
  t.equal(await count(`from=${at(4)}`), 2);
  t.equal(await count(`from=${at(4)}&text=zoe`), 2);

  const { contact } = contacts[2];
  t.match((await admin('PUT', `/contacts/${contact.uuid}/block`, { reason: 'spam' })).body.contact, {
    blocked: { operator: { reason: 'spam', at: String } },
  });
  const payload = { to: contact.id, type: 'text', text: { body: 'hi' } };
  const sent = await call('POST', '/v1/messages', { headers: { authorization: `Bearer ${token}` }, payload });
  t.match(sent, { status: 400, body: { errors: [{ code: 130403 }] } }, 'refused');
  t.equal(await count('blocked=any'), 1);
  t.equal(await count('blocked=operator&text=zoe'), 1);
  t.equal(await count('blocked=network'), 0);
  t.equal(await count('opted_in=true'), 0);
  t.equal(await count('opted_in=false'), 6);
  t.notOk('blocked' in (await admin('DELETE', `/contacts/${contact.uuid}/block`)).body.contact);

  const both = { 'x-accounts': 'alpha beta' };
  t.strictSame(shownOf((await all('/contacts?limit=2', both)).found), whole);
  t.equal((await all('/contacts?limit=2&text=zoe', { 'x-accounts': 'beta' })).found.length, 3);
  const [hidden] = (await list('/contacts', { 'x-roles': 'people', 'x-accounts': 'beta' })).contacts;
  t.match(hidden, { ids: Array, conversation: {} });
  t.notOk('message' in hidden, 'no text without permission');
});

t.test('one call looks at a bounded number of deliveries, and says how far back', async (t) => {
  const { list, all, admin } = await started;
  const [{ uuid }] = (await list('/deliveries?text=%22parcel%200%22')).deliveries;
  for (let n = 0; n < 5; n++) await admin('POST', `/deliveries/${uuid}/redeliver`, { body: '{}', times: 100 });
  const page = await list('/deliveries?text=%22parcel%200%22');
  t.match(page, { deliveries: [], looked_back_to: String, next: String }, '500 newer ones were looked at');
  t.equal((await all('/deliveries?text=%22parcel%200%22')).found.length, 1, 'the next page goes on');
});

t.test('lists are merged up to the time to which all have looked back', (t) => {
  const shards = { list: 'calls', by: ['at', 'id'], order: 'descending', pages: true } as const;
  const entry = (at: number) => ({ at: `2027-01-0${at}`, id: `${at}` });
  const short = { calls: [entry(9), entry(8)], looked_back_to: '2027-01-07', next: '2027-01-07/x' };
  const long = { calls: [entry(7), entry(5)], looked_back_to: null, next: null };
  const { calls, ...rest } = mergedLists([long, short], shards, 10);
  t.strictSame(calls, [entry(9), entry(8), entry(7)]);
  t.strictSame(rest, { looked_back_to: '2027-01-07', next: '2027-01-07/x' });
  t.match(mergedLists([long, short], shards, 2), { looked_back_to: '2027-01-08', next: '2027-01-08/8' });
  t.match(mergedLists([long], shards, 2), { looked_back_to: null, next: null });
  const kinds = { list: 'results', by: ['at', 'id'], order: 'descending', kinds: 'kinds' } as const;
  const found = (ids: readonly number[], looked_back_to: string | null, next: string | null) => ({
    results: ids.map((id) => ({ kind: 'call', ...entry(id) })),
    kinds: [{ kind: 'call', looked_back_to, next }],
  });
  const responses = [found([9, 6], '2027-01-06', '2027-01-06/6'), found([8, 5], null, null), found([7], '2027-01-08', null)];
  t.match(
    mergedLists(responses, kinds, 10),
    { results: [entry(9), entry(8), entry(7), entry(6)], kinds: [{ looked_back_to: '2027-01-08', next: '2027-01-06/6' }] },
    'what cannot be continued does not end the others',
  );
  t.match(mergedLists([...responses, { ...found([1], null, null), is_id: true }], kinds, 10), { is_id: true, results: [entry(1)] });
  t.end();
});

t.test('bad input gets 422 with the field', async (t) => {
  const { admin } = await started;
  for (const [query, field] of [
    ['before=yesterday', 'before'],
    ['before=2027-13-45T00:00:00Z/x', 'before'],
    ['from=yesterday', 'from'],
    ['text=%22%20%22', 'text'],
    [`text=${Array.from({ length: 13 }, (_, n) => `w${n}`).join('%20')}`, 'text'],
    [`text=${'w'.repeat(201)}`, 'text'],
  ] as const)
    for (const path of ['calls', 'deliveries']) {
      const { status, body } = await admin('GET', `/${path}?${query}`);
      t.ok(status >= 400 && status < 500, `${path} ${query}: ${status}`);
      t.match(JSON.stringify(body), field);
    }
  for (const status of ['999', '4', 'xx', '40x']) t.ok([400, 422].includes((await admin('GET', `/calls?status=${status}`)).status), status);
  t.equal((await admin('GET', '/deliveries?before=2020-01-01T00:00:00Z/%2e%2e%2fx')).status, 200, 'an unknown place is a time');
});
