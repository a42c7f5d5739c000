import { createPlatform, type Logger, type Plugin } from '#core';
import { type JourneyAdditions, journeysService } from '../../plugins/journeys/plugin.js';
import type { SandboxOptions } from '../sandbox.js';
import { builtInPlugins } from './built-in-plugins.js';
import { sandboxSettings } from './settings.js';

/** Registers plugins beside the built-in ones, as a sandbox with these options does. @returns what they add to journeys @throws PluginFailed */
export async function additionsOf(plugins: readonly Plugin[], { options = {} }: SandboxOptions): Promise<JourneyAdditions> {
  const settings = sandboxSettings(options, [...builtInPlugins(), ...plugins]);
  const platform = createPlatform({
    ...settings.platform,
    plugins: settings.plugins,
    admin: { key: crypto.randomUUID() },
    ports: { log: quiet },
  });
  return platform.service(journeysService).additions;
}

const nothing = (): void => {};
const quiet: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => quiet };
