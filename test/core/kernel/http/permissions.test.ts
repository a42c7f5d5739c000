import t from 'tap';
import { advice, boolean, definePlugin, object, permit, route } from '#core';
import { RecordingLogger, startPlatform } from '#core/testing';
import { clusterRoutes } from '../../../../plugins/cluster/admin-routes.js';
import { flows } from '../../../../plugins/flows/plugin.js';
import { journeys } from '../../../../plugins/journeys/plugin.js';
import { webhooks } from '../../../../plugins/webhooks/plugin.js';
import { testsPlugin } from '../../../../sandbox/journey-tests/tests-plugin.js';
import { describedPlugins } from '../../../../sandbox/server/described-plugins.js';
import { routesOf } from '../../../../scripts/docs/everything.js';
import { anyBody } from '../../delivery/webhook-platform.js';

const answers = (path: `/${string}`, permission?: string) =>
  route({
    method: 'GET',
    path,
    ...(permission !== undefined && { permission }),
    summary: 'Answers.',
    responses: { 200: object({ ok: boolean() }) },
    handler: () => ({ ok: true }),
  });

const pigeons = (...admin: ReturnType<typeof answers>[]) =>
  definePlugin({
    name: 'pigeons',
    version: '1.0.0',
    permissions: { 'pigeons.fly': permit.authors('Let pigeons fly.') },
    register: () => ({ admin }),
  })();

const ofHeader = ({ headers }: { headers: Record<string, unknown> }) =>
  headers['x-role'] === undefined ? undefined : { id: 'one', name: 'One', roles: String(headers['x-role']).split(' ') };

t.test('every admin route of the package declares a permission', async (t) => {
  const { server } = await startPlatform(t, { plugins: describedPlugins() });
  const all = routesOf(server).filter(({ isAdmin }) => isAdmin);
  t.ok(all.length > 150);
  const cluster = clusterRoutes(undefined as never).map((one) => ({ path: one.path, route: one }));
  t.strictSame(
    [...all, ...cluster].filter((one) => one.route.permission === undefined).map(({ route: { method }, path }) => `${method} ${path}`),
    [],
  );
});

t.test('roles allow the calls of their permissions', async (t) => {
  const log = new RecordingLogger();
  const { call } = await startPlatform(t, {
    plugins: [pigeons(answers('/pigeons/fly', 'pigeons.fly'), answers('/pigeons/secret'), answers('/pigeons/any', 'any'))],
    operators: { authenticate: ofHeader, roles: { falconer: ['pigeons.fly'], author: ['platform.read'] } },
    ports: { log },
  });
  const statuses = async (role: string) =>
    Promise.all(
      ['fly', 'secret', 'any'].map(
        async (name) => (await call('GET', `/admin/v1/pigeons/${name}`, { headers: { 'x-role': role } })).status,
      ),
    );
  t.match(await call('GET', '/admin/v1/pigeons/fly', { headers: { 'x-role': 'viewer' } }), {
    headers: { 'x-posthorn-cause': 'permission_missing' },
  });
  t.same(await statuses('owner'), [200, 200, 200]);
  t.same(await statuses('falconer'), [200, 403, 200]);
  t.same(await statuses('viewer'), [403, 403, 200]);
  t.same(await statuses('unknown falconer'), [200, 403, 200], 'an unknown role allows nothing');
  t.same(await statuses('__proto__'), [403, 403, 200]);
  t.same(await statuses('author'), [403, 403, 200], 'a role of the host replaces a default one');
  t.match(log.lines, [{ level: 'warn', message: /without a permission/, fields: { plugin: 'pigeons', calls: ['GET /pigeons/secret'] } }]);
});

t.test('some calls need a further permission, or show less without it', async (t) => {
  const { call, http, platform, number } = await startPlatform(t, {
    plugins: [webhooks(), flows(), journeys(), testsPlugin(), anyBody()],
    operators: {
      authenticate: ofHeader,
      roles: {
        writer: ['flows.write', 'journeys.write'],
        explainer: ['webhooks.explain'],
        watcher: ['platform.read', 'advice.dismiss'],
        tester: ['tests.run'],
      },
    },
  });
  http.answer('https://hook.test/*', {});
  const { uuid } = await number('network');
  const { webhook } = await platform.store.transaction((tx) =>
    platform.webhooks.create(tx, { number: uuid, url: 'https://hook.test/', name: 'crm', subscriptions: ['network'] }),
  );
  const { uuid: delivery } = await platform.store.transaction((tx) =>
    platform.deliveries.post(tx, { event: 'e', webhook, kind: 'network', body: { text: 'hello' } }),
  );
  const as = (role: string, method: string, path: string, payload?: object) =>
    call(method, `/admin/v1${path}`, { headers: { 'x-role': role, 'x-posthorn': '1' }, ...(payload && { payload }) });

  t.equal((await as('operator', 'POST', `/deliveries/${delivery}/redeliver`)).status, 200);
  t.equal((await as('operator', 'POST', `/deliveries/${delivery}/redeliver`, { times: 2 })).status, 200, 'copies without changes');
  for (const change of [{ url: 'https://other.test/' }, { body: '{}' }, { keep_signature: true }]) {
    const refused = await as('operator', 'POST', `/deliveries/${delivery}/redeliver`, change);
    t.equal(refused.status, 403, JSON.stringify(change));
    t.match(JSON.stringify(refused.body), /deliveries\.edit/);
    t.equal((await as('owner', 'POST', `/deliveries/${delivery}/redeliver`, change)).status, 200, JSON.stringify(change));
  }
  const [record] = (await as('owner', 'GET', '/audit?action=deliveries.redeliver')).body.records.slice(2);
  t.match(record.params, { uuid: delivery, url: 'https://other.test/' }, 'the record has the URL');

  const asked = { webhook: webhook.uuid, body: 'any body', signature: 'x' };
  t.match((await as('operator', 'POST', '/signatures/explain', asked)).body, { matches: false, expected: null, steps: [] });
  t.match((await as('owner', 'POST', '/signatures/explain', asked)).body, { matches: false, expected: String, steps: [{}] });
  t.match((await as('operator', 'POST', '/signatures/explain', { delivery, signature: 'x' })).body, { expected: String });
  t.match((await as('explainer', 'POST', '/signatures/explain', { delivery, signature: 'x' })).body, { expected: null, steps: [] });
  const { webhook: another } = await platform.store.transaction((tx) =>
    platform.webhooks.create(tx, { number: uuid, url: 'https://hook.test/b', name: 'b', subscriptions: ['network'] }),
  );
  const crossed = await as('operator', 'POST', '/signatures/explain', { delivery, webhook: another.uuid, signature: 'x' });
  t.match(crossed.body, { expected: null, steps: [] }, 'the signature of another webhook is not shown');

  const flow = { account: 'acme', name: 'survey', definition: '{}', publish: true };
  t.match(JSON.stringify((await as('writer', 'POST', '/flows', flow)).body), /flows\.publish/);
  t.equal((await as('writer', 'POST', '/flows', { ...flow, publish: false })).status, 201);

  const notebook = { notebook: '# A journey' };
  const path = '/journeys/1f3d5c7e-0000-4000-8000-000000000001/notebook';
  const published = await as('writer', 'PUT', `${path}?number=${uuid}&revision=production`, notebook);
  t.match([published.status, JSON.stringify(published.body)], [403, /journeys\.publish/]);
  t.equal((await as('viewer', 'POST', '/messages/any/flow')).status, 403, 'the answer of a form is a message of the contact');

  const recorded = { conversation: '1f3d5c7e-0000-4000-8000-000000000002' };
  const kept = await as('tester', 'POST', '/tests/recordings/conversation', { ...recorded, personal_data: 'keep' });
  t.match([kept.status, JSON.stringify(kept.body)], [403, /messages\.read_bodies/]);
  t.equal((await as('tester', 'POST', '/tests/recordings/conversation', recorded)).status, 404, 'with made-up values');
  t.equal((await as('author', 'POST', '/tests/recordings/conversation', { ...recorded, personal_data: 'keep' })).status, 404);

  const about = { name: 'a', number: uuid, message: 'from +27821234567', fix: 'ask +27821234567' };
  await platform.store.transaction((tx) => tx.emit(advice, about));
  const [issued] = (await as('viewer', 'GET', '/advice')).body.advice;
  t.match(issued, { message: 'from +27821234567' });
  t.notMatch(JSON.stringify((await as('watcher', 'GET', '/advice')).body), /27821234567/);
  t.notMatch(JSON.stringify((await as('watcher', 'DELETE', `/advice/${issued.id}`)).body), /27821234567/);
});

t.test('a misspelt permission fails the start', async (t) => {
  await t.rejects(
    startPlatform(t, { plugins: [pigeons(answers('/pigeons/fly', 'pigeons.flie'))] }),
    /needs 'pigeons.flie', which no plugin declares/,
  );
  const roles = { support: ['messages.read_body'] };
  await t.rejects(startPlatform(t, { plugins: [], operators: { authenticate: [], roles } }), /unknown permission 'messages.read_body'/);
  await t.rejects(startPlatform(t, { plugins: [], operators: { authenticate: [], roles: { owner: [] } } }), /roles.owner/);
});

t.test('GET /me names the calls that an operator may not make, each with what it needs', async (t) => {
  const { call } = await startPlatform(t, {
    plugins: [pigeons(answers('/pigeons/fly', 'pigeons.fly'), answers('/pigeons/secret'), answers('/pigeons/any', 'any'))],
    operators: {
      authenticate: ({ headers }) => ({
        id: 'one',
        name: 'One',
        roles: [String(headers['x-role'])],
        ...(headers['x-some'] !== undefined && { accounts: [] }),
      }),
    },
  });
  const refused = async (headers: Record<string, string>): Promise<Record<string, string | null>> =>
    Object.fromEntries(
      (await call('GET', '/admin/v1/me', { headers })).body.refused.map((one: { method: string; path: string; permission: string }) => [
        `${one.method} ${one.path}`,
        one.permission,
      ]),
    );
  const ofViewer = await refused({ 'x-role': 'viewer' });
  t.match(ofViewer, { 'GET /pigeons/fly': 'pigeons.fly', 'GET /pigeons/secret': 'owner', 'POST /keys': 'keys.write' });
  t.notOk('GET /pigeons/any' in ofViewer);
  t.notOk('GET /numbers' in ofViewer);
  t.same(await refused({ 'x-role': 'owner' }), {});
  const restricted = await refused({ 'x-role': 'author', 'x-some': '1' });
  t.match(restricted, { 'GET /pigeons/fly': null, 'GET /pigeons/secret': 'owner', 'GET /metrics': null });
  t.notOk('GET /me' in restricted);
  for (const path of ['/pigeons/fly', '/pigeons/secret'])
    t.equal((await call('GET', `/admin/v1${path}`, { headers: { 'x-role': 'author', 'x-some': '1' } })).status, 403, path);
});
