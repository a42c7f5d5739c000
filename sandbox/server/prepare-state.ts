import type { Platform, Transaction } from '#core';
import { applySeed, type Seeded } from '../demo/apply-seed.js';
import { configureProcesses, type DemoProcesses, updateAddresses } from '../demo/demo.js';
import type { Notes } from '../demo/notes.js';
import type { CurrentSettings } from './current-settings.js';
import type { NotesKeeper } from './notes-keeper.js';
import { notesToResume } from './resumed-state.js';
import { made } from './sandbox-plugin.js';
import { type SeedIds, withNumberDefaults } from './seed-source.js';
import type { SandboxSetup } from './setup.js';

/** The records of a state that is ready for work. */
export interface Prepared {
  readonly seeded: Seeded;
  readonly isResumed: boolean;
}

interface PrepareParts {
  readonly setup: SandboxSetup;
  readonly settings: CurrentSettings;
  readonly notes: NotesKeeper;
  readonly platform: Platform;
  readonly ids: SeedIds;
  readonly keepClock: () => void;
}

/**
 * Resumes the state of the store, or applies the seed. Call it before any job runs, because pending deliveries of an earlier run need the
 * new URLs, and receivers need their secrets.
 */
export async function prepareState(parts: PrepareParts): Promise<Prepared> {
  const { setup, notes, platform, keepClock } = parts;
  const processes = await setup.demo?.ready;
  const stored = notes.settle((await platform.store.open(made).get('seed'))?.state);
  const resumed = await notesToResume(platform, stored, setup.options.data);
  const seeded = resumed ? await resume(parts, resumed, processes) : await plant(parts);
  notes.save(seeded);
  keepClock();
  if (processes) await configureProcesses(processes, seeded);
  return { seeded, isResumed: resumed !== undefined };
}

async function resume({ platform, ids }: PrepareParts, notes: Notes, processes: DemoProcesses | undefined): Promise<Seeded> {
  ids.endSeed();
  const seeded = processes ? await updateAddresses(processes, platform, notes.seeded) : notes.seeded;
  // Folders of earlier versions have no record that a sandbox created them.
  if ((await platform.store.open(made).count()) === 0) await platform.store.transaction(async (tx) => mark(tx));
  return seeded;
}

async function plant({ setup, settings, notes, platform, ids }: PrepareParts): Promise<Seeded> {
  const full = await setup.seed.read(platform.dialect);
  const seeded = await applySeed(platform, withNumberDefaults(full, settings.effective.numbers), (planted, tx) => {
    mark(tx);
    notes.save(planted, undefined, false);
  });
  if (!setup.seedKey.isOwn) ids.endSeed();
  return seeded;
}

const mark = (tx: Transaction): void => tx.in(made).put({ id: 'seed' });
