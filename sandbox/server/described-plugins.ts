import type { Plugin } from '#core';
import { conformPlugin } from '../conform/conform-plugin.js';
import { faultPlugin } from '../faults/fault-plugin.js';
import { FaultRules } from '../faults/fault-rules.js';
import { testsPlugin } from '../tests/tests-plugin.js';
import { clockPlugin } from './clock-plugin.js';
import { everyPlugin } from './every-plugin.js';
import { sandboxPlugin } from './sandbox-plugin.js';
import { statePlugin } from './state-plugin.js';

const never = async (): Promise<never> => {
  throw new Error('these plugins are only described');
};

/** The plugins of a sandbox with every route, for descriptions of its API. Their platform is never called. */
export const describedPlugins = (): Plugin[] => [
  ...everyPlugin(),
  sandboxPlugin({ beforeWork: async () => undefined }),
  clockPlugin({ movable: undefined, pendingTimers: async () => [] }),
  statePlugin({ by: undefined, reset: never, exportState: never, importState: never }),
  faultPlugin(new FaultRules(), { hasFiles: true }),
  conformPlugin({ tokenOf: () => undefined }),
  testsPlugin(),
];
