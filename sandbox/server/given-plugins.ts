import type { Plugin } from '#core';
import type { SandboxOptions } from '../sandbox.js';

/** Loads the plugins that are given as files. Imported on demand, because most sandboxes have no plugins of their own. */
export const pluginsOf = (given: readonly (Plugin | string)[] = []): Promise<Plugin[]> =>
  Promise.all(
    given.map(async (plugin) =>
      typeof plugin === 'string' ? (await (await import('./load-module.js')).loadPlugin(plugin)).plugin : plugin,
    ),
  );

/** The folder in which the sandbox was started, whose subfolder `.posthorn` has its files. */
export const folderOf = ({ console: own }: SandboxOptions): string => (typeof own === 'object' ? own.keepSessionsIn : process.cwd());
