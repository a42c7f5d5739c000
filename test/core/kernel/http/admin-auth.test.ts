import t from 'tap';
import { type AdminAuth, boolean, definePlugin, Forbidden, object, route } from '#core';
import { ADMIN_KEY, startPlatform, type Tap } from '#core/testing';

const answers = (path: `/${string}`, about: object = {}) =>
  route({
    method: 'GET',
    path,
    summary: 'Answers.',
    responses: { 200: object({ ok: boolean() }) },
    handler: () => ({ ok: true }),
    ...about,
  });

const badge = (adminAuth: AdminAuth, name = 'badge') =>
  definePlugin({
    name,
    version: '1.0.0',
    register: () => ({ adminAuth, admin: [answers(`/${name}/open`), answers(`/${name}/key`, { needsAdminKey: true })] }),
  })();

const byHeader: AdminAuth = ({ method, headers: { 'x-badge': shown } }) => {
  if (shown === undefined) return undefined;
  if (shown === 'broken') throw new Error('the reader of badges is broken');
  return shown === `valid for ${method}` ? true : new Forbidden('This badge is not valid');
};

async function start(t: Tap) {
  const { call } = await startPlatform(t, { plugins: [badge(byHeader)] });
  return (path: string, headers: Record<string, string> = {}, token?: string) =>
    call('GET', `/admin/v1/badge${path}`, { headers, ...(token !== undefined && { token }) });
}

t.test('a plugin accepts or refuses admin calls without an Authorization header', async (t) => {
  const get = await start(t);
  t.equal((await get('/open', { 'x-badge': 'valid for GET' })).status, 200);
  t.match(await get('/open', { 'x-badge': 'old' }), { status: 403, body: { errors: [{ details: 'This badge is not valid' }] } });
  t.match(await get('/open'), { status: 401, body: { errors: [{ details: /needs the admin key/ }] } });
});

t.test('an Authorization header is checked against the admin key alone', async (t) => {
  const get = await start(t);
  t.equal((await get('/open', { 'x-badge': 'valid for GET' }, 'wrong')).status, 401);
  t.equal((await get('/open', { 'x-badge': 'old' }, ADMIN_KEY)).status, 200);
});

t.test('a route that needs the admin key refuses other credentials', async (t) => {
  const get = await start(t);
  t.match(await get('/key', { 'x-badge': 'valid for GET' }), { status: 403, body: { errors: [{ details: /the admin key itself/ }] } });
  t.equal((await get('/key', {}, ADMIN_KEY)).status, 200);
});

t.test('a failure of the plugin gets 503 and opens nothing', async (t) => {
  const get = await start(t);
  t.match(await get('/open', { 'x-badge': 'broken' }), { status: 503, headers: { 'x-posthorn-cause': 'operators_unavailable' } });
});

t.test('a promise of the plugin is awaited, and one that is rejected gets 503', async (t) => {
  const slow: AdminAuth = async ({ headers: { 'x-badge': shown } }) => {
    if (shown === 'broken') throw new Error('the reader of badges is broken');
    return shown === 'valid' || undefined;
  };
  const { call } = await startPlatform(t, { plugins: [badge(slow)] });
  const get = async (shown: string) => (await call('GET', '/admin/v1/badge/open', { headers: { 'x-badge': shown } })).status;
  t.same([await get('valid'), await get('other'), await get('broken')], [200, 401, 503]);
});

t.test('one plugin authenticates admin calls, and only on a platform with an admin API', async (t) => {
  await t.rejects(startPlatform(t, { plugins: [badge(byHeader), badge(byHeader, 'second')] }), /already contributed by 'badge'/);
  await t.rejects(startPlatform(t, { plugins: [badge(byHeader)], admin: undefined as never }), /it needs the admin API/);
});
