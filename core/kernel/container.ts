import { createRequire } from 'node:module';
import type { DependencyContainer } from 'tsyringe';
import type { PluginContext } from '../contract/context.js';
import type { Secrets } from '../ports/secrets.js';

/** How each part of `P` is made. A recipe reads the parts it needs from `all`, which are made when they are first read. */
export type Recipes<P, All = P> = { readonly [N in keyof P]-?: (all: All) => P[N] };

/** Parts that tsyringe makes and keeps: each once, when it is first read. */
export interface Composition<P> {
  readonly parts: P;
  /** Some of the parts, of which a few are others: what a plugin is given. */
  scope<N extends keyof P>(names: readonly N[], own: Partial<Pick<P, N>>): Pick<P, N>;
}

const require = createRequire(import.meta.url);

/** Thirty-five files, a fifth of what importing the platform would cost: they come with the first platform, which does not wait. */
function tsyringe(): typeof import('tsyringe') {
  require('reflect-metadata');
  return require('tsyringe') as typeof import('tsyringe');
}

/**
 * Registers a recipe for each part, so that the order in which parts are made follows from what they need. Nothing is registered on
 * tsyringe's global container: platforms can share a process.
 * @throws when a part needs itself, with the names of the parts between; only on the first read of such a part
 */
export function compose<P extends object>(recipes: Recipes<P>): Composition<P> {
  const { container, instanceCachingFactory } = tsyringe();
  const root = container.createChildContainer();
  const names = Object.keys(recipes) as (keyof P & string)[];
  const tokens = new Map<PropertyKey, symbol>(names.map((name) => [name, Symbol(name)]));
  const making: string[] = [];
  const parts = readFrom<P>(root, tokens, names);

  function made<N extends keyof P & string>(name: N): P[N] {
    if (making.includes(name)) throw new Error(`parts need each other: ${[...making, name].join(' -> ')}`);
    making.push(name);
    try {
      return recipes[name](parts);
    } finally {
      making.pop();
    }
  }

  for (const name of names) root.register(tokens.get(name)!, { useFactory: instanceCachingFactory(() => made(name)) });
  return {
    parts,
    scope(wanted, own) {
      const scope = root.createChildContainer();
      for (const [name, part] of Object.entries(own)) scope.registerInstance(tokens.get(name)!, part);
      return readFrom(scope, tokens, wanted);
    },
  };
}

/** An object whose properties are resolved when they are first read, and plain values from then on. */
function readFrom<P extends object>(
  container: DependencyContainer,
  tokens: ReadonlyMap<PropertyKey, symbol>,
  names: readonly (keyof P)[],
): P {
  const parts = {};
  for (const name of names) {
    Object.defineProperty(parts, name, {
      enumerable: true,
      configurable: true,
      get() {
        const value: unknown = container.resolve(tokens.get(name)!);
        Object.defineProperty(parts, name, { enumerable: true, value });
        return value;
      },
    });
  }
  return parts as P;
}

/** What a plugin may touch, by name; by type, so that none is forgotten when there are more. */
const contextNames: Readonly<Record<keyof PluginContext, true>> = {
  dialect: true,
  store: true,
  workers: true,
  http: true,
  models: true,
  clock: true,
  ids: true,
  secrets: true,
  log: true,
  chunks: true,
  history: true,
  announce: true,
  numbers: true,
  tokens: true,
  contacts: true,
  conversations: true,
  messages: true,
  media: true,
  templates: true,
  channels: true,
  webhooks: true,
  deliveries: true,
  journeys: true,
  effects: true,
  forms: true,
  publicUrl: true,
};

/** What a plugin is given: the parts of the platform, with a logger and secrets of its own in front of the shared ones. */
export function pluginContext<P extends PluginContext>({ parts, scope }: Composition<P>, plugin: string): PluginContext {
  return scope(Object.keys(contextNames) as (keyof PluginContext)[], {
    log: parts.log.child({ plugin }),
    secrets: ownSecrets(parts.secrets, plugin),
  });
}

function ownSecrets(secrets: Secrets, plugin: string): Secrets {
  const own = (name: string): string => `${plugin}/${name}`;
  return {
    get: (name) => secrets.get(own(name)),
    put: (tx, name, value) => secrets.put(tx, own(name), value),
    delete: (tx, name) => secrets.delete(tx, own(name)),
  };
}
