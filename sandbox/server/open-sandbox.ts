import type { Demo } from '../demo/demo.js';
import type { Notes } from '../demo/notes.js';
import type { Sandbox, SandboxOptions } from '../sandbox.js';
import { CurrentSettings } from './current-settings.js';
import { Lifecycle } from './lifecycle.js';
import { NotesKeeper } from './notes-keeper.js';
import { Operations } from './operations.js';
import { accessOf, setUp } from './setup.js';
import { startRun } from './start-run.js';

/** Starts the platform behind its own listener, with the seed, or with the state of the data folder. */
export async function openSandbox(options: SandboxOptions, stored: Notes | undefined, demo: Demo | undefined): Promise<Sandbox> {
  const setup = await setUp(options, stored, demo);
  const settings = new CurrentSettings(setup);
  const notes = new NotesKeeper(setup, settings);
  const lifecycle: Lifecycle = new Lifecycle(setup, notes, (start) =>
    startRun({ setup, settings, notes, operations: () => operations, isReplacing: () => lifecycle.isReplacing }, start),
  );
  const operations = new Operations({ setup, settings, notes, lifecycle });
  try {
    const api = await lifecycle.start();
    await operations.noteSeedState();
    return sandboxOf(accessOf(setup, api), { settings, lifecycle, operations });
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}

interface SandboxParts {
  readonly settings: CurrentSettings;
  readonly lifecycle: Lifecycle;
  readonly operations: Operations;
}

function sandboxOf(access: ReturnType<typeof accessOf>, { settings, lifecycle, operations }: SandboxParts): Sandbox {
  return {
    ...access,
    reseed: (seed) => operations.reseed(seed),
    reset: () => operations.reset(),
    exportState: (passphrase) => operations.exportState(passphrase),
    importState: (file, passphrase) => operations.importState(file, passphrase),
    onReplaced: (listener) => lifecycle.onReplaced(listener),
    stop: () => lifecycle.stop(),
    get changedOptions() {
      return settings.effective.changed;
    },
    get numbers() {
      return lifecycle.run.seeded.numbers;
    },
    get channels() {
      return lifecycle.run.seeded.channels;
    },
    get webhooks() {
      return lifecycle.run.seeded.webhooks;
    },
    get journeys() {
      return lifecycle.run.seeded.journeys;
    },
    get phone() {
      return lifecycle.run.phone;
    },
    get isResumed() {
      return lifecycle.run.isResumed;
    },
    get withoutToken() {
      return lifecycle.run.withoutToken;
    },
    get clock() {
      return lifecycle.run.clock.clock;
    },
    get platform() {
      return lifecycle.run.platform;
    },
    get server() {
      return lifecycle.run.server;
    },
  };
<<<<<<< HEAD
=======
  return sandbox;

  /** Starts a platform and passes requests to it. Stops it again when that fails. */
  async function startRun({ clock: kept, by, state }: Start): Promise<Run> {
    const { clock } = kept;
    const ids = seedIds(seedKey);
    const faults = new FaultRules();
    // Passes requests on to hapi, and listens nowhere.
    const behind = createServer();
    const server = Hapi.server({ listener: behind, autoListen: false, operations: { cleanStop: false } });
    Object.assign(server.info, { host, port: (listener.address() as AddressInfo).port, uri: api });
    // The listener of the sandbox, for code that looks at its address or limits.
    Object.assign(server, { listener });
    const platform: Platform = createPlatform(
      {
        name: 'sandbox',
        ...settings.platform,
        plugins: [
          ...settings.plugins,
          sandboxPlugin({ beforeWork: prepare, status, access: () => ({ api, adminKey, publicUrl: settings.platform.publicUrl }) }),
          clockPlugin({ movable: clock, pendingTimers: (limit) => platform.pendingTimers(limit) }),
          statePlugin({ by, reset, exportState, importState, reseed, stateOfSeed: () => stateOfSeed, seed: seedView }),
          settingsPlugin({ settings: () => settings, change: changeSettings }),
          cassettesPlugin({ folder: () => folderOf(options) }),
          faultPlugin(faults, { hasFiles: data !== undefined && !openStore }),
          conformPlugin({
            access: () => ({ api, adminKey }),
            plugins: settings.plugins,
            tokenOf: (channel) => seeded?.numbers.find(({ uuid }) => uuid === channel)?.token ?? tokens[channel],
          }),
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
    let seeded: Seeded | undefined;
    let isResumed = false;
    try {
      await server.register(platform.hapiPlugin);
      // Registered after the platform's own, which ends event streams.
      server.ext('onPreStop', () => (replacing ? front.idle(timeout) : front.close(timeout)));
      useOurErrors(server);
      if (hasConsole) server.route({ method: 'GET', path: '/', handler: (_, h) => h.redirect('/console/') });
      await server.start();
      seeded = (await cloud?.connect({ platform, server, adminKey, seeded: seeded! })) ?? seeded!;
      if (cloud) saveNotes(seeded);
      assertOwned(platform.storeHealth());
      front.serve(behind);
      const phone = demo && (await connectDemo(await demo.ready));
      const withoutToken = await numbersWithoutToken(platform, seeded!);
      return { platform, server, clock: kept, faults, seeded: seeded!, phone, isResumed, withoutToken };
    } catch (error) {
      kept.release();
      await server.stop();
      throw error;
    }

    /** Sends the URL of the API to the demo's processes, and creates the demo's integration. @returns the URL to which messages of contacts are posted */
    async function connectDemo({ connector, integration }: DemoProcesses): Promise<string> {
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
      notes &&= currentNotes(notes, (await platform.store.open(made).get('seed'))?.state);
      isResumed = await hasState(platform, notes, data);
      const mark = (tx: Transaction): void => tx.in(made).put({ id: 'seed' });
      const onSeeded = (planted: Seeded, tx: Transaction): void => {
        mark(tx);
        saveNotes(planted, undefined, false);
      };
      if (isResumed) {
        ids.endSeed();
        seeded = processes ? await updateAddresses(processes, platform, notes!.seeded) : notes!.seeded;
        // Folders of earlier versions have no record that a sandbox created them.
        if ((await platform.store.open(made).count()) === 0) await platform.store.transaction(async (tx) => mark(tx));
      } else {
        const full = processes ? seedFrom(demoSeed(processes, platform.dialect)) : seed!.read();
        seeded = await applySeed(platform, withNumberDefaults(full, settings.numbers), onSeeded);
        if (!hasOwnKey) ids.endSeed();
      }
      saveNotes(seeded);
      kept.keep();
      if (processes) await configureProcesses(processes, seeded);
    }
  }

  function saveNotes(seeded: Seeded, integration: StoredIntegration | undefined = notes?.integration, isKept = true): void {
    write({
      adminKey,
      seedKey: { text: seedKey, isOwn: hasOwnKey },
      isDemo: demo !== undefined,
      seed: seed?.last,
      isKept,
      // The next start can be without the Cloud API, so it finds out which numbers are there.
      seeded: { ...seeded, numbers: seeded.numbers.map(({ webhook: _, ...number }) => number) },
      integration,
      options: kept,
      chosen,
      tokens,
    });
  }

  function write(next: Notes): void {
    notes = next;
    if (data !== undefined) writeNotes(data, next);
  }

  async function status(): Promise<SandboxStatus> {
    // The listener may pass a request on before the first start has ended.
    await opening;
    const { platform, seeded } = current!;
    const note = (next: typeof tokens): void => {
      tokens = next;
      saveNotes(seeded);
    };
    const records = await currentRecords(platform, seeded, { known: tokens, note });
    return statusOf({ ...sandbox, ...records, withoutToken: await numbersWithoutToken(platform, records) }, data);
  }

  async function reseed(source: string | Seed): Promise<readonly string[]> {
    const { updateSeed } = await import('../demo/update-seed.js');
    const run = current!;
    const full = seedFrom(source);
    const { seeded, changes } = await updateSeed(run.platform, withNumberDefaults(full, settings.numbers), run.seeded);
    if (seed) seed.last = full;
    run.seeded = seeded;
    saveNotes(seeded);
    return changes;
  }

  async function exportState(passphrase?: string): Promise<StateFile> {
    const { platform, clock, faults, seeded } = current!;
    await faults.save();
    const { collections, ...others } = await platform.readState();
    // It marks which state this is, and would make two exports of one state differ.
    const { 'sandbox.made': _, ...kept } = collections;
    const state = { ...others, collections: kept };
    return stateFile(
      { clock: clockOf(clock.clock), state, seeded, integration: notes?.integration },
      { demo: await demoUrls(), passphrase },
    );
  }

  /** The URLs of the processes that receive deliveries. */
  async function demoUrls(): Promise<readonly string[]> {
    const processes = await demo?.ready;
    return processes ? [processes.connector.url, processes.receiver.url] : [];
  }

  /** @throws UnusableState before anything is changed */
  async function importState(file: StateFile, passphrase?: string): Promise<Imported> {
    const { platform, clock, seeded } = current!;
    const known = { secrets: (await platform.readState()).secrets, seeded, integration: notes?.integration };
    const { imported, ...next } = await stateOf(file, { known, passphrase, hasDemo: demo !== undefined, ids: new RandomIds() });
    await platform.checkState(next.state);
    await replace('import', next, startAfter(clock.clock, file.clock.now));
    stateOfSeed = undefined;
    return imported;
  }

  /** @param changes options by their paths; null takes a change back @throws InvalidOptions before anything is changed */
  async function changeSettings(changes: Readonly<Record<string, unknown>>): Promise<void> {
    const previous = { chosen, settings };
    const next = withChanges(chosen, changes);
    settings = sandboxSettings(mergedTrees(kept, given, next), plugins);
    chosen = next;
    try {
      await replace('settings', undefined, current!.clock.clock.now());
    } catch (error) {
      ({ chosen, settings } = previous);
      throw error;
    }
  }

  function seedView(): ReturnType<SeedServices['seed']> {
    return { isDemo: demo !== undefined, hasOwnKey, seeded: current!.seeded, seed: seed?.last };
  }

  async function noteSeedState(): Promise<void> {
    stateOfSeed = current!.isResumed ? undefined : await exportState();
  }

  async function reset(): Promise<void> {
    const { clock } = current!.clock;
    const start = clock.isPaused && startOfSeed ? startOfSeed : clock.now();
    await replace('reset', { state: NO_STATE, seeded: NO_RECORDS, integration: undefined }, start);
    await noteSeedState();
  }

  /**
   * Stops the platform, and starts another with this state; with the previous one if that fails. Requests wait meanwhile.
   * @param next undefined keeps the state, for other options
   */
  function replace(by: StateReplaced['by'], next: NextState | undefined, start: Date): Promise<void> {
    if (replacing) throw new Conflict('state_is_replaced', 'The state of this sandbox is being replaced; try again when that has ended');
    const run = current!;
    const { isPaused } = run.clock.clock;
    const previous = notes!;
    replacing = (async () => {
      const resume = front.hold();
      // A kept state has the counters of the faults; a store that accepts no more writes must not prevent a reset.
      const saved = next ? Promise.resolve() : run.faults.save();
      // For the case that the platform cannot start with the new state.
      const before = await saved.then(run.platform.readState).catch((error) => {
        resume();
        throw error;
      });
      // A store that accepts no more writes, as after a full disk, fails the stop. The next state does not need what it would have written.
      await run.server.stop().catch((error: Error) => process.emitWarning(`before the ${by}: ${error.message}`));
      run.clock.release();
      try {
        const same = { state: before, seeded: run.seeded, integration: previous.integration };
        current = await startWith(next ?? same, by, clockAt({ start, isPaused, data }));
      } catch (error) {
        const { seeded, integration } = previous;
        const clock = clockAt({ start: run.clock.clock.now(), isPaused, data });
        const why = error instanceof Error ? error.message : String(error);
        current = await startWith({ state: before, seeded, integration }, 'import', clock).catch((again: unknown) => {
          front.refuse(why);
          throw again;
        });
        throw new Conflict('state_not_replaced', `The sandbox cannot start with this state, and continues with the previous one: ${why}`);
      }
    })();
    return (replacing as Promise<void>)
      .finally(() => (replacing = undefined))
      .then(() => {
        for (const listener of listeners) listener(current!.platform);
      });
  }

  /** The notes name both states until the store has one of them: it may have either after a crash. */
  async function startWith({ state, seeded, integration }: NextState, by: StateReplaced['by'], clock: SandboxClock): Promise<Run> {
    const id = randomBytes(KEY_BYTES).toString('base64url');
    const isKept = by !== 'reset';
    write({ ...notes!, next: { state: id, isKept, seeded, integration } });
    const marked = { ...state, collections: { ...state.collections, 'sandbox.made': [{ id: 'seed', state: id }] } };
    return startRun({ clock, by, state: marked });
  }
>>>>>>> w-cli
}
