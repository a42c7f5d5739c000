import type { NeededPlugin, Plugin } from '../../contract/plugin.js';
import { messageOf, PluginFailed } from '../../errors.js';
import { checkedOptions, checkManifest } from './check-plugin.js';

/** Called for each plugin that `byDependency` adds. */
export type OnAdded = (added: { readonly plugin: string; readonly needed_by: string }) => void;

/** The name of a plugin in `needs`. A factory has the manifest of its plugin. */
export const nameOf = (needed: NeededPlugin): string => (typeof needed === 'string' ? needed : (needed as unknown as Plugin).manifest.name);

/**
 * Sorts plugins so that each follows the plugins that it needs; otherwise the order does not change. Adds plugins that are needed by their
 * factory and missing, with their default options. @throws PluginFailed for a manifest with a fault, a duplicate, a missing plugin or a cycle
 */
export function byDependency(plugins: readonly Plugin[], onAdded: OnAdded): Plugin[] {
  const byName = namedPlugins(plugins);
  // A map iterates over entries that are added meanwhile, so needs of added plugins are added, too.
  for (const { manifest } of byName.values()) {
    for (const needed of manifest.needs ?? []) {
      if (typeof needed === 'string' || byName.has(nameOf(needed))) continue;
      byName.set(nameOf(needed), withDefaults(needed(), manifest.name));
      onAdded({ plugin: nameOf(needed), needed_by: manifest.name });
    }
  }
  const ordered = new Set<Plugin>();
  const visit = (plugin: Plugin, path: readonly string[]): void => {
    if (ordered.has(plugin)) return;
    const { name, needs = [], optional = [] } = plugin.manifest;
    if (path.includes(name)) throw new PluginFailed(name, 'load', `plugins need each other in a cycle: ${[...path, name].join(' -> ')}`);
    for (const need of needs.map(nameOf)) {
      const needed = byName.get(need);
      if (!needed) throw new PluginFailed(name, 'load', `it needs the plugin '${need}', which is missing from \`plugins\`; add it`);
      visit(needed, [...path, name]);
    }
    for (const one of optional) if (byName.has(one)) visit(byName.get(one)!, [...path, name]);
    ordered.add(plugin);
  };
  for (const plugin of byName.values()) visit(plugin, []);
  return [...ordered];
}

function namedPlugins(plugins: readonly Plugin[]): Map<string, Plugin> {
  const byName = new Map<string, Plugin>();
  for (const [i, plugin] of plugins.entries()) {
    // The function that `definePlugin` returns has a manifest, too.
    if (typeof plugin === 'function' || !plugin?.manifest) {
      const name = (plugin as Plugin | undefined)?.manifest?.name;
      const called = name === undefined ? 'channels' : inCamelCase(name);
      throw new TypeError(`plugins[${i}] is not a plugin; call the function: plugins: [${called}()], not [${called}]`);
    }
    checkManifest(plugin);
    const { name } = plugin.manifest;
    if (byName.has(name)) throw new PluginFailed(name, 'load', 'a plugin with this name appears twice in `plugins`; remove one');
    byName.set(name, plugin);
  }
  return byName;
}

/** @throws PluginFailed when the plugin has a required option */
function withDefaults(added: Plugin, neededBy: string): Plugin {
  checkManifest(added);
  const { name } = added.manifest;
  try {
    checkedOptions(added);
  } catch (error) {
    const why = `it needs the plugin '${name}', which has required options; add ${inCamelCase(name)}({ ... }) to \`plugins\``;
    throw new PluginFailed(neededBy, 'load', `${why} (${messageOf(error)})`, error);
  }
  return added;
}

const inCamelCase = (name: string): string => name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
