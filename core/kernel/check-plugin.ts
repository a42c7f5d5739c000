import type { Contributions, Plugin, PluginManifest } from '../contract/plugin.js';
import { PluginFailed } from '../errors.js';

/** What the compiler tells those who write TypeScript, for those who write JavaScript: a word nobody reads does nothing, in silence. */

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** By type, so that it cannot be forgotten when there is more to declare or to contribute. */
const declared: Readonly<Record<keyof PluginManifest<object>, true>> = {
  name: true,
  version: true,
  needs: true,
  options: true,
  collections: true,
  emits: true,
  tasks: true,
};
const contributed: Readonly<Record<keyof Contributions, 'a list' | 'an object' | 'a function'>> = {
  routes: 'a list',
  admin: 'a list',
  roots: 'a list',
  channels: 'a list',
  effects: 'an object',
  outboundChecks: 'a list',
  on: 'a list',
  consumes: 'a list',
  views: 'a list',
  errors: 'an object',
  start: 'a function',
  stop: 'a function',
};

/** @throws PluginFailed */
export function checkManifest({ manifest }: Plugin): void {
  const { name, version } = manifest as { name: unknown; version: unknown };
  const fail = (why: string): never => {
    throw new PluginFailed(String(name), 'load', why);
  };
  if (typeof name !== 'string' || !NAME.test(name)) fail('a name is lower-case words joined with -');
  if (typeof version !== 'string' || version === '') fail('it has no version');
  for (const key of Object.keys(manifest)) {
    if (!Object.hasOwn(declared, key)) fail(unread('declares', key, [...Object.keys(declared), 'register']));
  }
}

/** @throws PluginFailed */
export function checkContributions(plugin: string, contributions: Contributions): void {
  const fail = (why: string): never => {
    throw new PluginFailed(plugin, 'register', why);
  };
  for (const [key, value] of Object.entries(contributions)) {
    if (!Object.hasOwn(contributed, key)) fail(unread('contributes', key, Object.keys(contributed)));
    const wanted = contributed[key as keyof Contributions];
    if (value !== undefined && kindOf(value) !== wanted) fail(`${key} has to be ${wanted}`);
  }
  const { routes = [], admin = [] } = contributions;
  for (const [key, list] of Object.entries({ routes, admin })) {
    for (const [i, route] of list.entries()) {
      const { method, path, summary, responses, handler } = (route ?? {}) as unknown as Record<string, unknown>;
      const isWhole = [method, path, summary].every((word) => typeof word === 'string') && typeof handler === 'function';
      if (!isWhole) fail(`${key}[${i}] is no route: one has method, path, summary, responses and handler`);
      if (kindOf(responses) !== 'an object') fail(`${method} ${path} declares no responses`);
    }
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : `a ${typeof value}`;
}

const unread = (verb: string, key: string, known: readonly string[]): string =>
  `it ${verb} '${key}', which nobody reads; there are ${known.join(', ')}`;
