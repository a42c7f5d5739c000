import { resolve } from 'node:path';
import type { Plugin } from '#core';
import type { JourneyAdditions } from '../plugins/journeys/plugin.js';
import { readConfig } from './config.js';
import type { SandboxOptions } from './sandbox.js';
import { UsageError } from './terminal/flags.js';

/** The plugins of a configuration, and of files. @throws UsageError when one cannot be loaded */
export async function pluginsOfProject(
  { plugins = [] }: Pick<SandboxOptions, 'plugins'>,
  files: readonly string[] = [],
  folder: string,
): Promise<readonly Plugin[]> {
  if (plugins.length + files.length === 0) return [];
  const { pluginsOf } = await import('./server/given-plugins.js');
  const given = [...plugins, ...files].map((plugin) => (typeof plugin === 'string' ? resolve(folder, plugin) : plugin));
  return pluginsOf(given).catch(refuse);
}

/**
 * Runs work on journey files with what plugins add to journeys: those of the configuration in a folder, and of files. Registers the plugins,
 * and starts none.
 * @throws UsageError when a plugin cannot be loaded
 */
export async function withPlugins<T>(
  files: readonly string[] | undefined,
  folder: string,
  work: (additions?: JourneyAdditions) => Promise<T>,
): Promise<T> {
  const config = await readConfig(folder);
  const plugins = await pluginsOfProject(config, files, folder);
  if (plugins.length === 0) return work();
  const [{ additionsOf }, { useModules }] = await Promise.all([
    import('./server/journey-additions.js'),
    import('../plugins/journeys/plugin.js'),
  ]);
  const additions = await additionsOf(plugins, config).catch(refuse);
  const end = await useModules(additions.modules).catch(refuse);
  try {
    return await work(additions);
  } finally {
    end();
  }
}

function refuse(error: unknown): never {
  throw new UsageError(error instanceof Error ? error.message : String(error));
}
