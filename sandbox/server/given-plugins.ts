import type { Plugin } from '#core';
import type { SandboxOptions } from '../sandbox.js';
import { builtInPlugins } from './built-in-plugins.js';
import type { CloudNumbers } from './cloud-numbers.js';
import { keptSessions } from './kept-sessions.js';

/** Loads the plugins that are given as files. Imported on demand, because most sandboxes have no plugins of their own. */
export const pluginsOf = (given: readonly (Plugin | string)[] = []): Promise<Plugin[]> =>
  Promise.all(
    given.map(async (plugin) =>
      typeof plugin === 'string' ? (await (await import('./load-module.js')).loadPlugin(plugin)).plugin : plugin,
    ),
  );

/** The folder in which the sandbox was started, whose subfolder `.posthorn` has its files. */
export const folderOf = ({ console: own }: SandboxOptions): string => (typeof own === 'object' ? own.keepSessionsIn : process.cwd());

/** The plugins of a sandbox: the built-in ones, those of the Cloud API if it has numbers there, and its own. */
export async function pluginsOfSandbox(
  options: SandboxOptions,
): Promise<{ readonly plugins: readonly Plugin[]; readonly cloud: CloudNumbers | undefined }> {
  const { console: own, cloudApi, plugins } = options;
  const builtIn = builtInPlugins(typeof own === 'object' ? keptSessions(own.keepSessionsIn) : undefined);
  const shown = builtIn.filter(({ manifest }) => own !== false || manifest.name !== 'console');
  // Imported on demand, because most sandboxes have no number on the network.
  const cloud = cloudApi === undefined ? undefined : (await import('./cloud-numbers.js')).cloudNumbers(cloudApi);
  return { plugins: [...(cloud?.pluginsWith(shown) ?? shown), ...(await pluginsOf(plugins))], cloud };
}
