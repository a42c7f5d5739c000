import type { Plugin } from '#core';
import { conformPlugin } from '../conform/conform-plugin.js';
import { faultPlugin } from '../faults/fault-plugin.js';
import { FaultRules } from '../faults/fault-rules.js';
import { cassettesPlugin } from '../journey-tests/cassettes/cassettes-plugin.js';
import { testsPlugin } from '../journey-tests/tests-plugin.js';
import { clockPlugin } from './clock-plugin.js';
import { everyPlugin } from './every-plugin.js';
import { sandboxPlugin } from './sandbox-plugin.js';
import { sandboxSettings } from './settings.js';
import { settingsPlugin } from './settings-plugin.js';
import { NO_RECORDS } from './start-state.js';
import { statePlugin } from './state-plugin.js';

const never = async (): Promise<never> => {
  throw new Error('these plugins are only described');
};

const unknownSeed = {
  stateOfSeed: () => undefined,
  seed: () => ({ isDemo: false, hasOwnKey: false, seeded: NO_RECORDS, seed: undefined }),
};

/** The plugins of a sandbox with every route, for descriptions of its API. Their platform is never called. */
export const describedPlugins = (): Plugin[] => [
  ...everyPlugin(),
  sandboxPlugin({ beforeWork: async () => undefined }),
  clockPlugin({ movable: undefined, pendingTimers: async () => [] }),
  statePlugin(undefined, { reset: never, exportState: never, importState: never, reseed: never, ...unknownSeed }),
  settingsPlugin({ settings: () => sandboxSettings({}, []), change: never }),
  cassettesPlugin({ folder: () => process.cwd() }),
  faultPlugin(new FaultRules(), { hasFiles: true }),
  conformPlugin({ tokenOf: () => undefined }),
  testsPlugin(),
];
