import type { Plugin } from '#core';
import { readConfig } from '../config.js';
import { faultRules } from '../faults/fault-rule.js';
import { everyPlugin } from './every-plugin.js';
import { pluginsOf } from './given-plugins.js';
import { made } from './sandbox-plugin.js';

interface KnownPlugin {
  readonly manifest: Pick<Plugin['manifest'], 'name' | 'collections'>;
}

/** The plugins whose collections a data folder may have: the built-in ones, those of the sandbox, and those of the configuration in a folder. */
export async function knownPlugins(folder: string): Promise<KnownPlugin[]> {
  const { plugins } = await readConfig(folder);
  const ofSandbox = [
    { manifest: { name: 'sandbox', collections: { made } } },
    { manifest: { name: 'faults', collections: { rules: faultRules } } },
  ];
  return [...everyPlugin(), ...ofSandbox, ...(await pluginsOf(plugins))];
}
