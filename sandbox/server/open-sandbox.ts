import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import Hapi, { type Server } from '@hapi/hapi';
import { createPlatform, defaultErrors, InvalidRequest, type Platform, RouteNotFound, type Transaction } from '#core';
import { applySeed, type Seeded } from '../demo/apply-seed.js';
import { type Demo, type DemoProcesses, demoSeed, introduce, pointAt } from '../demo/demo.js';
import { type NotedIntegration, offerIntegration } from '../demo/demo-integration.js';
import { lostNumbers, NOTES_FILE, type Notes, writeNotes } from '../demo/notes.js';
import { seedFrom } from '../demo/seed.js';
import type { Sandbox, SandboxOptions } from '../sandbox.js';
import { everyPlugin } from './every-plugin.js';
import { createListener } from './listener.js';
import { made, sandboxPlugin } from './sandbox-plugin.js';

const KEY_BYTES = 24;
/** Requests under way when it stops, while the platform may take longer. */
const REQUESTS_MS = 5_000;
/** Addresses that mean every interface, and where this machine finds itself on them. */
const FOUND_AT: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Puts the platform on a server of its own, with its seed or in the state in which it was left. */
export async function openSandbox(options: SandboxOptions, notes: Notes | undefined, demo: Demo | undefined): Promise<Sandbox> {
  const { port = 0, host = '127.0.0.1', data, trustedHosts = [], shutdown, logLevel } = options;
  const seed = demo ? undefined : seedFrom(notes ? 'empty' : (options.seed ?? 'empty'));
  const { clock, ids } = await portsFor(options, notes !== undefined);
  const adminKey = notes?.adminKey ?? `pha_${ids?.secret(KEY_BYTES) ?? randomBytes(KEY_BYTES).toString('base64url')}`;

  const server = Hapi.server({ port, host, listener: createListener() });
  const platform: Platform = createPlatform({
    name: 'sandbox',
    plugins: [...everyPlugin(), sandboxPlugin({ clock, beforeWork: prepare })],
    admin: { key: adminKey },
    trustedHosts: [...(isIP(host) ? [] : [host]), ...trustedHosts],
    rateLimits: false,
    privateTargets: 'allow',
    ...(shutdown && { shutdown }),
    ...(logLevel && { logLevel }),
    ...(data !== undefined && { dataDir: data }),
    ports: { ...(clock && { clock }), ...(ids && { ids }) },
  });
  let seeded: Seeded | undefined;
  let isResumed = false;
  let stopped: Promise<void> | undefined;
  const timeout = Math.min(REQUESTS_MS, shutdown?.deadlineMs ?? REQUESTS_MS);
  const stop = (): Promise<void> => (stopped ??= server.stop({ timeout }).finally(() => demo?.stop()));
  try {
    await server.register(platform.hapiPlugin);
    answerLikeOurs(server);
    await server.start();
    const foundAt = FOUND_AT[host] ?? host;
    const api = `http://${foundAt.includes(':') ? `[${foundAt}]` : foundAt}:${server.info.port}`;
    const phone = demo && (await meet(await demo.ready, api));
    const admin = { url: `${api}/admin/v1`, key: adminKey };
    const withoutToken = await deadTokens(platform, seeded!);
    return { ...seeded!, api, admin, phone, isResumed, withoutToken, clock, platform, server, stop };
  } catch (error) {
    await stop();
    throw error;
  }

  /** The demo's processes hear where we are. @returns where contacts write */
  async function meet({ connector, integration }: DemoProcesses, api: string): Promise<string> {
    await connector.send({ POSTHORN_API: api });
    const [channel] = seeded!.channels;
    if (channel) {
      const about = { adminKey, number: channel.uuid, child: integration, api, noted: notes?.integration };
      keep(seeded!, await offerIntegration(server, about));
    }
    return `${connector.url}/phone`;
  }

  /** What waits from an earlier run is sent as soon as work begins: by then everybody must know where to, and which secret. */
  async function prepare(): Promise<void> {
    const processes = await demo?.ready;
    isResumed = await hasState(platform, notes, data);
    const mark = (tx: Transaction): void => tx.in(made).put({ id: 'seed' });
    const onPlanted = (planted: Seeded, tx: Transaction): void => {
      mark(tx);
      keep(planted, undefined, false);
    };
    if (isResumed) {
      seeded = processes ? await pointAt(processes, platform, notes!.seeded) : notes!.seeded;
      // Folders of earlier versions do not say yet that a sandbox made them.
      if ((await platform.store.open(made).count()) === 0) await platform.store.transaction(async (tx) => mark(tx));
    } else seeded = await applySeed(platform, seed ?? seedFrom(demoSeed(processes!)), onPlanted);
    keep(seeded);
    if (processes) await introduce(processes, seeded);
  }

  function keep(seeded: Seeded, integration: NotedIntegration | undefined = notes?.integration, isKept = true): void {
    if (data !== undefined) writeNotes(data, { adminKey, isDemo: demo !== undefined, isKept, seeded, integration });
  }
}

/** Whether there is a state to go on with. @throws when the state and the notes beside it do not belong together */
async function hasState({ numbers, store }: Platform, notes: Notes | undefined, folder: string | undefined): Promise<boolean> {
  const there = new Set((await numbers.list()).map(({ uuid }) => uuid));
  if (!notes) {
    if ((await store.open(made).count()) > 0) {
      const advice = 'Restore it from a backup of the folder, or choose another folder';
      throw new Error(`${folder}/${NOTES_FILE} is missing, which has the admin key and the tokens of this sandbox. ${advice}`);
    }
    if (there.size > 0) throw new Error(`${folder} holds a state that no sandbox made; choose another folder`);
    return false;
  }
  const lost = lostNumbers(notes, there);
  if (lost.length === 0) return notes.isKept === true || there.size > 0;
  // Notes without a state are of a start that was cut off.
  if (!notes.isKept && there.size === 0) return false;
  throw new Error(
    `${folder} has lost data: ${NOTES_FILE} names ${lost.join(' and ')}, which the state lacks. Restore a backup of the folder; look at what posthorn data check ${folder} says, and for what is missing at set-aside-*.jsonl, where a repair puts it; or choose another folder`,
  );
}

async function deadTokens({ tokens }: Platform, { numbers }: Seeded): Promise<string[]> {
  const callers = await Promise.all(numbers.map(({ token }) => tokens.caller(token)));
  return numbers.flatMap(({ uuid }, i) => (callers[i]?.number.uuid === uuid ? [] : [uuid]));
}

/** Nobody else is on this server: what hapi finds no route for is answered in our shape, too. */
function answerLikeOurs(server: Server): void {
  server.ext('onPreResponse', ({ method, path, route, response }, h) => {
    if (String(route.method) !== '_special' || !(response instanceof Error)) return h.continue;
    const isUnknown = response.output.statusCode === 404;
    const error = isUnknown ? new RouteNotFound(method, path) : new InvalidRequest([], 'The address of the request cannot be read');
    return h.response(defaultErrors.render(error)?.body).code(error.status);
  });
}

/** A clock that can be pushed and ids that repeat themselves, loaded only when they are wanted. */
async function portsFor({ clock, seedKey }: SandboxOptions, isResumed: boolean) {
  // Seeded ids start over with every start, so they are only for a state that starts over too.
  const key = isResumed ? undefined : seedKey;
  if (clock !== 'manual' && key === undefined) return {};
  const { ManualClock, SeededIds } = await import('#core/testing');
  return {
    clock: clock === 'manual' ? new ManualClock(seedKey === undefined ? { start: new Date() } : {}) : undefined,
    ids: key === undefined ? undefined : new SeededIds(key),
  };
}
