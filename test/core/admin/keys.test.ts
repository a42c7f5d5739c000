import t from 'tap';
import { ADMIN_KEY, startPlatform } from '#core/testing';

t.test('keys of the admin API', async (t) => {
  const { admin, call, clock, platform, log } = await startPlatform(t, {
    plugins: [],
    operators: { authenticate: [], roles: { keeper: ['keys.read', 'keys.write', 'numbers.read'] } },
  });
  const add = (payload: object, token = ADMIN_KEY) => call('POST', '/admin/v1/keys', { token, payload });
  const get = async (token: string, path = '/numbers') => (await call('GET', `/admin/v1${path}`, { token })).status;

  const { status, body } = await add({ name: 'dashboard', roles: ['viewer'], expires_at: '2026-01-06T00:00:00.000Z' });
  t.match(
    { status, body },
    { status: 201, body: { text: /^phk_.{40,}$/, key: { name: 'dashboard', roles: ['viewer'], created_by: 'key' } } },
  );
  t.equal(await get(body.text), 200);
  t.match(await call('POST', '/admin/v1/store/reopen', { token: body.text }), {
    status: 403,
    headers: { 'x-posthorn-cause': 'permission_missing' },
    body: { errors: [{ details: 'This call needs the permission platform.operate; the operator has the roles "viewer"' }] },
  });
  t.match((await call('GET', '/admin/v1/me', { token: body.text })).body, {
    operator: { id: `key:${body.key.uuid}`, name: 'dashboard', roles: ['viewer'], accounts: null },
    sign_out_url: null,
  });

  const list = JSON.stringify((await admin('GET', '/keys')).body);
  t.match(list, 'last_used_at');
  t.notMatch(list, body.text);
  t.notMatch(list, 'hash');
  t.notMatch(JSON.stringify((await platform.readState()).collections), 'dashboard', 'and no state has them');

  const keeper = (await add({ name: 'keeper', roles: ['keeper'] })).body;
  t.equal((await add({ name: 'own', roles: ['keeper'] }, keeper.text)).status, 201);
  t.match(await add({ name: 'more', roles: ['viewer'] }, keeper.text), { status: 403 }, 'a key cannot add one that allows more');
  t.match(await add({ name: 'most', roles: ['owner'] }, keeper.text), { status: 403 });
  t.match(await add({ name: 'other', roles: ['admiral'] }), {
    status: 400,
    body: { errors: [{ details: /one of viewer, operator, author, keeper, owner/ }] },
  });

  const [soon, later] = ['2026-01-05T10:00:00.000Z', '2026-01-06T00:00:00.000Z'];
  const brief = (await add({ name: 'brief', roles: ['keeper'], expires_at: later })).body.text;
  for (const [given, kept] of [
    [undefined, later],
    ['2027-01-01T00:00:00.000Z', later],
    [soon, soon],
  ] as const)
    t.match(
      (await add({ name: 'own', roles: ['keeper'], ...(given && { expires_at: given }) }, brief)).body.key,
      { expires_at: kept },
      'a key cannot add one that lasts longer',
    );
  t.equal((await admin('DELETE', `/keys/${keeper.key.uuid}`)).status, 200);
  t.equal(await get(keeper.text), 401, 'removed');
  t.match(await admin('DELETE', `/keys/${keeper.key.uuid}`), { status: 404, headers: { 'x-posthorn-cause': 'key_not_found' } });
  t.match((await admin('GET', `/audit?target=${keeper.key.uuid}`)).body.records, [
    {
      call: 'DELETE /keys/{uuid}',
      changes: [{ records: 'core.admin-keys', fields: [{ field: 'name', before: 'keeper' }, { field: 'roles' }] }],
    },
  ]);
  t.match((await admin('GET', '/audit?action=keys.write')).body.records.at(-1), {
    changes: [{ key: body.key.uuid, fields: [{ after: 'dashboard' }, { field: 'roles', after: ['viewer'] }, { field: 'expires_at' }] }],
  });
  await clock.advance(2 * 86_400_000);
  t.equal(await get(body.text), 401, 'expired');
  t.notMatch(JSON.stringify(log.lines), body.text);
});
