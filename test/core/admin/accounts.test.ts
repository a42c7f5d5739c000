import { cpSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Authenticate } from '#core';
import { ManualClock, ScriptedHttp, startPlatform, type Tap } from '#core/testing';
import { strict } from '../../../scripts/release-data/written.js';
import { describedPlugins } from '../../../sandbox/server/described-plugins.js';
import { type MountedRoute, routesOf } from '../../../scripts/docs/everything.js';
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
  await admin('POST', `/network/numbers/${own}/messages`, { from: '27820009999', name: 'Bea', type: 'text', text: { body: 'Hello from beta' } });
  const call = async (method: string, path: string, payload?: unknown) => {
    const headers = { 'x-accounts': 'beta' };
    return test.call(method, `/admin/v1${path}`, { headers, ...(payload !== undefined && { payload }) });
  };
  return { ...test, collections, own, ann: call };
}

/** All texts of documents that identify them or their contents. */
function textsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'string' && value.length >= 8 && !/^\d{4}-\d\d-\d\dT/.test(value)) found.add(value);
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) textsIn(part, found);
  return found;
}

/** The ids by which calls may name documents: the first of each collection, and those that messages have outside. */
const idsOf = (collections: Readonly<Record<string, readonly object[]>>): string[] => {
  const firsts = Object.values(collections).flatMap((documents) => {
    const { uuid, id, external_id: external } = (documents[0] ?? {}) as Record<string, string | undefined>;
    return [uuid, id, external];
  });
  return [...new Set(firsts.filter((id) => id !== undefined))];
};

const asText = ({ body, headers }: { body: unknown; headers: object }): string => {
  const { date, 'x-request-id': id, ...others } = headers as Record<string, unknown>;
  return JSON.stringify([body, others]);
};

t.test('no route shows or changes anything of another account', async (t) => {
  const { ann, admin, server, collections, own, platform } = await start(t);
  const routes = routesOf(server).filter(({ isAdmin, path }) => isAdmin && path !== '/admin/v1/events');
  const foreign = textsIn(collections);
  for (const known of textsIn((await ann('GET', '/platform')).body)) foreign.delete(known);
  const ids = idsOf(collections);
  t.ok(ids.length > 20 && foreign.size > 200);
  const before = JSON.stringify((await platform.readState()).collections['core.numbers']);

  /** What a response must not have: texts of others that the call did not have itself. */
  const leaks = (response: Awaited<ReturnType<typeof ann>>, sent: string): string[] => {
    const text = asText(response);
    return [...foreign].filter((one) => text.includes(JSON.stringify(one).slice(1, -1)) && !sent.includes(one));
  };
  const check = async ({ route }: MountedRoute, path: string, payload?: unknown): Promise<number> => {
    const response = await ann(route.method, path, payload);
    const what = `${route.method} ${path}`;
    t.strictSame(leaks(response, `${decodeURIComponent(path)} ${JSON.stringify(payload)}`), [], what);
    t.ok(response.status < 500 || response.status === 503, `${what}: ${response.status}`);
    return response.status;
  };

  const bodies = validBodies((collections['core.numbers']![0] as { uuid: string }).uuid);
  for (const mounted of routes) {
    const { route, path } = mounted;
    const below = path.slice('/admin/v1'.length);
    const body = bodies[`${route.method} ${path}`];
    if (!path.includes('{')) {
      await check(mounted, below, body);
      const queries = Object.keys((route.request?.query?.describe() as { keys?: object } | undefined)?.keys ?? {});
      for (const key of queries.filter((name) => !['limit', 'before', 'since', 'status', 'state', 'refused', 'no_retry'].includes(name)))
        for (const id of ids) await check(mounted, `${below}?${key}=${encodeURIComponent(id)}`, body);
      continue;
    }
    for (const id of ids) {
      const named = below.replace(/\{\w+\}/, encodeURIComponent(id)).replace(/\{\w+\}/, 'production');
      const status = await check(mounted, named, body);
      if (status < 300 && route.method !== 'PUT') t.fail(`${route.method} ${named}: ${status}`);
      // Others' records are refused as unknown ones are.
      if (id === ids[0] && route.method !== 'PUT')
        t.equal(status, await check(mounted, below.replace(/\{\w+\}/, randomUUID()).replace(/\{\w+\}/, 'production'), body), named);
    }
  }
  t.equal(JSON.stringify((await platform.readState()).collections['core.numbers']), before, 'and nothing was changed');

  const numbersOf = async (path: string, list: string) => (await ann('GET', path)).body[list].length;
  t.equal(await numbersOf('/numbers', 'numbers'), 1);
  t.equal(await numbersOf('/conversations', 'conversations'), 1);
  t.equal(await numbersOf('/deliveries', 'deliveries'), 0);
  t.equal((await ann('GET', `/numbers/${own}`)).status, 200);
  t.match((await ann('GET', `/why?since=2026-01-01T00:00:00Z`)).body, { message: { content: { text: { body: 'Hello from beta' } } } });
  t.ok((await admin('GET', '/numbers')).body.numbers.length > 1, 'and an unrestricted operator sees all');
});
