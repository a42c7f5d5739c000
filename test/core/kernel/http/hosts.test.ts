import Hapi, { type Server } from '@hapi/hapi';
import t from 'tap';
import { createPlatform, type Platform } from '#core';
import { ADMIN_KEY, InlinePool, ManualClock, RecordingLogger, SeededIds, type Tap } from '#core/testing';
import { channels } from '../../../../plugins/channels/plugin.js';
import { console as consolePages } from '../../../../plugins/console/plugin.js';
import { flows } from '../../../../plugins/flows/plugin.js';
import { journeys } from '../../../../plugins/journeys/plugin.js';
import { messages } from '../../../../plugins/messages/plugin.js';
import { network } from '../../../../plugins/network/plugin.js';
import { webhooks } from '../../../../plugins/webhooks/plugin.js';
import { isLong } from '../../../forms.js';
import { type Call, platformCalls, type Response, send } from './hosts/calls.js';
import { type Host, type Mounted, ownRoutes } from './hosts/host.js';
import { hostsWithPlugins } from './hosts/hosts-with-plugins.js';
import { hostsWithSettings } from './hosts/hosts-with-settings.js';

/** Differ in every response, or depend on whether a socket is used. */
const VARYING = [
  'date',
  'x-request-id',
  'last-modified',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'accept-ranges',
];
/** Paths that cannot be decoded have no route, so settings of the host apply to the response. */
const OF_HOST = ['x-frame-options'];

/** A platform whose ids and times are the same in every host. */
const newPlatform = (): Platform =>
  createPlatform({
    plugins: [channels(), messages(), network(), journeys(), webhooks(), flows(), consolePages()],
    admin: { key: ADMIN_KEY },
    publicUrl: 'https://posthorn.test/messaging',
    ports: { workers: new InlinePool(), log: new RecordingLogger(), ids: new SeededIds('hosts'), clock: new ManualClock() },
  });

/** Starts a host, alone or with a platform. */
async function start(t: Tap, host: Host, platform?: Platform): Promise<Server> {
  const { prefix = '/messaging', vhost } = host;
  const routes = { ...(prefix !== '' && { prefix }), ...(vhost && { vhost }) };
  const mounted = platform && { plugin: platform.hapiPlugin, routes };
  const server = await (host.compose?.(mounted) ?? composed(host, mounted));
  await (host.listens ? server.start() : server.initialize());
  t.teardown(() => server.stop({ timeout: 100 }));
  return server;
}

async function composed({ settings, before, after }: Host, platform: Mounted | undefined): Promise<Server> {
  const server = Hapi.server({ debug: false, ...settings });
  await before?.(server);
  if (platform) await server.register(platform.plugin, { routes: platform.routes as { prefix: string } });
  ownRoutes(server);
  await after?.(server);
  return server;
}

type Responses = Readonly<Record<string, Response>>;

/** How responses differ from the expected ones, one text each; `adds` are headers that may differ. */
function differences(responses: Responses, expected: Responses, adds: readonly string[] = []): string[] {
  return Object.entries(responses).flatMap(([call, after]) => {
    const before = expected[call]!;
    if (after.status !== before.status) return [`${call}: ${after.status} instead of ${before.status}`];
    const ignored = [...VARYING, ...adds, ...(call.includes('%zz') ? OF_HOST : [])];
    const names = Object.keys({ ...after.headers, ...before.headers }).filter((name) => !ignored.includes(name));
    const changed = names.filter((name) => headerOf(after, name) !== headerOf(before, name));
    return [
      ...changed.map((name) => `${call}: ${name} is ${headerOf(after, name)} instead of ${headerOf(before, name)}`),
      ...(contentOf(after) === contentOf(before) ? [] : [`${call}: ${after.body.slice(0, 200)} instead of ${before.body.slice(0, 200)}`]),
    ];
  });
}

/** A header without what is random. A host may ask hapi to clear its cookies that are invalid, on every response. */
function headerOf({ headers }: Response, name: string): string {
  const values = [headers[name] ?? []].flat().map(String);
  const shown = name === 'set-cookie' ? values.filter((value) => !value.includes('Max-Age=0')).map((value) => value.split('=')[0]) : values;
  return shown.join(', ').replaceAll(/(nonce-|state=|max-age=)[\w-]+/g, '$1…');
}

/** A body without its format, prefixes, and the ids of requests. */
const contentOf = ({ headers, body }: Response): string =>
  (String(headers['content-type']).startsWith('application/json') && body !== '' ? JSON.stringify(JSON.parse(body)) : body).replaceAll(
    /\d{13}-\d+-[\w-]+|(\/wing)?\/messaging/g,
    '',
  );

async function responsesOf(
  server: Server,
  calls: readonly Call[],
  { listens = false, vhost, prefix = '' }: Partial<Host>,
): Promise<Responses> {
  const responses: Record<string, Response> = {};
  for (const [i, call] of calls.entries()) {
    // A path below no root of a platform without a prefix belongs to the host.
    if (call.path === '/nothing' && prefix === '') continue;
    const headers = { ...call.headers, ...(vhost && { host: vhost }) };
    responses[`${i} ${call.method ?? 'GET'} ${call.path}`] = await send(
      server,
      { ...call, path: `${prefix}${call.path}`, headers },
      listens,
    );
  }
  return responses;
}

/** The responses of the platform to every call, after it has got a number and a channel. */
async function platformResponses(server: Server, platform: Platform, { prefix = '/messaging', ...host }: Partial<Host>) {
  const { token } = await platform.createNumber({ kind: 'network', type: 'network', address: '+27600000001', name: 'Shop' });
  const { token: channel } = await platform.createNumber({ kind: 'channel', type: 'channel_http_api', address: 'web:1', name: 'Web' });
  return responsesOf(server, platformCalls(token, channel), { ...host, prefix });
}

const OWN: readonly Call[] = [{ path: '/own/page' }, { method: 'POST', path: '/own/form', body: { name: 'Ann' } }];

const expected = (async () => {
  const platform = newPlatform();
  const bare: Host = { name: 'a bare server' };
  return platformResponses(await start(t, bare, platform), platform, bare);
})();

for (const host of [...hostsWithPlugins, ...hostsWithSettings]) {
  if (!isLong && !host.isShort) continue;
  t.test(`${host.name}: the host and the platform respond as each of them does alone`, async (t) => {
    const own = (host.own ?? OWN).map((call) => ({ ...call, headers: { ...host.headers, ...call.headers } }));
    const { listens = false } = host;
    const alone = await start(t, host);
    const before = await responsesOf(alone, own, { listens });
    await alone.stop({ timeout: 100 });
    const platform = newPlatform();
    const server = await start(t, host, platform);
    t.strictSame(differences(await responsesOf(server, own, { listens }), before), [], 'the routes of the host');
    t.strictSame(differences(await platformResponses(server, platform, host), await expected, host.adds), [], 'the routes of the platform');
  });
}
