import type { Contributions, Plugin, PluginManifest } from '../contract/plugin.js';
import { PluginFailed } from '../errors.js';
import {
  faultOfChannel,
  faultOfCheck,
  faultOfConsumer,
  faultOfErrors,
  faultOfEvent,
  faultOfRoot,
  faultOfRoute,
  faultOfSubscription,
  faultOfTask,
  faultOfView,
} from './check-parts.js';

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
  forms: 'a function',
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
  for (const [key, faultOf] of Object.entries({ emits: faultOfEvent, tasks: faultOfTask })) {
    const list: unknown = manifest[key as 'emits' | 'tasks'] ?? [];
    if (!Array.isArray(list)) fail(`${key} has to be a list`);
    for (const [i, one] of (list as unknown[]).entries()) {
      const fault = faultOf(one);
      if (fault) fail(`${key}[${i}] ${fault}`);
    }
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
  for (const [key, faultOf] of Object.entries(checks)) {
    for (const [i, one] of [...((contributions[key as keyof Contributions] as readonly unknown[] | undefined) ?? [])].entries()) {
      const fault = faultOf(one);
      if (fault) fail(`${key}[${i}] ${fault}`);
    }
  }
  for (const [kind, perform] of Object.entries(contributions.effects ?? {})) {
    if (typeof perform !== 'function') fail(`effects.${kind} is no function`);
  }
  const fault = contributions.errors && faultOfErrors(contributions.errors);
  if (fault) fail(`errors ${fault}`);
}

/** What is wrong with one in a list, in words that follow its place. */
const checks = {
  routes: faultOfRoute,
  admin: faultOfRoute,
  roots: faultOfRoot,
  channels: faultOfChannel,
  outboundChecks: faultOfCheck,
  on: faultOfSubscription,
  consumes: faultOfConsumer,
  views: faultOfView,
} satisfies Partial<Record<keyof Contributions, (given: unknown) => string | undefined>>;

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : `a ${typeof value}`;
}

const unread = (verb: string, key: string, known: readonly string[]): string =>
  `it ${verb} '${key}', which nobody reads; there are ${known.join(', ')}`;
