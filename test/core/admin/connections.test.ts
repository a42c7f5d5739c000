import t from 'tap';
import type { Authenticate } from '#core';
import { startOwls, TOKEN } from '../messaging/owl-post.js';

/** An operator whose role and accounts are in headers. */
const ofHeaders: Authenticate = ({ headers: { 'x-role': role, 'x-accounts': accounts } }) =>
  role === undefined
    ? undefined
    : { id: 'ann', name: 'Ann', roles: [String(role)], ...(accounts !== undefined && { accounts: String(accounts).split(' ') }) };

t.test('the types show the settings that they need, and which are secret', async (t) => {
  const { admin } = await startOwls(t);
  t.strictSame((await admin('GET', '/connections/types')).body.types, [
    {
      type: 'owl',
      schema: {
        type: 'object',
        properties: {
          token: { type: 'string', minLength: 8, pattern: '^[a-z-]+$', description: 'The token of the owl.' },
          nest: { type: 'string', minLength: 1, default: 'north', description: 'Where the owl lives.' },
          flights: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
        },
        required: ['token'],
        additionalProperties: false,
      },
      secrets: ['token'],
    },
  ]);
});

t.test('owners connect numbers, operators check and resume them, and each sees those of its accounts', async (t) => {
  const { call, connect, platform, http, says } = await startOwls(t, { operators: { authenticate: ofHeaders } });
  const { uuid } = (await connect()).body.connection.number;
  http.answer(says.me, { body: { id: 'owl-2', name: 'Errol' } }, { body: { id: 'owl-1', name: 'Hedwig' } });
  const as =
    (role: string, accounts?: string) =>
    (method: string, path: string, payload?: object): Promise<{ status: number; body: { connections: { number: object }[] } }> =>
      call(method, `/admin/v1${path}`, {
        headers: { 'x-role': role, 'x-posthorn': '1', ...(accounts !== undefined && { 'x-accounts': accounts }) },
        ...(payload && { payload }),
      });
  const errol = await as('owner')('POST', '/connections', { type: 'owl', settings: { token: TOKEN }, name: 'Mail', account: 'weasley' });
  t.match(errol, { status: 201, body: { connection: { number: { address: 'owl-2', name: 'Mail', account: 'weasley' } } } });

  const calls = [
    ['GET', '/connections'],
    ['GET', '/connections/types'],
    ['POST', `/numbers/${uuid}/connection/check`],
    ['POST', `/numbers/${uuid}/connection/resume`],
    ['PUT', `/numbers/${uuid}/connection`, { settings: { token: TOKEN } }],
    ['POST', '/connections', { type: 'owl', settings: { token: TOKEN } }],
    ['DELETE', `/numbers/${uuid}/connection`],
  ] as const;
  const statuses = async (one: ReturnType<typeof as>) => {
    const found: number[] = [];
    for (const [method, path, payload] of calls) found.push((await one(method, path, payload)).status);
    return found;
  };
  t.strictSame(await statuses(as('viewer')), [200, 200, 403, 403, 403, 403, 403]);
  t.strictSame(await statuses(as('operator')), [200, 200, 200, 200, 403, 403, 403]);
  t.strictSame(await statuses(as('owner', 'weasley')), [200, 200, 404, 404, 404, 403, 404], 'a number of no account is not theirs');
  t.match((await as('viewer', 'weasley')('GET', '/connections')).body.connections, [{ number: { name: 'Mail' } }]);
  t.strictSame(await statuses(as('owner')), [200, 200, 200, 200, 200, 200, 200]);
  t.equal((await platform.connections.list()).length, 1);
});

t.test('a number of another type, and a type without a service, cannot be connected', async (t) => {
  const { admin, number, connect } = await startOwls(t);
  const { uuid } = await number('network');
  t.match(await admin('PUT', `/numbers/${uuid}/connection`, { settings: {} }), {
    status: 409,
    headers: { 'x-posthorn-cause': 'not_connectable' },
  });
  t.match(await admin('POST', '/connections', { type: 'rat', settings: {} }), {
    status: 409,
    body: { errors: [{ details: /types that can: owl/ }] },
  });
  await connect();
  t.match(await admin('GET', '/connections?type=rat'), { body: { connections: [] } });
  t.match((await admin('GET', '/connections?type=owl')).body.connections, [{ number: { address: 'owl-1' } }]);
});
