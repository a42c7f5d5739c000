import { randomUUID } from 'node:crypto';
import { cpSync } from 'node:fs';
import t from 'tap';
import type { Authenticate } from '#core';
import { ManualClock, ScriptedHttp, startPlatform, type Tap } from '#core/testing';
import { schemasByKey } from '../../../core/kernel/plugins/check-parts.js';
import { describedPlugins } from '../../../sandbox/server/described-plugins.js';
import { type MountedRoute, routesOf } from '../../../scripts/docs/everything.js';
import { strict } from '../../../scripts/release-data/written.js';
import { freshFolder } from '../adapters/store/folders.js';
import { validBodies } from './valid-bodies.js';

const RELEASE = '0.1.0';

const ofHeader: Authenticate = ({ headers: { 'x-accounts': accounts } }) =>
  accounts === undefined ? undefined : { id: 'ann', name: 'Ann', roles: ['owner'], accounts: String(accounts).split(' ') };

/** A platform with the data folder of a release, whose numbers Ann may not see, and one number that she may. */
async function start(t: Tap) {
  const dataDir = freshFolder(t);
  cpSync(`test/data/${RELEASE}/data`, dataDir, { recursive: true });
  const clock = new ManualClock({ start: new Date('2026-01-07T08:00:00Z') });
  const http = new ScriptedHttp({ clock }).answer('*', { body: {} });
  const test = await startPlatform(t, {
    plugins: describedPlugins(),
    dataDir,
    operators: { authenticate: ofHeader },
    recording: { calls: true },
    checkResponses: false,
    ports: { clock, http },
  });
  const { collections } = await test.platform.readState();
  const { admin } = strict(test);
  const own = (await admin('POST', '/numbers', { kind: 'network', address: '+27119999999', name: 'Beta', account: 'beta' })).number.uuid;
  await admin('POST', `/network/numbers/${own}/messages`, {
    from: '27820009999',
    name: 'Bea',
    type: 'text',
    text: { body: 'Hello from beta' },
  });
  const call = async (method: string, path: string, payload?: unknown) => {
    const headers = { 'x-accounts': 'beta', 'x-posthorn': '1' };
    return test.call(method, `/admin/v1${path}`, { headers, ...(payload !== undefined && { payload }) });
  };
  return { ...test, collections, own, ann: call };
}

/** Texts of documents that identify them or their contents: ids, numbers and sentences, not words such as types. */
function textsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'string' && value.length < 200 && /^[0-9a-f-]{36}$|^\+?\d{11,}$|[A-Za-z?!.]+ [A-Za-z]{2,}/.test(value))
    found.add(value);
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) textsIn(part, found);
  return found;
}

/** The collections whose documents calls name. */
const NAMED = [
  ...['core.numbers', 'core.contacts', 'core.conversations', 'core.messages', 'core.webhooks', 'core.templates', 'core.media'],
  ...[
    'core.journeys',
    'core.outbox',
    'core.deliveries',
    'journeys.sessions',
    'journeys.content-cards',
    'flows.flows',
    'integration.integrations',
  ],
];

/** The ids by which calls may name documents: of the first of each collection. */
const idsOf = (collections: Readonly<Record<string, readonly object[]>>): string[] =>
  NAMED.flatMap((name) => {
    const { uuid, id } = (collections[name]?.[0] ?? {}) as { readonly uuid?: string; readonly id?: string };
    return uuid ?? id ?? [];
  });

const asText = ({ body, headers }: { body: unknown; headers: object }): string => {
  const { date, 'x-request-id': id, ...others } = headers as Record<string, unknown>;
  return JSON.stringify([body, others]);
};

t.test('no route shows or changes anything of another account', async (t) => {
  const { ann, admin, server, collections, own, platform } = await start(t);
  const routes = routesOf(server).filter(({ isAdmin, path }) => isAdmin && path !== '/admin/v1/events');
  const foreign = textsIn(collections);
  // Texts that every platform has.
  const fixed = JSON.stringify([
    (await ann('GET', '/openapi.json')).body,
    (await ann('GET', '/flows/templates')).body,
    'Opened by inbound message.',
  ]);
  for (const one of foreign) if (fixed.includes(one)) foreign.delete(one);
  const ids = idsOf(collections);
  t.ok(ids.length >= 10 && foreign.size > 50, `${ids.length} ids, ${foreign.size} texts`);
  const before = JSON.stringify((await platform.readState()).collections['core.numbers']);

  const found: string[] = [];
  const note = (what: string): void => void found.push(what);
  const check = async ({ route }: MountedRoute, path: string, payload?: unknown): Promise<number> => {
    const response = await ann(route.method, path, payload);
    const [text, sent] = [asText(response), `${decodeURIComponent(path)} ${JSON.stringify(payload)}`];
    for (const one of foreign) if (text.includes(one) && !sent.includes(one)) note(`${route.method} ${path} shows ${one}`);
    if (response.status === 500) note(`${route.method} ${path}: 500`);
    return response.status;
  };

  const bodies = validBodies((collections['core.numbers']![0] as { uuid: string }).uuid);
  for (const mounted of routes) {
    const { route, path } = mounted;
    const below = path.slice('/admin/v1'.length);
    const body = bodies[`${route.method} ${path}`];
    if (!path.includes('{')) {
      await check(mounted, below, body);
      const queries = route.request?.query ? [...schemasByKey(route.request.query).keys()] : [];
      for (const key of queries.filter((name) => !['limit', 'before', 'since', 'status', 'state', 'refused', 'no_retry'].includes(name)))
        for (const id of ids) await check(mounted, `${below}?${key}=${encodeURIComponent(id)}`, body);
      continue;
    }
    for (const id of ids) {
      const named = below.replace(/\{\w+\}/, encodeURIComponent(id)).replace(/\{\w+\}/, 'production');
      const status = await check(mounted, named, body);
      if (status < 300 && route.method !== 'PUT') note(`${route.method} ${named}: ${status}`);
      // Others' records are refused as unknown ones are.
      if (id === ids[0] && route.method !== 'PUT')
        if (status !== (await check(mounted, below.replace(/\{\w+\}/, randomUUID()).replace(/\{\w+\}/, 'production'), body)))
          note(`${route.method} ${named} differs from an unknown one`);
    }
  }
  t.strictSame(found, []);
  t.equal(JSON.stringify((await platform.readState()).collections['core.numbers']), before, 'and nothing was changed');

  const numbersOf = async (path: string, list: string) => (await ann('GET', path)).body[list].length;
  t.equal(await numbersOf('/numbers', 'numbers'), 1);
  t.equal(await numbersOf('/conversations', 'conversations'), 1);
  t.equal(await numbersOf('/deliveries', 'deliveries'), 0);
  t.equal((await ann('GET', `/numbers/${own}`)).status, 200);
  t.match((await ann('GET', '/why?since=2026-01-01T00:00:00Z')).body.links[0], { summary: /recorded by number \+27119999999/ });
  t.ok((await admin('GET', '/numbers')).body.numbers.length > 1, 'and an unrestricted operator sees all');
});
