import t from 'tap';
import { definePlugin, type NumberKind, object, route } from '#core';
import { startPlatform, type TestPlatform } from '#core/testing';
import type { MountedRoute } from '../../../../core/kernel/http/mounted-route.js';
import { numberKinds } from '../../../../core/messaging/number.js';
import { channels } from '../../../../plugins/channels/plugin.js';
import { flows } from '../../../../plugins/flows/plugin.js';
import { integration } from '../../../../plugins/integration/plugin.js';
import { journeys } from '../../../../plugins/journeys/plugin.js';
import { messages } from '../../../../plugins/messages/plugin.js';
import { network } from '../../../../plugins/network/plugin.js';
import { simulation } from '../../../../plugins/simulation/plugin.js';
import { webhooks } from '../../../../plugins/webhooks/plugin.js';

/** The kinds of numbers that each route of the interface supports; a token of another kind gets 403 `not_supported`. */
const supported: Readonly<Record<string, readonly NumberKind[]>> = {
  'POST /v1/flows': ['network'],
  'GET /v1/flows': ['network'],
  'POST /v1/flows/{flow_id}': ['network'],
  'POST /v1/flows/{flow_id}/assets': ['network'],
  'GET /v1/flows/{flow_id}/assets': ['network'],
  'POST /v1/flows/{flow_id}/publish': ['network'],
  'POST /v1/flows/{flow_id}/deprecate': ['network'],
  'DELETE /v1/flows/{flow_id}': ['network'],
  'GET /v1/flows/{flow_id}/preview': ['network'],
  'POST /v1/numbers': ['network', 'sandbox'],
  'POST /v1/numbers/{number_uuid}/messages': ['channel'],
  'POST /v1/numbers/{number_uuid}/statuses': ['channel'],
  'POST /v1/journeys/{uuid}/simulation': ['network', 'sandbox', 'channel'],
  'POST /v1/stacks/{uuid}/simulation': ['network', 'sandbox', 'channel'],
  'POST /v1/stacks/{uuid}/start': ['network', 'sandbox', 'channel'],
  'GET /v1/stacks': ['network', 'sandbox', 'channel'],
  'GET /v1/stacks/{uuid}': ['network', 'sandbox', 'channel'],
  'POST /v1/stacks': ['network', 'sandbox', 'channel'],
  'PATCH /v1/stacks/{uuid}': ['network', 'sandbox', 'channel'],
  'GET /v1/contacts/{contact}/claim': ['network', 'sandbox', 'channel'],
  'DELETE /v1/contacts/{contact}/claim': ['network', 'sandbox', 'channel'],
  'POST /v1/messages': ['network', 'sandbox', 'channel'],
  'POST /v1/messages/': ['network', 'sandbox', 'channel'],
  'PUT /v1/messages/{message_id}': ['network', 'sandbox', 'channel'],
  'POST /v1/messages/{message_id}/labels': ['network', 'sandbox', 'channel'],
  'POST /v1/media': ['network', 'sandbox', 'channel'],
  'GET /v1/media/{id}': ['network', 'sandbox', 'channel'],
  'POST /v1/contacts': ['network', 'sandbox'],
  'GET /v1/contacts/{contact}/profile': ['network', 'sandbox', 'channel'],
  'PATCH /v1/contacts/{contact}/profile': ['network', 'sandbox', 'channel'],
  'GET /v1/contacts/{contact}/messages': ['network', 'sandbox', 'channel'],
  'POST /api/integrations/{integration_uuid}/notify/finish': ['network', 'sandbox', 'channel'],
};

/** The same table, read from the mounted routes that take a token. */
function mountedTable({ server }: TestPlatform): Record<string, readonly NumberKind[]> {
  const rows = server.table().flatMap(({ settings: { auth, plugins } }) => {
    const route = (plugins as { posthorn?: () => MountedRoute }).posthorn?.().route;
    const takesToken = typeof auth === 'object' && auth.strategies?.some((strategy) => strategy.endsWith('.bearer'));
    return route && takesToken ? [[`${route.method} ${route.path}`, route.numbers ?? numberKinds] as const] : [];
  });
  return Object.fromEntries(rows);
}

const notSupported = (kind: NumberKind, endpoint: string, kinds: readonly NumberKind[] = supported[endpoint]!) => ({
  meta: { version: 'v1', api_status: 'stable', http_code: 403 },
  error: {
    code: 'not_supported',
    message: `${endpoint} is not supported for numbers of kind '${kind}': use the token of a number of kind '${kinds.join("' or '")}'`,
    type: 'NotSupported',
  },
});

const areas = [channels(), webhooks(), journeys(), messages(), network(), simulation(), flows(), integration()];

t.test('every mounted route supports the kinds of numbers of the table', async (t) => {
  t.strictSame(mountedTable(await startPlatform(t, { plugins: areas })), supported);
});

t.test('a token of each kind opens the routes of the table, and gets 403 from the others', async (t) => {
  const platform = await startPlatform(t, { plugins: areas });
  const tokens = Object.fromEntries(
    await Promise.all(numberKinds.map(async (kind) => [kind, (await platform.number(kind)).token] as const)),
  );
  for (const [endpoint, kinds] of Object.entries(mountedTable(platform))) {
    const [method, path] = endpoint.split(' ') as [string, string];
    for (const kind of numberKinds) {
      const { status, body } = await platform.call(method, path.replace(/\{.*?\}/g, 'x'), { token: tokens[kind]!, payload: {} });
      if (kinds.includes(kind)) t.ok(status !== 401 && status !== 403, `${kind} may ${endpoint}: ${status}`);
      else t.strictSame([status, body], [403, notSupported(kind, endpoint)], `${kind} may not ${endpoint}`);
    }
  }
});

t.test('a channel cannot create a channel', async (t) => {
  const { call, number, platform } = await startPlatform(t, { plugins: areas });
  const { token } = await number('channel');
  const payload = { backend_type: 'channel', number_type: 'channel_http_api', from_addr: 'a', name: 'a', endpoint: 'https://a.test' };
  t.match(await call('POST', '/v1/numbers', { token, payload }), { status: 403, body: notSupported('channel', 'POST /v1/numbers') });
  t.equal((await platform.numbers.list()).length, 1);
});

t.test('a token of an unsupported kind is refused before the body is read', async (t) => {
  const { call, number } = await startPlatform(t, { plugins: areas });
  const { token } = await number('channel');
  const json = { 'content-type': 'application/json' };
  t.equal((await call('POST', '/v1/numbers', { token, payload: '{not json', headers: json })).status, 403);
  t.equal((await call('POST', '/v1/numbers', { token, payload: 'x'.repeat(2_000_000), headers: json })).status, 403);
});

t.test('an area with its own error shape renders not_supported as the interface says', async (t) => {
  const area = definePlugin({
    name: 'area',
    version: '1.0.0',
    register: () => ({
      errors: { render: () => undefined, schemas: {} },
      routes: [
        route({
          method: 'GET',
          path: '/v1/flows',
          numbers: ['network'],
          summary: 'Lists.',
          responses: { 200: object({}) },
          handler: () => ({}),
        }),
      ],
    }),
  });
  const { call, number } = await startPlatform(t, { plugins: [area()] });
  const { token } = await number('sandbox');
  t.match(await call('GET', '/v1/flows', { token }), { status: 403, body: notSupported('sandbox', 'GET /v1/flows', ['network']) });
});
