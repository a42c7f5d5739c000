import { createRequire } from 'node:module';
import type { DependencyContainer } from 'tsyringe';
import type { PluginContext } from '../contract/context.js';
import type { Secrets } from '../ports/secrets.js';

/** tsyringe's tokens forget the type they stand for; the names of a plugin's context give it back. */
type Token = keyof PluginContext;
const tokenOf = (name: Token): symbol => Symbol.for(`posthorn/${name}`);

const require = createRequire(import.meta.url);

/** Thirty-five files, a fifth of what importing the platform would cost: they come with the first platform, which does not wait. */
function newContainer(): DependencyContainer {
  require('reflect-metadata');
  const { container } = require('tsyringe') as typeof import('tsyringe');
  return container.createChildContainer();
}

/**
 * One root per platform, holding finished instances only: a factory on a root would be given whichever child asks first.
 * Nothing is registered on tsyringe's global container, so that platforms can share a process.
 */
export function rootScope(services: PluginContext): DependencyContainer {
  const root = newContainer();
  for (const [name, service] of Object.entries(services)) root.registerInstance(tokenOf(name as Token), service);
  return root;
}

/** What a plugin is given: the root's services, with a logger and secrets of its own in front of the shared ones. */
export function pluginContext(root: DependencyContainer, plugin: string): PluginContext {
  const scope = root.createChildContainer();
  const resolve = <N extends Token>(name: N): PluginContext[N] => scope.resolve<PluginContext[N]>(tokenOf(name));
  scope.registerInstance(tokenOf('log'), resolve('log').child({ plugin }));
  scope.registerInstance(tokenOf('secrets'), ownSecrets(resolve('secrets'), plugin));
  const names: Record<Token, true> = {
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
  return Object.fromEntries((Object.keys(names) as Token[]).map((name) => [name, resolve(name)])) as unknown as PluginContext;
}

function ownSecrets(secrets: Secrets, plugin: string): Secrets {
  const own = (name: string): string => `${plugin}/${name}`;
  return {
    get: (name) => secrets.get(own(name)),
    put: (tx, name, value) => secrets.put(tx, own(name), value),
    delete: (tx, name) => secrets.delete(tx, own(name)),
  };
}
