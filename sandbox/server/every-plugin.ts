import type { Plugin } from '#core';
import { cloudApi } from '../../plugins/cloud-api/plugin.js';
import { builtInPlugins } from './built-in-plugins.js';

/** Every plugin of the package: those of every sandbox, and those of the Cloud API, which a sandbox has if it has numbers there. */
export const everyPlugin = (): Plugin[] => [...builtInPlugins(), cloudApi()];
