import type { PluginContext, ServiceAccess } from '../../contract/context.js';
import type { Contributions, Plugin, PluginManifest } from '../../contract/plugin.js';
import { messageOf, PluginFailed } from '../../errors.js';
import type { WorkerPool } from '../../ports/workers.js';
import { checkContributions, checkedOptions } from './check-plugin.js';
import type { LifecyclePart } from './lifecycle.js';
import { createOffers } from './offers.js';
import { byDependency, type OnAdded } from './order.js';

/** The name under which the core stores records and secrets, and mounts routes. Plugins cannot use it. */
export const CORE = 'core';

export interface LoadedPlugin {
  readonly manifest: PluginManifest<object>;
  readonly contributions: Contributions;
}

/**
 * Orders plugins by dependency, adds those that are needed by their factory, checks the options, and registers each. Starts nothing.
 * @throws PluginFailed
 */
export function load(
  plugins: readonly Plugin[],
  contextFor: (manifest: PluginManifest<object>, services: ServiceAccess) => PluginContext,
  onAdded: OnAdded,
): LoadedPlugin[] {
  const offers = createOffers();
  const checked = byDependency(plugins, onAdded).map((plugin) => {
    const { name } = plugin.manifest;
    if (name === CORE) throw new PluginFailed(name, 'load', `the name '${CORE}' is taken`);
    return { plugin, options: checkedOptions(plugin) };
  });
  return checked.map(({ plugin: { manifest, register }, options }) => {
    const contributions = contributionsOf(manifest.name, () => register(contextFor(manifest, offers.accessOf(manifest)), options));
    offers.add(manifest, contributions);
    return { manifest, contributions };
  });
}

function contributionsOf(plugin: string, register: () => Contributions): Contributions {
  const contributions: unknown = attempt(plugin, register);
  if (typeof contributions === 'object' && contributions !== null && !('then' in contributions)) {
    checkContributions(plugin, contributions);
    return contributions;
  }
  throw new PluginFailed(plugin, 'register', 'register must return an object of contributions; asynchronous work belongs in start');
}

function attempt<T>(plugin: string, register: () => T): T {
  try {
    return register();
  } catch (error) {
    throw new PluginFailed(plugin, 'register', messageOf(error), error);
  }
}

/** A plugin as a part of the lifecycle. Its failures become `PluginFailed`, with the name of the plugin. */
export const pluginPart = (
  { manifest: { name, tasks = [] }, contributions }: LoadedPlugin,
  workers: Pick<WorkerPool, 'check'>,
): LifecyclePart => ({
  name,
  async start() {
    for (const task of tasks) await workers.check(task as never);
    await contributions.start?.();
  },
  ...(contributions.stop && { stop: () => contributions.stop?.() }),
  wrap: (phase, error) => new PluginFailed(name, phase, messageOf(error), error),
});
