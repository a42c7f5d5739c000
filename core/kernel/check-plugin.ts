import type { Contributions, Plugin } from '../contract/plugin.js';
import { PluginFailed } from '../errors.js';

/** What the compiler tells those who write TypeScript, for those who write JavaScript: a word nobody reads does nothing, in silence. */

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const DECLARED = ['name', 'version', 'needs', 'options', 'collections', 'emits', 'tasks'];
const LISTS = ['routes', 'console', 'roots', 'channels', 'outboundChecks', 'on', 'consumes', 'views'];
const OBJECTS = ['effects', 'errors'];
const FUNCTIONS = ['start', 'stop'];

/** @throws PluginFailed */
export function checkManifest({ manifest }: Plugin): void {
  const { name, version } = manifest as { name: unknown; version: unknown };
  const fail = (why: string): never => {
    throw new PluginFailed(String(name), 'load', why);
  };
  if (typeof name !== 'string' || !NAME.test(name)) fail('a name is lower-case words joined with -');
  if (typeof version !== 'string' || version === '') fail('it has no version');
  for (const key of Object.keys(manifest)) if (!DECLARED.includes(key)) fail(unread('declares', key, [...DECLARED, 'register']));
}

/** @throws PluginFailed */
export function checkContributions(plugin: string, contributions: Contributions): void {
  const fail = (why: string): never => {
    throw new PluginFailed(plugin, 'register', why);
  };
  const routesIn = (key: string, list: readonly unknown[]): void => {
    for (const [i, route] of list.entries()) {
      const { method, path, summary, responses, handler } = (route ?? {}) as Record<string, unknown>;
      const isWhole = [method, path, summary].every((word) => typeof word === 'string') && typeof handler === 'function';
      if (!isWhole) fail(`${key}[${i}] is no route: one has method, path, summary, responses and handler`);
      if (typeof responses !== 'object' || responses === null) fail(`${method} ${path} declares no responses`);
    }
  };
  for (const [key, value] of Object.entries(contributions)) {
    if (LISTS.includes(key)) {
      if (value !== undefined && !Array.isArray(value)) fail(`${key} has to be a list`);
      if (key === 'routes' || key === 'console') routesIn(key, value ?? []);
    } else if (OBJECTS.includes(key)) {
      if (value !== undefined && (typeof value !== 'object' || value === null)) fail(`${key} has to be an object`);
    } else if (FUNCTIONS.includes(key)) {
      if (value !== undefined && typeof value !== 'function') fail(`${key} has to be a function`);
    } else fail(unread('contributes', key, [...LISTS, ...OBJECTS, ...FUNCTIONS]));
  }
}

const unread = (verb: string, key: string, known: readonly string[]): string =>
  `it ${verb} '${key}', which nobody reads; there are ${known.join(', ')}`;
