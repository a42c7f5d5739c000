import t from 'tap';
import { definePlugin, object, PlatformError, type Plugin, type PluginContext, type PluginDefinition, route, string } from '#core';
import { RecordingLogger, startPlatform } from '#core/testing';

const plugin = (name: string, { register = () => ({}) }: Partial<PluginDefinition<object>>): Plugin =>
  definePlugin({ name, version: '1.0.0', register })();

t.test('checkResponses finds a response that its route does not declare', async (t) => {
  const odd = route({
    method: 'GET',
    path: '/v1/odd',
    auth: 'none',
    summary: 'Odd.',
    responses: { 200: object({ a: string() }) },
    handler: () => ({ b: 1 }),
  });
  const { call, log } = await startPlatform(t, { plugins: [plugin('odd', { register: () => ({ routes: [odd] }) })] });
  t.equal((await call('GET', '/v1/odd')).status, 500);
  t.match(log.lines[0], {
    message: 'a response does not match the declaration of its route',
    fields: { problem: 'GET /v1/odd 200: "a" is required. "b" is not allowed' },
  });
});

t.test('admin routes of a plugin need the admin key, like those of the core', async (t) => {
  const ping = route({
    method: 'GET',
    path: '/ping',
    summary: 'Answers.',
    responses: { 200: object({ pong: string() }) },
    handler: () => ({ pong: 'yes' }),
  });
  const { admin, call, number } = await startPlatform(t, { plugins: [plugin('ping', { register: () => ({ admin: [ping] }) })] });
  t.match(await admin('GET', '/ping'), { status: 200, body: { pong: 'yes' } });
  t.equal((await call('GET', '/admin/v1/ping')).status, 401);
  t.equal(
    (await call('GET', '/admin/v1/ping', { token: (await number('network')).token })).status,
    401,
    "a number's token is no admin key",
  );
});

t.test('a cause that no plugin declares is sent as it is, and not listed', async (t) => {
  const open = route({
    method: 'GET',
    path: '/v1/shop',
    auth: 'none',
    summary: 'Opens the shop.',
    responses: { 200: object({ open: string() }) },
    handler() {
      throw new PlatformError(409, 'sold_out', 'Nothing is left');
    },
  });
  const { call, admin } = await startPlatform(t, { plugins: [plugin('shop', { register: () => ({ routes: [open] }) })] });
  t.match(await call('GET', '/v1/shop'), {
    status: 409,
    headers: { 'x-posthorn-cause': 'sold_out' },
    body: { errors: [{ code: 409, details: 'Nothing is left', cause: 'sold_out' }] },
  });
  const { causes } = (await admin('GET', '/causes')).body as { causes: readonly { cause: string }[] };
  t.ok(causes.some(({ cause }) => cause === 'route_not_found') && !causes.some(({ cause }) => cause === 'sold_out'));
});

t.test('secrets are private to a plugin, even under the same name', async (t) => {
  const contexts: Record<string, PluginContext> = {};
  const keeping = (name: string) =>
    plugin(name, {
      register(context) {
        contexts[name] = context;
        return {};
      },
    });
  await startPlatform(t, { plugins: [keeping('a'), keeping('b')] });
  const { a, b } = contexts as { a: PluginContext; b: PluginContext };
  await a.store.transaction((tx) => a.secrets.put(tx, 'key', 'of a'));
  t.equal(await a.secrets.get('key'), 'of a');
  for (const name of ['key', 'a/key', '../a/key']) t.equal(await b.secrets.get(name), undefined, name);
  await b.store.transaction((tx) => b.secrets.delete(tx, 'key'));
  t.equal(await a.secrets.get('key'), 'of a', 'nor can another plugin delete them');
});

t.test('log lines of a plugin name the plugin', async (t) => {
  const log = new RecordingLogger();
  const chatty = plugin('chatty', { register: (context) => ({ start: () => context.log.info('here I am') }) });
  await startPlatform(t, { plugins: [chatty], ports: { log } });
  t.strictSame(log.lines, [{ level: 'info', message: 'here I am', fields: { plugin: 'chatty' } }]);
});
