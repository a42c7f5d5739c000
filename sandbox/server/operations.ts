import { RandomIds } from '#core';
import { type Seed, seedFrom } from '../demo/seed.js';
import { type Imported, stateOf } from '../state/imported-state.js';
import { type StateFile, stateFile } from '../state/state-file.js';
import { currentRecords } from './current-records.js';
import type { CurrentSettings } from './current-settings.js';
import type { Lifecycle } from './lifecycle.js';
import type { NotesKeeper } from './notes-keeper.js';
import { numbersWithoutToken } from './resumed-state.js';
import type { SeedServices } from './seed-routes.js';
import { withNumberDefaults } from './seed-source.js';
import { accessOf, type SandboxSetup } from './setup.js';
import { clockOf, NO_RECORDS, NO_STATE, startAfter } from './start-state.js';
import type { StateServices } from './state-plugin.js';
import { type SandboxStatus, statusOf } from './status-route.js';

interface OperationParts {
  readonly setup: SandboxSetup;
  readonly settings: CurrentSettings;
  readonly notes: NotesKeeper;
  readonly lifecycle: Lifecycle;
}

/** Operations of a running sandbox, for its own routes and for the code that started it. */
export class Operations implements StateServices {
  readonly #setup: SandboxSetup;
  readonly #settings: CurrentSettings;
  readonly #notes: NotesKeeper;
  readonly #lifecycle: Lifecycle;
  #stateOfSeed: StateFile | undefined;

  constructor({ setup, settings, notes, lifecycle }: OperationParts) {
    this.#setup = setup;
    this.#settings = settings;
    this.#notes = notes;
    this.#lifecycle = lifecycle;
  }

  /** The state after the seed was applied; undefined if the state was resumed or imported. */
  stateOfSeed(): StateFile | undefined {
    return this.#stateOfSeed;
  }

  async noteSeedState(): Promise<void> {
    this.#stateOfSeed = this.#lifecycle.run.isResumed ? undefined : await this.exportState();
  }

  async status(): Promise<SandboxStatus> {
    const { api, platform, seeded, clock, phone, isResumed } = await this.#lifecycle.started();
    const note = (tokens: Readonly<Record<string, string>>): void => this.#notes.saveTokens(tokens, seeded);
    const records = await currentRecords(platform, seeded, { known: this.#notes.tokens, note });
    const withoutToken = await numbersWithoutToken(platform, records);
    const { changed: changedOptions } = this.#settings.effective;
    const shown = { ...accessOf(this.#setup, api), ...records, phone, isResumed, withoutToken, changedOptions, clock: clock.clock };
    return statusOf(shown, this.#setup.options.data);
  }

  seed(): ReturnType<SeedServices['seed']> {
    const { demo, seedKey, seed } = this.#setup;
    return { isDemo: demo !== undefined, hasOwnKey: seedKey.isOwn, seeded: this.#lifecycle.run.seeded, seed: seed.last };
  }

  async reseed(source: string | Seed): Promise<readonly string[]> {
    const { updateSeed } = await import('../demo/update-seed.js');
    const run = await this.#lifecycle.started();
    const full = seedFrom(source);
    const withDefaults = withNumberDefaults(full, this.#settings.effective.numbers);
    const { seeded, changes } = await updateSeed(run.platform, withDefaults, run.seeded);
    this.#setup.seed.applied(full);
    run.seeded = seeded;
    this.#notes.save(seeded);
    return changes;
  }

  async reset(): Promise<void> {
    const { startOfSeed } = this.#setup;
    const { clock } = (await this.#lifecycle.started()).clock;
    const start = clock.isPaused && startOfSeed ? startOfSeed : clock.now();
    const next = { state: NO_STATE, seeded: NO_RECORDS, integration: undefined };
    await this.#lifecycle.replace({ by: 'reset', next, start });
    await this.noteSeedState();
  }

  async exportState(passphrase?: string): Promise<StateFile> {
    const { platform, clock, faults, seeded } = await this.#lifecycle.started();
    await faults.save();
    const { collections, ...others } = await platform.readState();
    // It marks which state this is, and would make two exports of one state differ.
    const { 'sandbox.made': _, ...kept } = collections;
    const state = { ...others, collections: kept };
    return stateFile(
      { clock: clockOf(clock.clock), state, seeded, integration: this.#notes.integration },
      { demo: await this.#demoUrls(), passphrase },
    );
  }

  /** @throws UnusableState before anything is changed */
  async importState(file: StateFile, passphrase?: string): Promise<Imported> {
    const { platform, clock, seeded } = await this.#lifecycle.started();
    const known = { secrets: (await platform.readState()).secrets, seeded, integration: this.#notes.integration };
    const hasDemo = this.#setup.demo !== undefined;
    const { imported, ...next } = await stateOf(file, { known, passphrase, hasDemo, ids: new RandomIds() });
    await platform.checkState(next.state);
    await this.#lifecycle.replace({ by: 'import', next, start: startAfter(clock.clock, file.clock.now) });
    this.#stateOfSeed = undefined;
    return imported;
  }

  /** @param changes options by their paths; null takes a change back @throws InvalidOptions before anything is changed */
  async changeSettings(changes: Readonly<Record<string, unknown>>): Promise<void> {
    const { clock } = (await this.#lifecycle.started()).clock;
    const undo = this.#settings.change(changes);
    try {
      await this.#lifecycle.replace({ by: 'settings', start: clock.now(), undo });
    } catch (error) {
      undo();
      throw error;
    }
  }

  /** The URLs of the processes that receive deliveries. */
  async #demoUrls(): Promise<readonly string[]> {
    const processes = await this.#setup.demo?.ready;
    return processes ? [processes.connector.url, processes.receiver.url] : [];
  }
}
