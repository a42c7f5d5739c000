import { createServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import Hapi, { type Server } from '@hapi/hapi';
import { createPlatform, type Platform } from '#core';
import type { Ids } from '#core/ports';
import { conformPlugin } from '../conform/conform-plugin.js';
import type { Seeded } from '../demo/apply-seed.js';
import { provideChat } from '../demo/demo-chat.js';
import { provideIntegration } from '../demo/demo-integration.js';
import { faultPlugin } from '../faults/fault-plugin.js';
import { FaultRules } from '../faults/fault-rules.js';
import { cassettesPlugin } from '../journey-tests/cassettes/cassettes-plugin.js';
import { testsPlugin } from '../journey-tests/tests-plugin.js';
import { clockPlugin } from './clock-plugin.js';
import type { CurrentSettings } from './current-settings.js';
import { folderOf } from './given-plugins.js';
import type { NotesKeeper } from './notes-keeper.js';
import type { Operations } from './operations.js';
import { useOurErrors } from './own-errors.js';
import { type Prepared, prepareState } from './prepare-state.js';
import { numbersWithoutToken } from './resumed-state.js';
import type { Run } from './run-state.js';
import { sandboxPlugin } from './sandbox-plugin.js';
import { seedIds } from './seed-source.js';
import { settingsPlugin } from './settings-plugin.js';
import type { SandboxSetup } from './setup.js';
import { assertOwned } from './shared-store.js';
import type { Start } from './start-state.js';
import { statePlugin } from './state-plugin.js';

export interface RunParts {
  readonly setup: SandboxSetup;
  readonly settings: CurrentSettings;
  readonly notes: NotesKeeper;
  /** The operations that the routes of the sandbox's own plugins call. */
  readonly operations: () => Operations;
  /** Whether the listener stays open when the platform stops, because another one follows. */
  readonly isReplacing: () => boolean;
}

/** Starts a platform and passes requests to it. Stops it again when that fails. */
export async function startRun(parts: RunParts, start: Start): Promise<Run> {
  const { setup, settings, notes } = parts;
  const { api, clock } = start;
  const ids = seedIds(setup.seedKey.text);
  const faults = new FaultRules();
  // Passes requests on to hapi, and listens nowhere.
  const behind = createServer();
  const server = serverOf(setup, api, behind);
  let prepared: Prepared | undefined;
  const prepare = async (): Promise<void> => {
    prepared = await prepareState({ setup, settings, notes, platform, ids, keepClock: () => clock.keep() });
  };
  const tokenOf = (number: string): string | undefined =>
    prepared?.seeded.numbers.find(({ uuid }) => uuid === number)?.token ?? notes.tokens[number];
  const platform = platformOf(parts, start, { ids, faults, prepare, tokenOf });
  try {
    await server.register(platform.hapiPlugin);
    serveBehind(parts, server);
    await server.start();
    // Another owner of a shared store keeps this platform from preparing its state.
    assertOwned(platform.storeHealth());
    if (!prepared) throw new Error('the platform has started without the state of the sandbox');
    const run = { platform, server, seeded: prepared.seeded };
    // A web chat that was removed from a resumed state stays away.
    if (setup.demo && !prepared.isResumed) run.seeded = await provideChat(run, setup.adminKey);
    const seeded = await connectCloud(parts, run);
    prepared = { ...prepared, seeded };
    setup.front.serve(behind);
    const phone = await connectDemo(parts, { api, server, seeded });
    const withoutToken = await numbersWithoutToken(platform, seeded);
    return { api, platform, server, clock, faults, seeded, phone, isResumed: prepared.isResumed, withoutToken };
  } catch (error) {
    clock.release();
    await server.stop();
    throw error;
  }
}

function serverOf({ host, listener }: SandboxSetup, api: string, behind: HttpServer): Server {
  const server = Hapi.server({ listener: behind, autoListen: false, operations: { cleanStop: false } });
  Object.assign(server.info, { host, port: (listener.address() as AddressInfo).port, uri: api });
  // The listener of the sandbox, for code that looks at its address or limits.
  return Object.assign(server, { listener });
}

/** Adds what belongs to the sandbox and not to its platform. Call it when the platform is registered, whose stop ends event streams first. */
function serveBehind({ setup: { front, options, requestsMs }, isReplacing }: RunParts, server: Server): void {
  server.ext('onPreStop', () => (isReplacing() ? front.idle(requestsMs) : front.close(requestsMs)));
  useOurErrors(server);
  if (options.console !== false) server.route({ method: 'GET', path: '/', handler: (_, h) => h.redirect('/console/') });
}

interface PlatformParts {
  readonly ids: Ids;
  readonly faults: FaultRules;
  readonly prepare: () => Promise<void>;
  readonly tokenOf: (number: string) => string | undefined;
}

function platformOf({ setup, settings, operations }: RunParts, start: Start, { ids, faults, prepare, tokenOf }: PlatformParts): Platform {
  const { host, adminKey, openStore, options } = setup;
  const { data, trustedHosts = [], shutdown, logLevel } = options;
  const { api, by, state } = start;
  const { clock } = start.clock;
  const own = operations();
  const { publicUrl } = settings.effective.platform;
  const platform: Platform = createPlatform(
    {
      name: 'sandbox',
      ...settings.effective.platform,
      plugins: [
        ...settings.effective.plugins,
        sandboxPlugin({ beforeWork: prepare, status: () => own.status(), access: () => ({ api, adminKey, publicUrl }) }),
        clockPlugin({ movable: clock, pendingTimers: (limit) => platform.pendingTimers(limit) }),
        statePlugin(by, own),
        settingsPlugin({ settings: () => settings.effective, change: (changes) => own.changeSettings(changes) }),
        cassettesPlugin({ folder: () => folderOf(options) }),
        faultPlugin(faults, { hasFiles: data !== undefined && !openStore }),
        conformPlugin({ access: () => ({ api, adminKey }), plugins: settings.effective.plugins, tokenOf }),
        testsPlugin(),
      ],
      admin: { key: adminKey },
      trustedHosts: [...(isIP(host) ? [] : [host]), ...trustedHosts],
      recording: { calls: true, deliveries: true },
      ...(shutdown && { shutdown }),
      ...(logLevel && { logLevel }),
      ...(data !== undefined && { dataDir: data }),
      ports: { clock, ids, faults, ...(openStore && { store: openStore() }) },
    },
    { state },
  );
  return platform;
}

interface Started {
  readonly server: Server;
  readonly seeded: Seeded;
}

/** Creates the sandbox's numbers on the Cloud API. @returns the seeded records with them */
async function connectCloud({ setup, notes }: RunParts, run: Started & { readonly platform: Platform }): Promise<Seeded> {
  const { cloud, adminKey } = setup;
  if (!cloud) return run.seeded;
  const seeded = await cloud.connect({ ...run, adminKey });
  notes.save(seeded);
  return seeded;
}

/** Sends the URL of the API to the demo's processes, and creates the demo's integration. @returns the URL to which messages of contacts are posted */
async function connectDemo({ setup, notes }: RunParts, { api, server, seeded }: Started & { readonly api: string }) {
  const processes = await setup.demo?.ready;
  if (!processes) return undefined;
  const { connector, integration: child } = processes;
  await connector.send({ POSTHORN_API: api });
  const [channel] = seeded.channels;
  if (channel) {
    const about = { adminKey: setup.adminKey, number: channel.uuid, child, api, noted: notes.integration };
    notes.save(seeded, await provideIntegration(server, about));
  }
  return `${connector.url}/phone`;
}
