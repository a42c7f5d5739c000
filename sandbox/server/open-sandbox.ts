import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import Hapi, { type Server } from '@hapi/hapi';
import {
  createPlatform,
  defaultErrors,
  InvalidRequest,
  type Platform,
  type Plugin,
  RouteNotFound,
  type Transaction,
  withoutUndefined,
} from '#core';
import { applySeed, type Seeded } from '../demo/apply-seed.js';
import { configureProcesses, type Demo, type DemoProcesses, demoSeed, updateAddresses } from '../demo/demo.js';
import { provideIntegration, type StoredIntegration } from '../demo/demo-integration.js';
import { missingNumbers, NOTES_FILE, type Notes, writeNotes } from '../demo/notes.js';
import { type FullSeed, type Seed, seedFrom } from '../demo/seed.js';
import { mergedTrees, type OptionTree } from '../option-tree.js';
import type { Sandbox, SandboxOptions } from '../sandbox.js';
import { everyPlugin } from './every-plugin.js';
import { createListener } from './listener.js';
import { made, sandboxPlugin } from './sandbox-plugin.js';
import { type SandboxSettings, sandboxSettings } from './settings.js';
import { statusOf } from './status-route.js';

const KEY_BYTES = 24;
/** A stop waits this long for HTTP requests in flight; the platform may take longer. */
const REQUESTS_MS = 5_000;
/** The addresses that stand for every interface, each with the loopback address under which this machine reaches the server. */
const LOOPBACK_OF: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Starts the platform on its own server, with the seed, or with the state of the data folder. */
export async function openSandbox(options: SandboxOptions, notes: Notes | undefined, demo: Demo | undefined): Promise<Sandbox> {
  const { port = 0, host = '127.0.0.1', data, trustedHosts = [], shutdown, logLevel } = options;
  const seed = demo ? undefined : seedFrom(notes ? 'empty' : (options.seed ?? 'empty'));
  const ofSeed = notes?.options ?? mergedTrees(seed?.options, dialectTree(seed));
  const own = await pluginsOf(options.plugins ?? []);
  const settings = sandboxSettings(mergedTrees(ofSeed, options.options, dialectTree(options)), [...everyPlugin(), ...own]);
  const { clock, ids } = await portsFor(options, notes !== undefined);
  const adminKey = notes?.adminKey ?? `pha_${ids?.secret(KEY_BYTES) ?? randomBytes(KEY_BYTES).toString('base64url')}`;

  const server = Hapi.server({ port, host, listener: createListener() });
  const platform: Platform = createPlatform({
    name: 'sandbox',
    ...settings.platform,
    plugins: [...settings.plugins, sandboxPlugin({ clock, beforeWork: prepare, status: () => statusOf(sandbox!, data) })],
    admin: { key: adminKey },
    trustedHosts: [...(isIP(host) ? [] : [host]), ...trustedHosts],
    ...(shutdown && { shutdown }),
    ...(logLevel && { logLevel }),
    ...(data !== undefined && { dataDir: data }),
    ports: { ...(clock && { clock }), ...(ids && { ids }) },
  });
  let sandbox: Sandbox | undefined;
  let seeded: Seeded | undefined;
  let isResumed = false;
  let stopped: Promise<void> | undefined;
  const timeout = Math.min(REQUESTS_MS, shutdown?.deadlineMs ?? REQUESTS_MS);
  const stop = (): Promise<void> => (stopped ??= server.stop({ timeout }).finally(() => demo?.stop()));
  try {
    await server.register(platform.hapiPlugin);
    useOurErrors(server);
    await server.start();
    const localHost = LOOPBACK_OF[host] ?? host;
    const api = `http://${localHost.includes(':') ? `[${localHost}]` : localHost}:${server.info.port}`;
    const phone = demo && (await connectDemo(await demo.ready, api));
    const admin = { url: `${api}/admin/v1`, key: adminKey };
    const withoutToken = await numbersWithoutToken(platform, seeded!);
    const changedOptions = settings.changed;
    sandbox = { ...seeded!, api, admin, phone, isResumed, withoutToken, clock, changedOptions, platform, server, reseed, stop };
    return sandbox;
  } catch (error) {
    await stop();
    throw error;
  }

  /** Sends the URL of the API to the demo's processes, and creates the demo's integration. @returns the URL to which messages of contacts are posted */
  async function connectDemo({ connector, integration }: DemoProcesses, api: string): Promise<string> {
    await connector.send({ POSTHORN_API: api });
    const [channel] = seeded!.channels;
    if (channel) {
      const about = { adminKey, number: channel.uuid, child: integration, api, noted: notes?.integration };
      saveNotes(seeded!, await provideIntegration(server, about));
    }
    return `${connector.url}/phone`;
  }

  /** Runs before any job, because pending deliveries of an earlier run need the new URLs, and receivers need their secrets. */
  async function prepare(): Promise<void> {
    const processes = await demo?.ready;
    isResumed = await hasState(platform, notes, data);
    const mark = (tx: Transaction): void => tx.in(made).put({ id: 'seed' });
    const onSeeded = (planted: Seeded, tx: Transaction): void => {
      mark(tx);
      saveNotes(planted, undefined, false);
    };
    if (isResumed) {
      seeded = processes ? await updateAddresses(processes, platform, notes!.seeded) : notes!.seeded;
      // Folders of earlier versions have no record that a sandbox created them.
      if ((await platform.store.open(made).count()) === 0) await platform.store.transaction(async (tx) => mark(tx));
    } else
      seeded = await applySeed(
        platform,
        withNumberDefaults(seed ?? seedFrom(demoSeed(processes!, platform.dialect)), settings.numbers),
        onSeeded,
      );
    saveNotes(seeded);
    if (processes) await configureProcesses(processes, seeded);
  }

  async function reseed(source: string | Seed): Promise<readonly string[]> {
    const { updateSeed } = await import('../demo/update-seed.js');
    const updated = await updateSeed(platform, withNumberDefaults(seedFrom(source), settings.numbers), seeded!);
    seeded = updated.seeded;
    saveNotes(seeded);
    Object.assign(sandbox!, seeded);
    return updated.changes;
  }

  function saveNotes(seeded: Seeded, integration: StoredIntegration | undefined = notes?.integration, isKept = true): void {
    if (data !== undefined) writeNotes(data, { adminKey, isDemo: demo !== undefined, isKept, seeded, integration, options: ofSeed });
  }
}

/** The words of a dialect as options of the platform. */
const dialectTree = ({ service, network }: Pick<SandboxOptions, 'service' | 'network'> = {}): OptionTree => ({
  dialect: withoutUndefined({ service, network }),
});

/** The seed with the options of all numbers. */
const withNumberDefaults = (seed: FullSeed, defaults: SandboxSettings['numbers']): FullSeed => ({
  ...seed,
  numbers: seed.numbers.map((number) => ({ ...defaults, ...number })),
  channels: seed.channels.map((channel) => ({ ...defaults, ...channel })),
});

/** Loads the plugins that are given as files. Imported on demand, because most sandboxes have no plugins of their own. */
async function pluginsOf(given: readonly (Plugin | string)[]): Promise<Plugin[]> {
  const plugins = await Promise.all(
    given.map(async (plugin) =>
      typeof plugin === 'string' ? (await (await import('./load-module.js')).loadPlugin(plugin)).plugin : plugin,
    ),
  );
  return plugins;
}

/** Whether the folder has a state to resume. @throws when the state and the notes do not belong together */
async function hasState({ numbers, store }: Platform, notes: Notes | undefined, folder: string | undefined): Promise<boolean> {
  const existing = new Set((await numbers.list()).map(({ uuid }) => uuid));
  if (!notes) {
    if ((await store.open(made).count()) > 0) {
      const fix = 'Restore it from a backup of the folder, or choose another folder';
      throw new Error(`${folder}/${NOTES_FILE} is missing; it contains the admin key and the tokens of this sandbox. ${fix}`);
    }
    if (existing.size > 0) throw new Error(`${folder} contains a state that was not created by a sandbox; choose another folder`);
    return false;
  }
  const missing = missingNumbers(notes, existing);
  if (missing.length === 0) return notes.isKept === true || existing.size > 0;
  // An interrupted start leaves notes without a state.
  if (!notes.isKept && existing.size === 0) return false;
  throw new Error(
    `${folder} has lost data: ${NOTES_FILE} names ${missing.join(' and ')}, which the state does not contain. Restore a backup of the folder, or choose another folder. For details run posthorn data check ${folder}; after a repair, look for the missing records in set-aside-*.jsonl`,
  );
}

async function numbersWithoutToken({ tokens }: Platform, { numbers }: Seeded): Promise<string[]> {
  const callers = await Promise.all(numbers.map(({ token }) => tokens.caller(token)));
  return numbers.flatMap(({ uuid }, i) => (callers[i]?.number.uuid === uuid ? [] : [uuid]));
}

/** Renders hapi's own errors, such as for unknown routes, in our error shape. Only on a server without other applications. */
function useOurErrors(server: Server): void {
  server.ext('onPreResponse', ({ method, path, route, response }, h) => {
    if (String(route.method) !== '_special' || !(response instanceof Error)) return h.continue;
    const isUnknown = response.output.statusCode === 404;
    const error = isUnknown ? new RouteNotFound(method, path) : new InvalidRequest([], 'The request URL is malformed');
    return h.response(defaultErrors.render(error)?.body).code(error.status);
  });
}

/** The manual clock and the seeded ids. Imported on demand, because most sandboxes use neither of them. */
async function portsFor({ clock, seedKey }: SandboxOptions, isResumed: boolean) {
  // Seeded ids repeat with every start, so a resumed state would get duplicate ids.
  const key = isResumed ? undefined : seedKey;
  if (clock !== 'manual' && key === undefined) return {};
  const { ManualClock, SeededIds } = await import('#core/testing');
  return {
    clock: clock === 'manual' ? new ManualClock(seedKey === undefined ? { start: new Date() } : {}) : undefined,
    ids: key === undefined ? undefined : new SeededIds(key),
  };
}
