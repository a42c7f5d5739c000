import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { type Authenticate, isSameSecret } from '#core';
import { ADMIN_KEY, startPlatform } from '#core/testing';
import { webhooks } from '../../../../plugins/webhooks/plugin.js';

const PROXY_SECRET = 'secret-of-the-identity-aware-proxy';
type Headers = Record<string, string>;

t.test('a user name without the secret of the proxy gets 401, in whatever form', async (t) => {
  const authenticate: Authenticate = ({ headers }) =>
    isSameSecret(String(headers['x-proxy-secret'] ?? ''), PROXY_SECRET) && headers['x-user']
      ? { id: headers['x-user'] as string, name: headers['x-user'] as string, roles: ['owner'] }
      : undefined;
  const { call } = await startPlatform(t, { plugins: [], operators: { authenticate } });
  const me = async (headers: Headers) => (await call('GET', '/admin/v1/me', { headers })).status;
  t.equal(await me({ 'x-user': 'ada', 'x-proxy-secret': PROXY_SECRET }), 200);
  for (const secret of ['', 'x', PROXY_SECRET.slice(1), `${PROXY_SECRET}, ${PROXY_SECRET}`, PROXY_SECRET.toUpperCase()])
    t.equal(await me({ 'x-user': 'ada', 'x-proxy-secret': secret }), 401, JSON.stringify(secret));
  t.equal(await me({ 'x-user': 'ada' }), 401);
  t.equal(await me({ 'x-user': 'ada', 'x-posthorn-operator': 'eyJ9 1 2', 'x-forwarded-for': '127.0.0.1' }), 401);
});

t.test('a changed role and an ended session take effect with the next call, also of a session that is sent again', async (t) => {
  const sessions = new Map([['s-1', ['owner']]]);
  const authenticate: Authenticate = ({ headers: { cookie } }) => {
    const roles = sessions.get(String(cookie));
    return roles && { id: 'ada', name: 'Ada', roles };
  };
  const { call, number } = await startPlatform(t, { plugins: [], operators: { authenticate } });
  const { uuid } = await number('network');
  const change = async () =>
    (await call('PATCH', `/admin/v1/numbers/${uuid}`, { headers: { cookie: 's-1', 'x-posthorn': '1' }, payload: { name: 'B' } })).status;
  t.equal(await change(), 200);
  sessions.set('s-1', ['viewer']);
  t.equal(await change(), 403, 'while the page is open');
  sessions.set('s-1', ['owner']);
  t.equal(await change(), 200);
  sessions.delete('s-1');
  t.equal(await change(), 401);
  t.equal(await change(), 401, 'replayed');
});

t.test('the calls of two tabs with two users never mix, and each has its own record', async (t) => {
  const authenticate: Authenticate = async ({ headers: { 'x-user': user } }) => {
    await sleep(user === 'ann' ? 5 : 1);
    return { id: String(user), name: String(user), roles: [user === 'ann' ? 'owner' : 'viewer'] };
  };
  const { call, number, admin } = await startPlatform(t, { plugins: [webhooks()], operators: { authenticate } });
  const { uuid } = await number('network');
  const turns = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const user = n % 2 === 0 ? 'ann' : 'ben';
      const headers = { 'x-user': user, 'x-posthorn': '1' };
      const { body } = await call('GET', '/admin/v1/me', { headers });
      const { status } = await call('PATCH', `/admin/v1/numbers/${uuid}`, { headers, payload: { name: `${user} ${n}` } });
      return { user, id: body.operator.id as string, status };
    }),
  );
  for (const { user, id, status } of turns) t.strictSame([id, status], [user, user === 'ann' ? 200 : 403]);
  const { records } = (await admin('GET', `/audit?target=${uuid}`)).body;
  t.equal(records.length, 10);
  for (const { operator, changes } of records) {
    t.equal(operator.id, 'ann');
    for (const { fields } of changes) t.match(fields, [{ field: 'name', after: /^ann/ }]);
  }
});

t.test('an unknown, an expired and a removed key get the same response', async (t) => {
  const { call, clock } = await startPlatform(t, { plugins: [] });
  const post = async (about: object) =>
    (await call('POST', '/admin/v1/keys', { token: ADMIN_KEY, payload: { name: 'k', roles: ['viewer'], ...about } })).body;
  const [expired, removed] = [await post({ expires_at: '2026-01-05T12:00:00.000Z' }), await post({})];
  await call('DELETE', `/admin/v1/keys/${removed.key.uuid}`, { token: ADMIN_KEY });
  await clock.advance(2 * 86_400_000);
  const refused = async (token: string) => {
    const { status, body } = await call('GET', '/admin/v1/me', { token });
    return { status, errors: body.errors };
  };
  const unknown = await refused('phk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA');
  t.equal(unknown.status, 401);
  for (const token of [expired.text, removed.text, 'x', `${ADMIN_KEY}x`]) t.strictSame(await refused(token), unknown);
});

t.test('a state can bring neither keys nor roles nor records of what operators did', async (t) => {
  const { platform } = await startPlatform(t, { plugins: [] });
  const state = await platform.readState();
  for (const name of ['core.admin-keys', 'core.audit']) {
    const document = { uuid: 'k', id: 'k', name: 'eve', roles: ['owner'], hash: '0', hint: '', created_at: '', created_by: '' };
    const forged = { ...state, collections: { ...state.collections, [name]: [document] } };
    await t.rejects(platform.checkState(forged), { name: 'InvalidState', message: new RegExp(`records of ${name}`) });
  }
});
