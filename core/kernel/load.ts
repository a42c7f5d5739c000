import Joi from 'joi';
import type { PluginContext } from '../contract/context.js';
import type { Contributions, Plugin, PluginManifest } from '../contract/plugin.js';
import { PluginFailed, type PluginPhase } from '../errors.js';
import { inOrder } from './order.js';

/** A plugin and what it contributes. */
export interface LoadedPlugin {
  readonly manifest: PluginManifest<object>;
  readonly contributions: Contributions;
}

/** Orders plugins, checks their options, and asks each what it contributes. Nothing is started. @throws PluginFailed */
export function load(plugins: readonly Plugin[], contextFor: (manifest: PluginManifest<object>) => PluginContext): LoadedPlugin[] {
  const names = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
  const checked = inOrder(plugins).map((plugin) => {
    const { name, version } = plugin.manifest;
    if (!names.test(name)) throw new PluginFailed(String(name), 'load', 'a name is lower-case words joined with -');
    if (!version) throw new PluginFailed(name, 'load', 'it has no version');
    return { plugin, options: checkedOptions(plugin) };
  });
  return checked.map(({ plugin: { manifest, register }, options }) => ({
    manifest,
    contributions: attempt(manifest.name, 'register', () => register(contextFor(manifest), options)),
  }));
}

function checkedOptions({ manifest, options }: Plugin): object {
  const { error, value } = (manifest.options ?? Joi.object({})).required().validate(options, { abortEarly: false });
  if (error) throw new PluginFailed(manifest.name, 'options', error.message, error);
  return value;
}

function attempt<T>(plugin: string, phase: PluginPhase, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new PluginFailed(plugin, phase, error instanceof Error ? error.message : String(error), error);
  }
}
