import { randomBytes } from 'node:crypto';
import type { PlatformState } from '#core';
import type { Seeded } from '../demo/apply-seed.js';
import type { StoredIntegration } from '../demo/demo-integration.js';
import { currentNotes, type Notes, writeNotes } from '../demo/notes.js';
import type { CurrentSettings } from './current-settings.js';
import { KEY_BYTES } from './seed-source.js';
import type { SandboxSetup } from './setup.js';
import type { NextState } from './start-state.js';
import type { StateReplaced } from './state-plugin.js';

/** The notes of a sandbox: in memory, and in the data folder if it has one. */
export class NotesKeeper {
  readonly #setup: SandboxSetup;
  readonly #settings: CurrentSettings;
  #notes: Notes | undefined;
  /** Of numbers that were created while the sandbox ran. */
  #tokens: Readonly<Record<string, string>>;

  constructor(setup: SandboxSetup, settings: CurrentSettings) {
    this.#setup = setup;
    this.#settings = settings;
    this.#notes = setup.stored;
    this.#tokens = setup.stored?.tokens ?? {};
  }

  /** @throws Error before a platform has prepared its first state */
  get current(): Notes {
    if (!this.#notes) throw new Error('the sandbox has no state yet');
    return this.#notes;
  }

  get integration(): StoredIntegration | undefined {
    return this.#notes?.integration;
  }

  get tokens(): Readonly<Record<string, string>> {
    return this.#tokens;
  }

  /** The notes of the state that the store has; undefined for a new sandbox. @param state the id in the store's mark */
  settle(state: string | undefined): Notes | undefined {
    if (this.#notes) this.#notes = currentNotes(this.#notes, state);
    return this.#notes;
  }

  /** @param isKept false before the state is committed */
  save(seeded: Seeded, integration: StoredIntegration | undefined = this.integration, isKept = true): void {
    const { adminKey, seedKey, demo, seed, kept } = this.#setup;
    this.#write({
      adminKey,
      seedKey,
      isDemo: demo !== undefined,
      seed: seed.last,
      isKept,
      // The next start can be without the Cloud API, so it finds out which numbers are there.
      seeded: { ...seeded, numbers: seeded.numbers.map(({ webhook: _, ...number }) => number) },
      integration,
      options: kept,
      chosen: this.#settings.chosen,
      tokens: this.#tokens,
    });
  }

  saveTokens(tokens: Readonly<Record<string, string>>, seeded: Seeded): void {
    this.#tokens = tokens;
    this.save(seeded);
  }

  /**
   * Writes notes that name both states until the store has one of them: it may have either after a crash.
   * @returns the next state with the mark by which the notes recognize it
   */
  announce({ state, seeded, integration }: NextState, by: StateReplaced['by']): PlatformState {
    const id = randomBytes(KEY_BYTES).toString('base64url');
    this.#write({ ...this.current, next: { state: id, isKept: by !== 'reset', seeded, integration } });
    return { ...state, collections: { ...state.collections, 'sandbox.made': [{ id: 'seed', state: id }] } };
  }

  #write(next: Notes): void {
    this.#notes = next;
    const { data } = this.#setup.options;
    if (data !== undefined) writeNotes(data, next);
  }
}
