import type { Plugin } from '../contract/plugin.js';
import { PluginFailed } from '../errors.js';

/**
 * Sorts plugins so that each follows the plugins that it needs; otherwise the order does not change. @throws PluginFailed for a duplicate,
 * a missing plugin or a cycle
 */
export function byDependency(plugins: readonly Plugin[]): Plugin[] {
  const byName = new Map<string, Plugin>();
  for (const [i, plugin] of plugins.entries()) {
    // The function that `definePlugin` returns has a manifest, too.
    if (typeof plugin === 'function' || !plugin?.manifest) {
      const name = (plugin as Plugin | undefined)?.manifest?.name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
      const called = name ?? 'channels';
      throw new TypeError(`plugins[${i}] is not a plugin; call the function: plugins: [${called}()], not [${called}]`);
    }
    const { name } = plugin.manifest;
    if (byName.has(name)) throw new PluginFailed(name, 'load', 'a plugin with this name appears twice in `plugins`; remove one');
    byName.set(name, plugin);
  }
  const ordered = new Set<Plugin>();
  const visit = (plugin: Plugin, path: readonly string[]): void => {
    if (ordered.has(plugin)) return;
    const { name, needs = [] } = plugin.manifest;
    if (path.includes(name)) throw new PluginFailed(name, 'load', `plugins need each other in a cycle: ${[...path, name].join(' -> ')}`);
    for (const need of needs) {
      const needed = byName.get(need);
      if (!needed) throw new PluginFailed(name, 'load', `it needs the plugin '${need}', which is missing from \`plugins\`; add it`);
      visit(needed, [...path, name]);
    }
    ordered.add(plugin);
  };
  for (const plugin of plugins) visit(plugin, []);
  return [...ordered];
}
