import { createRequire } from 'node:module';
import type { DependencyContainer } from 'tsyringe';
import type { PluginContext, ServiceAccess } from '../../contract/context.js';
import type { Secrets } from '../../ports/secrets.js';

/** A function that creates each part of `P`. The function reads the parts that it needs from `all`, which creates a part on first read. */
export type Recipes<P, All = P> = { readonly [N in keyof P]-?: (all: All) => P[N] };

/** Parts that tsyringe creates lazily, each once. */
export interface Composition<P> {
  readonly parts: P;
  /** The parts with these names, some of them replaced by `overrides`. */
  scope<N extends keyof P>(names: readonly N[], overrides: Partial<Pick<P, N>>): Pick<P, N>;
}

const require = createRequire(import.meta.url);

/** Loads tsyringe on first use: its 35 files take a fifth of the time of importing the platform. */
function tsyringe(): typeof import('tsyringe') {
  require('reflect-metadata');
  return require('tsyringe') as typeof import('tsyringe');
}

/**
 * Registers a recipe for each part, so that the order of creation follows from the dependencies. Uses a child container: platforms share
 * a process, and therefore tsyringe's global container.
 * @throws Error with the cycle, when a part that needs itself is first read
 */
export function compose<P extends object>(recipes: Recipes<P>): Composition<P> {
  const { container, instanceCachingFactory } = tsyringe();
  const root = container.createChildContainer();
  const names = Object.keys(recipes) as (keyof P & string)[];
  const tokens = new Map<PropertyKey, symbol>(names.map((name) => [name, Symbol(name)]));
  const inProgress: string[] = [];
  const parts = readFrom<P>(root, tokens, names);

  function make<N extends keyof P & string>(name: N): P[N] {
    if (inProgress.includes(name)) throw new Error(`parts need each other: ${[...inProgress, name].join(' -> ')}`);
    inProgress.push(name);
    try {
      return recipes[name](parts);
    } finally {
      inProgress.pop();
    }
  }

  for (const name of names) root.register(tokens.get(name)!, { useFactory: instanceCachingFactory(() => make(name)) });
  return {
    parts,
    scope(scoped, overrides) {
      const scope = root.createChildContainer();
      for (const [name, part] of Object.entries(overrides)) scope.registerInstance(tokens.get(name)!, part);
      return readFrom(scope, tokens, scoped);
    },
  };
}

/** An object whose getters resolve a part on first read and then become plain values. */
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

/** The parts of a `PluginContext` that all plugins share. */
type PlatformContext = Omit<PluginContext, keyof ServiceAccess>;

/** The parts of a `PlatformContext`. The type makes an entry for a new key mandatory. */
const contextNames: Readonly<Record<keyof PlatformContext, true>> = {
  dialect: true,
  store: true,
  workers: true,
  http: true,
  sockets: true,
  models: true,
  clock: true,
  ids: true,
  secrets: true,
  log: true,
  chunks: true,
  history: true,
  announce: true,
  findJob: true,
  numbers: true,
  tokens: true,
  contacts: true,
  conversations: true,
  messages: true,
  media: true,
  templates: true,
  channels: true,
  connections: true,
  choices: true,
  uploads: true,
  webhooks: true,
  deliveries: true,
  forms: true,
  webhookClaims: true,
  isAwaited: true,
  keyOperator: true,
  pages: true,
  eventStream: true,
  browserFile: true,
  callLimit: true,
  clientAddress: true,
  locale: true,
  heapBytes: true,
  publicUrl: true,
};

/** The context of one plugin: parts of the platform, with a logger and a namespace of secrets of its own, and with `overrides`. */
export function pluginContext<P extends PlatformContext>(
  { parts, scope }: Composition<P>,
  plugin: string,
  services: ServiceAccess,
  overrides: Partial<Pick<PluginContext, 'http' | 'store' | 'announce'>> = {},
): PluginContext {
  const context = scope(Object.keys(contextNames) as (keyof PlatformContext)[], {
    ...overrides,
    log: parts.log.child({ plugin }),
    secrets: ownSecrets(parts.secrets, plugin),
  });
  // A copy would create every part.
  return Object.assign(context, services);
}

function ownSecrets(secrets: Secrets, plugin: string): Secrets {
  const own = (name: string): string => `${plugin}/${name}`;
  return {
    get: (name) => secrets.get(own(name)),
    put: (tx, name, value) => secrets.put(tx, own(name), value),
    delete: (tx, name) => secrets.delete(tx, own(name)),
  };
}
