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
}
