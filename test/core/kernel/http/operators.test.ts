import t from 'tap';
import { type Authenticate, definePlugin, Forbidden, type Operator, object, operatorOf, route, string } from '#core';
import { ADMIN_KEY, RecordingLogger, startPlatform } from '#core/testing';

const ada: Operator = { id: 'ada', name: 'Ada', roles: ['owner'] };

/** A plugin whose route returns the id of the operator. */
const whoami = (authenticate?: Authenticate) =>
  definePlugin({
    name: authenticate ? 'badges' : 'whoami',
    version: '1.0.0',
    register: () => ({
      ...(authenticate && { authenticate }),
      admin: [
        route({
          method: 'GET',
          path: authenticate ? '/badges' : '/whoami',
          summary: 'Returns the operator.',
          responses: { 200: object({ id: string() }) },
          handler: ({ request }) => ({ id: operatorOf(request).id }),
        }),
      ],
    }),
  })();

const ofHeader: Authenticate = async ({ headers }) => {
  switch (headers['x-user']) {
    case 'ada':
      return ada;
    case 'refused':
      throw new Forbidden('Ada has left');
    case 'broken':
      throw new Error('the directory is gone');
    case 'hanging':
      return new Promise(() => undefined);
    case 'without session':
      return null as unknown as undefined;
    case 'key':
    case 'host':
    case 'plugin':
    case 'key:1':
    case 'x'.repeat(201):
      return { ...ada, id: String(headers['x-user']) };
    case 'no id':
      return { ...ada, id: '' };
    case 'no name':
      return { ...ada, name: '' };
    case 'no accounts':
      return { ...ada, accounts: null } as unknown as Operator;
    default:
      return undefined;
  }
};

const ofBearer: Authenticate = ({ headers: { authorization } }) =>
  authorization === 'Bearer token-of-bob' ? { id: 'bob', name: 'Bob', roles: ['viewer', 'unknown'] } : undefined;

t.test('operators of the host application', async (t) => {
  const log = new RecordingLogger();
  const { call, server } = await startPlatform(t, {
    plugins: [whoami(), whoami(({ headers }) => (headers['x-badge'] ? { id: 'badge', name: 'Badge', roles: ['owner'] } : undefined))],
    operators: { authenticate: [ofHeader, ofBearer], timeoutMs: 20 },
    ports: { log },
  });
  const get = (headers: Record<string, string>) => call('GET', '/admin/v1/whoami', { headers });
  const found = async (headers: Record<string, string>) => (await get(headers)).body.id;

  t.equal(await found({ 'x-user': 'ada' }), 'ada', 'the first function');
  t.equal(await found({ authorization: `Bearer ${ADMIN_KEY}`, 'x-user': 'broken' }), 'key', 'the admin key, whatever the functions do');
  t.equal(await found({ 'x-badge': '1' }), 'badge', 'a function of a plugin');
  t.match(await get({ 'x-user': 'refused' }), { status: 403, body: { errors: [{ details: 'Ada has left' }] } });
  t.match(await get({}), { status: 401 });
  t.match(await get({ 'x-user': 'without session' }), { status: 401 });
  t.match(await get({ authorization: 'Bearer other' }), { status: 401, body: { errors: [{ details: 'The admin key is not valid' }] } });

  const reserved = ['key', 'host', 'plugin', 'key:1'];
  for (const user of ['broken', 'hanging', 'no accounts', 'no id', 'no name', 'x'.repeat(201), ...reserved]) {
    const { length } = log.lines;
    t.match(
      await get({ 'x-user': user }),
      { status: 503, headers: { 'x-posthorn-cause': 'operators_unavailable', 'retry-after': '5' } },
      user,
    );
    const message = 'the operator of a call could not be identified';
    const error = { message: reserved.includes(user) ? new RegExp(`the id "?${user}"? is reserved`) : /./ };
    t.match(log.lines.slice(length), [{ level: 'error', message, fields: { error } }], user);
  }
  const { result } = await server.inject({
    url: '/admin/v1/whoami',
    auth: { strategy: 'posthorn.admin', credentials: {} },
  });
  t.same(result, { id: 'host' }, 'a call that the host application injects');
});

t.test('the admin key is replaced without a restart: the previous one is refused with the next call', async (t) => {
  const log = new RecordingLogger();
  const [first, second] = ['admin-key-of-monday', 'admin-key-of-tuesday'];
  let source: () => string | Promise<string> = () => first;
  const { call, number } = await startPlatform(t, {
    plugins: [whoami()],
    admin: { key: () => source() },
    operators: { authenticate: ofHeader, timeoutMs: 20 },
    ports: { log },
  });
  const get = async (token?: string, headers = {}) =>
    (await call('GET', '/admin/v1/whoami', { headers, ...(token !== undefined && { token }) })).status;
  const added = await call('POST', '/admin/v1/keys', { token: first, payload: { name: 'desk', roles: ['owner'] } });
  t.match(added, { status: 201, body: { key: { created_by: 'key' } } });
  source = async () => second;
  t.strictSame([await get(first), await get(second)], [401, 200]);
  t.match(await call('GET', '/v1/numbers', { token: second }), { status: 404 });
  t.match(await number('network'), { token: /./ });

  const failures: (() => string | Promise<string>)[] = [
    () => Promise.reject(new Error('the vault is closed')),
    () => new Promise(() => undefined),
    () => 'short',
    () => `${second}\n`,
    () => undefined as unknown as string,
  ];
  for (const [n, failing] of failures.entries()) {
    source = failing;
    t.equal(await get(second), 503, `failure ${n}`);
    t.equal(await get(added.body.text), 200, 'stored keys work meanwhile');
    t.equal(await get(undefined, { 'x-user': 'ada' }), 200, 'and so do sessions');
  }
  source = () => second;
  t.equal(await get(second), 200);
  const lines = JSON.stringify(log.lines);
  t.match(lines, 'has returned a new key');
  for (const key of [first, second]) t.notMatch(lines, key);
});

t.test('operators without an admin key', async (t) => {
  const { call } = await startPlatform(t, { plugins: [whoami()], admin: undefined as never, operators: { authenticate: ofHeader } });
  t.equal((await call('GET', '/admin/v1/whoami', { headers: { 'x-user': 'ada' } })).status, 200);
  t.equal((await call('GET', '/admin/v1/whoami', { token: ADMIN_KEY })).status, 401);
});

t.test('a page of another site cannot use the session of an operator', async (t) => {
  const { call } = await startPlatform(t, { plugins: [], operators: { authenticate: ofHeader }, publicUrl: 'https://posthorn.test' });
  const change = async (headers: Record<string, string>) =>
    (await call('POST', '/admin/v1/store/reopen', { headers: { host: 'inner.test', 'x-user': 'ada', ...headers } })).status;
  t.equal(await change({ 'x-posthorn': '1', origin: 'https://posthorn.test', 'sec-fetch-site': 'same-origin' }), 200);
  t.equal(await change({ 'x-posthorn': '1' }), 200, 'a program');
  t.equal(await change({}), 403, 'a form can send no X-Posthorn');
  t.equal(await change({ 'x-posthorn': '1', origin: 'https://evil.test' }), 403);
  t.equal(await change({ 'x-posthorn': '1', origin: 'null' }), 403);
  t.equal(await change({ 'x-posthorn': '1', 'sec-fetch-site': 'same-site' }), 403);
  t.equal(
    await change({ authorization: 'Basic YWRhOjE=', origin: 'https://evil.test' }),
    403,
    'browsers send such credentials by themselves',
  );
  const authorization = 'Bearer of-ada';
  t.equal(await change({ authorization }), 200, 'a program');
  t.equal(await change({ authorization, origin: 'https://posthorn.test', 'sec-fetch-site': 'same-origin' }), 200);
  for (const foreign of [
    { origin: 'https://evil.test' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])
    t.equal(await change({ authorization, 'x-posthorn': '1', ...foreign }), 403, `a proxy has added the token ${JSON.stringify(foreign)}`);
  t.equal(
    await change({ authorization: `Bearer ${ADMIN_KEY}`, origin: 'https://evil.test' }),
    200,
    'a page has no key unless it was given one',
  );
  const read = (headers: Record<string, string>) => call('GET', '/admin/v1/me', { headers: { 'x-user': 'ada', ...headers } });
  t.equal((await read({ 'sec-fetch-site': 'cross-site' })).status, 403);
  t.equal((await read({})).status, 200);
});
