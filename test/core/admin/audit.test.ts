import t from 'tap';
import { advice, collection, definePlugin, object, route, string } from '#core';
import { startPlatform, type Tap, type TestPlatformOptions } from '#core/testing';
import { auditRecords } from '../../../core/kernel/observe/audit-record.js';
import { masked } from '../../../core/kernel/observe/audited-transaction.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';

const DAY = 24 * 60 * 60 * 1000;
const operators = {
  authenticate: ({ headers }: { headers: Record<string, string | undefined> }) =>
    headers['x-user'] === undefined ? undefined : { id: headers['x-user'], name: headers['x-user'].toUpperCase(), roles: ['owner'] },
};
const counts = collection<{ id: string; n: number }>({ key: 'id', tenant: { global: true }, audited: ['n'] });

/** A plugin with calls that fail after their change, and that only read. */
const counting = definePlugin({
  name: 'counting',
  version: '1.0.0',
  collections: { counts },
  register: ({ store }) => ({
    admin: [
      route({
        method: 'POST',
        path: '/counting/{id}',
        summary: 'Counts.',
        request: { params: object({ id: string() }) },
        responses: { 200: object({}) },
        async handler({ params }) {
          await store.transaction(async (tx) => {
            const n = ((await tx.in(counts).get('one'))?.n ?? 0) + 1;
            tx.in(counts).put({ id: 'one', n });
          });
          if (params.id === 'fail') throw new Error('after the change');
          return {};
        },
      }),
    ],
  }),
});

async function start(t: Tap, options: Partial<TestPlatformOptions> = {}) {
  const test = await startPlatform(t, {
    plugins: [webhooks(), counting()],
    privateTargets: 'allow',
    operators,
    ...options,
  } as TestPlatformOptions);
  const { call, admin } = test;
  const { uuid } = await test.number('network');
  const as = (user: string, method: string, path: string, payload?: unknown) =>
    call(method, `/admin/v1${path}`, {
      headers: { 'x-user': user, 'x-posthorn': '1', 'user-agent': 'tests' },
      ...(payload !== undefined && { payload }),
    });
  const listed = async (query = '') => (await admin('GET', `/audit${query}`)).body.records;
  return { ...test, uuid, as, listed };
}

t.test('a change is recorded with its operator, and the fields before and after, without secrets', async (t) => {
  const { as, listed, uuid, store } = await (async () => {
    const test = await start(t);
    return { ...test, store: test.platform.store };
  })();
  const made = await as('ann', 'POST', '/webhooks', {
    number: uuid,
    name: 'crm',
    url: 'https://hooks.test/services/T0PASSWORD4/v1/PASS-WORD-2x?token=PASS-WORD-2',
    subscriptions: ['msgapp'],
    headers: { 'x-api-key': 'PASS-WORD-3' },
  });
  t.equal(made.status, 201, JSON.stringify(made.body));
  const { webhook } = made.body;
  await as('ben', 'PATCH', `/webhooks/${webhook.uuid}`, { name: 'new name' });
  const [changed, created] = await listed();
  t.match(changed, {
    operator: { id: 'ben', name: 'BEN', roles: ['owner'] },
    action: 'webhooks.write',
    call: 'PATCH /webhooks/{uuid}',
    params: { uuid: webhook.uuid },
    from: '127.0.0.1',
    user_agent: 'tests',
    request_id: String,
    status: 200,
    changes: [
      { records: 'core.webhooks', what: 'changed', key: webhook.uuid, fields: [{ field: 'name', before: 'crm', after: 'new name' }] },
    ],
  });
  t.match(created, { operator: { id: 'ann' }, call: 'POST /webhooks', status: 201 });
  t.match(created.changes[0].fields, [{ field: 'url', after: 'https://hooks.test/services/…/v1/…?…' }]);
  const kept = JSON.stringify(await store.open(auditRecords).list());
  for (const secret of ['PASS-WORD-2', 'PASS-WORD-3', 'PASSWORD4', webhook.secret ?? webhook.hmac_secret])
    t.notOk(kept.includes(secret), secret);
  t.strictSame(
    (await listed('?operator=ben')).map(({ id }: { id: string }) => id),
    [changed.id],
  );
  t.strictSame(
    (await listed(`?target=${webhook.uuid}`)).map(({ id }: { id: string }) => id),
    [changed.id],
  );
  t.strictSame(
    (await listed(`?before=${encodeURIComponent(changed.id)}`)).map(({ id }: { id: string }) => id),
    [created.id],
  );
  t.strictSame(await listed('?action=journeys.write'), []);
});

t.test('of a URL, the host and the words of the path are recorded', async (t) => {
  const shown = {
    'https://hooks.slack.test/services/T0AB12CD3/B0AB12CD3/xxabcdefghijklmnopqrstuv': 'https://hooks.slack.test/services/…/…/…',
    'https://chat.test/api/webhooks/112233445566778899/aB-c_d': 'https://chat.test/api/webhooks/…/…',
    'https://hooks.zap.test/hooks/catch/1234567/ab1cde/': 'https://hooks.zap.test/hooks/catch/…/…/',
    'https://user:pass@crm.test:8443/in-box/v2': 'https://…@crm.test:8443/in-box/v2',
    'HTTPS://crm.test/in?a=b#c': 'HTTPS://crm.test/in?…',
    'https://crm.test#token': 'https://crm.test#…',
    'https://crm.test/%73ecret/a.b/in%2Fb': 'https://crm.test/…/a.b/…',
    'https://crm.test/in\nPASS': 'https://crm.test/…',
    'https://a@b@crm.test': 'https://…@crm.test',
    'https://crm.test': 'https://crm.test',
    'loft:1': 'loft:1',
  };
  for (const [url, text] of Object.entries(shown)) t.equal(masked('url', url), text);
  t.equal(masked('secret', 'https://crm.test'), '…');
});

t.test('reading advice is recorded when it shows texts, which may name contacts', async (t) => {
  const { call, listed, platform, admin } = await start(t, {
    operators: {
      authenticate: ({ headers }) => ({ id: 'eve', name: 'Eve', roles: [String(headers['x-role'])] }),
      roles: { watcher: ['platform.read'] },
    },
  });
  const read = (role: string) => call('GET', '/admin/v1/advice', { headers: { 'x-role': role } });
  await read('viewer');
  t.strictSame(await listed(), [], 'there is none');
  await platform.store.transaction((tx) => tx.emit(advice, { name: 'a', message: 'PRIVATE-WORDS', fix: 'f' }));
  t.equal((await admin('GET', '/advice')).body.advice.length, 1);
  t.notMatch(JSON.stringify((await read('watcher')).body), 'PRIVATE-WORDS');
  t.match((await read('viewer')).body.advice, [{ message: 'PRIVATE-WORDS' }]);
  const records = await listed();
  t.strictSame(
    records.map(({ operator, call, action }: Record<string, { id: string }>) => [operator!.id, call, action]),
    [
      ['eve', 'GET /advice', 'messages.read_bodies'],
      ['key', 'GET /advice', 'messages.read_bodies'],
    ],
  );
  t.notMatch(JSON.stringify(records), 'PRIVATE-WORDS');
});

t.test('a call that changes nothing has no record, and one that fails after its change has', async (t) => {
  const { as, listed, uuid } = await start(t);
  t.equal((await as('ann', 'POST', '/webhooks', { number: uuid, url: 'not a URL' })).status, 400);
  t.equal((await as('ann', 'DELETE', '/webhooks/00000000-0000-4000-8000-000000000000')).status, 404);
  await as('ann', 'GET', '/webhooks');
  t.strictSame(await listed(), []);
  t.equal((await as('ann', 'POST', '/counting/fail')).status, 500);
  t.match(await listed(), [
    { call: 'POST /counting/{id}', status: 500, changes: [{ records: 'counting.counts', fields: [{ field: 'n', after: 1 }] }] },
  ]);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) t.equal((await as('ann', method, '/audit')).status, 405, 'append only');
});

t.test('reading what people wrote is recorded, repeated reads once a minute', async (t) => {
  const { as, listed, clock, platform, uuid } = await start(t);
  const number = await platform.numbers.require(uuid);
  const content = { text: { body: 'PRIVATE-WORDS' } };
  const { message } = await platform.store.transaction((tx) =>
    platform.messages.received(tx, number, {
      id: 'in-1',
      contact: { id: '27820007771' },
      from: '27820007771',
      timestamp: '1',
      type: 'text',
      content,
    }),
  );
  for (let n = 0; n < 3; n++) t.equal((await as('ann', 'GET', `/conversations/${message.conversation}`)).status, 200);
  await as('ben', 'GET', `/conversations/${message.conversation}`);
  await clock.advance(61_000);
  await as('ann', 'GET', `/conversations/${message.conversation}`);
  const records = await listed();
  t.strictSame(
    records.map(({ operator }: { operator: { id: string } }) => operator.id),
    ['ann', 'ben', 'ann'],
  );
  t.match(records[0], { action: 'messages.read_bodies', params: { uuid: message.conversation }, changes: [] });
  t.notOk(JSON.stringify(records).includes('PRIVATE-WORDS'));
  const contact = (await platform.contacts.list(uuid))[0]!;
  await platform.store.transaction((tx) =>
    platform.messages.received(tx, number, {
      ...{ id: 'in-2', contact: { id: 'pen-name' }, from: 'pen-name', timestamp: '1', type: 'text', content },
    }),
  );
  for (const who of ['pen-name', contact.uuid]) await as('ann', 'GET', `/why?contact=${encodeURIComponent(who)}`);
  t.strictSame(
    (await listed()).slice(0, 2).map(({ params }: { params: { contact: string } }) => params.contact),
    [contact.uuid, '…'],
  );
  await as('ann', 'GET', '/why?message=in-1');
  t.match((await listed())[0], { params: { message: '…' } });
  await as('ann', 'PATCH', `/contacts/${contact.uuid}`, { fields: { name: 'SECRET-NAME' } });
  await as('ann', 'DELETE', `/contacts/${contact.uuid}`);
  const [erased, patched] = await listed();
  t.match(patched, { changes: [{ records: 'core.contacts', what: 'changed', count: 1 }] });
  t.match(erased, { action: 'contacts.erase', status: 200, changes: [{ records: 'core.contacts', what: 'deleted', count: 1 }] });
  t.notOk(JSON.stringify(await listed()).includes('SECRET-NAME'), 'the records have the fact, and no data of the contact');
});

t.test('records are deleted by their age and size only', async (t) => {
  const { as, listed, clock } = await start(t, { audit: { keptDays: 10, keptBytes: 100_000 } });
  await as('ann', 'POST', '/counting/a');
  await clock.advance(9 * DAY);
  await as('ann', 'POST', '/counting/b');
  t.equal((await listed()).length, 2);
  await clock.advance(1.1 * DAY);
  t.match(await listed(), [{ params: { id: 'b' } }]);
});

t.test('what follows from a call later is not part of it', async (t) => {
  const { as, listed, uuid, clock, http } = await start(t);
  http.answer('https://hooks.test/in', {});
  await as('ann', 'POST', '/webhooks', { number: uuid, name: 'crm', url: 'https://hooks.test/in', subscriptions: ['msgapp'] });
  const [{ id }] = await listed();
  await clock.advance(60_000);
  const [record, ...others] = await listed();
  t.equal(record.id, id);
  t.strictSame(others, []);
});
