import { randomUUID } from 'node:crypto';
import t from 'tap';
import { type Authenticate, definePlugin, type NumberRecord, unixSeconds } from '#core';
import { startPlatform } from '#core/testing';
import { NewestTexts, PAGE, textRow } from '../../../../core/admin/search/newest-texts.js';
import { queryOf } from '../../../../core/admin/search/query.js';
import { describedPlugins } from '../../../../sandbox/server/described-plugins.js';

const ofHeader: Authenticate = ({ headers: { 'x-roles': roles, 'x-accounts': accounts } }) =>
  roles === undefined
    ? undefined
    : { id: 'ann', name: 'Ann', roles: [String(roles)], ...(accounts !== undefined && { accounts: [String(accounts)] }) };

const NOTEBOOK = 'card Welcome do\n  text("Hello")\nend\n\ncard Hours do\n  text("The café opens at nine")\nend\n';

/** A platform with records of every kind, two numbers of two accounts, and functions that search. */
const started = (async () => {
  const test = await startPlatform(t, {
    plugins: describedPlugins(),
    recording: { calls: true },
    operators: { authenticate: ofHeader, roles: { metadata: ['deliveries.read', 'contacts.read'] } },
    rateLimits: false,
  });
  const { platform, admin, clock, number, http, call } = test;
  http.answer('*', { body: {} });
  const beta = await number('network', { account: 'beta', name: 'Beta', address: '+27110000002' });
  const alpha = await number('network', { account: 'alpha', name: 'Alpha Clinic', address: '+27110000001' });
  const webhook = (
    await admin('POST', '/webhooks', { number: alpha.uuid, url: 'https://hook.test/crm', name: 'Crm', subscriptions: ['msgapp'] })
  ).body.webhook.uuid;
  const record = (await platform.numbers.get(alpha.uuid)) as NumberRecord;
  const receive = async (id: string, from: string, body: string, to = record) => {
    const { message } = await platform.store.transaction((tx) =>
      platform.messages.received(tx, to, {
        ...{ id, contact: { id: from, name: `Zoë ${from.slice(-2)}` }, from, timestamp: unixSeconds(clock.now()) },
        ...{ type: 'text', content: { text: { body } } },
      }),
    );
    await clock.advance(10);
    return message;
  };
  const first = await receive('wamid.1', '27820000001', 'My order 4711 has not arrived');
  await receive('wamid.2', '27820000002', 'Où est ma COMMANDE de crème brûlée?');
  await receive('wamid.3', '27820000003', 'order of Beta', (await platform.numbers.get(beta.uuid)) as NumberRecord);
  const journey = randomUUID();
  await admin('PUT', `/journeys/${journey}`, { number: alpha.uuid, notebook: NOTEBOOK, name: 'Opening' });
  const once = async (query: string, headers?: Record<string, string>) => {
    const { status, body } = await (headers ? call('GET', `/admin/v1/search${query}`, { headers }) : admin('GET', `/search${query}`));
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body;
  };
  /** The whole result: on a busy machine a search may end before it has looked at everything. */
  const find: typeof once = async (query, headers) => {
    for (;;) {
      const answer = await once(query, headers);
      if (answer.kinds.every(({ looked_back_to: at }: { looked_back_to: string | null }) => at === null)) return answer;
    }
  };
  const kindsOf = async (q: string, headers?: Record<string, string>): Promise<string[]> =>
    (await find(`?q=${encodeURIComponent(q)}`, headers)).results.map(({ kind }: { kind: string }) => kind);
  return { ...test, alpha, beta, webhook, record, receive, first, journey, once, find, kindsOf };
})();

t.test('words in any order find records of every kind, without regard to case and accents', async (t) => {
  const { find, kindsOf, first, journey, webhook, receive } = await started;
  t.match((await find('?q=ARRIVED%20order&kinds=message')).results, [
    {
      kind: 'message',
      id: first.uuid,
      title: 'from Zoë 01 (27820000001)',
      text: 'My order 4711 has not arrived',
      on: { kind: 'conversation' },
    },
  ]);
  t.match((await find('?q=creme%20brulee&kinds=message')).results, [{ text: /crème brûlée/ }]);
  t.strictSame((await find('?q=%22arrived%20order%22')).results, [], 'a phrase');
  t.match((await find('?q=zoe%2001')).results, [{ kind: 'contact', title: 'Zoë 01 (27820000001)' }]);
  t.match((await find('?q=cafe')).results, [{ kind: 'journey', id: journey, title: 'Opening, card Hours' }]);
  t.match((await find('?q=hook.test')).results, [{ kind: 'webhook', id: webhook, title: 'Crm' }]);
  t.ok((await kindsOf('4711')).includes('delivery'), 'in the body of a delivery');
  t.match(await find('?q=alpha%20clinic&kinds=number'), {
    results: [{ kind: 'number' }],
    kinds: [{ kind: 'number', looked_back_to: null }],
  });
  await receive('wamid.4', '27820000001', 'a xylophone, later than the first search');
  t.strictSame(await kindsOf('xylophone'), ['message', 'delivery']);
});

t.test('an id finds only its record', async (t) => {
  const { find, first, journey, webhook, alpha, admin, call } = await started;
  const only = async (id: string) => {
    const { results } = await find(`?q=${encodeURIComponent(id)}`);
    return results.flatMap((one: { kind: string; id: string }) => [one.kind, one.id]);
  };
  const [delivery] = (await admin('GET', '/deliveries')).body.deliveries;
  for (const [kind, id] of [
    ['message', first.uuid],
    ['contact', first.contact],
    ['conversation', first.conversation],
    ['number', alpha.uuid],
    ['webhook', webhook],
    ['journey', journey],
    ['delivery', delivery.uuid],
  ])
    t.strictSame(await only(id), [kind, id]);
  t.strictSame(await only('wamid.1'), ['message', first.uuid]);
  t.strictSame(await only('27820000001'), ['contact', first.contact]);
  const { headers } = await call('GET', '/v1/contacts/0', { token: alpha.token });
  t.strictSame(await only(String(headers['x-request-id'])), ['call', headers['x-request-id']]);
});

t.test('pages continue without a gap, and a wrong query is refused', async (t) => {
  const { once, find, receive, admin } = await started;
  for (let n = 0; n < 7; n++) await receive(`wamid.p${n}`, '27820000001', `parcel number-${n}`);
  await find('?q=parcel%20none');
  const found: string[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const page = await once(`?q=parcel&kinds=message&limit=3${next && `&before=${encodeURIComponent(next)}`}`);
    found.push(...page.results.map(({ text }: { text: string }) => text.slice(-1)));
    next = page.kinds[0].next;
  }
  t.equal(found.join(''), '6543210');
  for (const query of [
    '',
    '?q=',
    '?q=%22',
    '?q=a&kinds=fax',
    '?q=a&before=2026-01-01T00:00:00Z',
    '?q=a&kinds=call&before=x',
    '?q=a&limit=101',
  ])
    t.match(await admin('GET', `/search${query}`), { status: 400, body: { errors: [{ code: 1009 }] } }, query);
  t.match(await admin('GET', '/search?q=a&kinds=call&before=2026-99-01T00:00:00Z'), { status: 400 });
  t.equal((await admin('GET', `/search?q=${encodeURIComponent('%_\\ ( [ * 😀')}`)).status, 200);
});

t.test('operators find what they may see', async (t) => {
  const { kindsOf, first, beta } = await started;
  t.strictSame(await kindsOf('order', { 'x-roles': 'owner', 'x-accounts': 'beta' }), ['message']);
  t.strictSame(await kindsOf(first.uuid, { 'x-roles': 'owner', 'x-accounts': 'beta' }), [], 'nor by its id');
  t.strictSame(await kindsOf('27110000002', { 'x-roles': 'owner', 'x-accounts': 'beta' }), ['number']);
  t.strictSame(await kindsOf('alpha', { 'x-roles': 'viewer', 'x-accounts': 'none' }), []);
  t.strictSame(await kindsOf('arrived', { 'x-roles': 'metadata' }), [], 'bodies of deliveries need another permission');
  t.strictSame(await kindsOf('zoe', { 'x-roles': 'metadata' }), ['contact', 'contact', 'contact']);
  t.ok(beta);
});

t.test('an erased contact is not found, and its texts are removed from memory', async (t) => {
  const { admin, receive, kindsOf } = await started;
  const { contact } = await receive('wamid.e', '27820000009', 'a secret of mine');
  t.ok((await kindsOf('secret')).includes('message'));
  t.match(await admin('DELETE', `/contacts/${contact}`), { status: 200 });
  t.strictSame(await kindsOf('secret'), []);
  t.strictSame(await kindsOf('27820000009'), []);
});

t.test('a search of a plugin is checked when the platform starts', async (t) => {
  const searching = (search: object) =>
    definePlugin({ name: 'letters', version: '1.0.0', register: () => ({ search: [search as never] }) })();
  const source = { kind: 'letter', permission: 'letters.read', find: async () => ({ found: [] }) };
  await t.rejects(startPlatform(t, { plugins: [searching(source)] }), /'letters.read', which no plugin declares/);
  await t.rejects(startPlatform(t, { plugins: [searching({ kind: 'letter' })] }), /search\[0\] is not a search/);
  await t.rejects(startPlatform(t, { plugins: [searching({ ...source, kind: 'number' })] }), /already contributed/);
});

t.test('texts are read from the newest to the oldest up to a size, and later ones replace the oldest', async (t) => {
  const rows = Array.from({ length: 500 }, (_, n) => textRow(`id-${n}`, new Date(n).toISOString(), 'one', `text ${n}`));
  const texts = (maxBytes: number) =>
    new NewestTexts({
      maxBytes: () => maxBytes,
      now: () => new Date(1_000),
      numbers: async () => [{ uuid: 'one' }, { uuid: 'none' }],
      older: async (number, before) =>
        number === 'one'
          ? rows
              .filter((row) => !before || row.at < before.at)
              .reverse()
              .slice(0, PAGE)
          : [],
      onBegin: () => undefined,
      onFailure: (error) => t.error(error),
    });
  const all = async (kept: NewestTexts) => {
    kept.begin();
    const ids: string[] = [];
    for await (const block of kept.newestFirst(async () => true)) ids.push(...block.map(({ id }) => id).reverse());
    return ids;
  };
  const whole = texts(1_000_000);
  t.strictSame(await all(whole), rows.map(({ id }) => id).reverse());
  t.equal(whole.rest, undefined);
  t.equal(whole.restAfter(undefined)?.at, new Date(1_000).toISOString(), 'a search whose time was over has seen none of them');
  whole.put(textRow('id-7', new Date(7).toISOString(), 'one', 'changed'));
  whole.put(textRow('new', new Date(2_000).toISOString(), 'one', 'new'));
  t.strictSame((await all(whole)).slice(0, 2), ['new', 'id-499']);
  whole.remove(['new']);
  whole.clear();
  t.notOk(whole.isOn);
  const late = texts(1_000_000);
  late.begin();
  const untilRead = async () => {
    while (late.rest) await new Promise((done) => setTimeout(done, 1));
    return false;
  };
  for await (const _ of late.newestFirst(untilRead)) t.fail('its time is over');
  t.ok(late.restAfter(undefined), 'a search that ends while texts are read has not looked at them');
  const part = texts(62_000);
  const kept = await all(part);
  t.ok(kept.length > 150 && kept.length < 250, String(kept.length));
  t.match(part.rest, { at: rows[500 - kept.length]!.at, id: undefined });
  for (let n = 0; n < 400; n++) part.put(textRow(`later-${n}`, new Date(3_000 + n).toISOString(), 'one', 'later'));
  const later = await all(part);
  t.ok(later.length < 450 && later.every((id) => id.startsWith('later')), String(later.length));
});

t.test('excerpts show the first word', async (t) => {
  const query = queryOf('Größe  "zwei  Worte"')!;
  t.strictSame(query.words, ['große', 'zwei  worte']);
  t.equal(queryOf('x'.repeat(10))!.excerptOf('y'), undefined);
  t.match(queryOf('needle')!.excerptOf(`${'e\u0301'.repeat(300)} needle ${'b'.repeat(300)}`), /^….*needle b+…$/);
  t.equal(queryOf(' " '), undefined);
  t.equal(queryOf('a b c d e f g h i j k l m'), undefined);
});
