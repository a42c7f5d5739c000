import { readdirSync } from 'node:fs';
import Hapi from '@hapi/hapi';
import * as core from '#core';
import type { EventType } from '#core/ports';
import { outboxEntries } from '../../core/adapters/outbox/stored-outbox.js';
import { coreEvents } from '../../core/platform/core-events.js';
import { coreCollections } from '../../core/platform/services.js';
import { collectionsOf } from '../../core/platform/stored-collections.js';

export interface MountedRoute {
  readonly area: string;
  readonly isAdmin: boolean;
  /** Admin routes include the prefix of the admin API. */
  readonly path: string;
  readonly route: core.Route;
}

/** The routes, events, collections and subscriptions of a platform with all plugins. */
export interface Everything {
  readonly plugins: readonly core.Plugin[];
  readonly routes: readonly MountedRoute[];
  readonly events: ReadonlyMap<string, readonly Pick<EventType<never>, 'name' | 'description'>[]>;
  /** By plugin, the collections by the names under which they are stored. */
  readonly collections: ReadonlyMap<string, Readonly<Record<string, object>>>;
  readonly subscriptions: ReadonlyMap<string, readonly core.Subscription[]>;
}

let looked: Promise<Everything> | undefined;

/** Creates a platform with every plugin in memory, without starting it, and reads the routes, events and collections that its plugins register. */
export const everything = (): Promise<Everything> => (looked ??= look());

async function look(): Promise<Everything> {
  const subscriptions = new Map<string, readonly core.Subscription[]>([['core', await subscriptionsOfCore()]]);
  const plugins = (await everyPlugin()).map(
    (plugin): core.Plugin => ({
      ...plugin,
      register(context, options) {
        const contributions = plugin.register(context, options);
        subscriptions.set(plugin.manifest.name, contributions.on ?? []);
        return contributions;
      },
    }),
  );
  const platform = core.createPlatform({ plugins, admin: { key: 'key-of-a-platform-that-is-never-called' } });
  const server = Hapi.server();
  await server.register(platform.hapiPlugin);
  const routes = routesOf(server);
  const events = new Map<string, readonly EventType<never>[]>([['core', coreEvents]]);
  const collections = new Map<string, Readonly<Record<string, object>>>([
    [
      'core',
      Object.fromEntries(Object.entries({ ...coreCollections, outbox: outboxEntries }).map(([name, type]) => [`core.${name}`, type])),
    ],
  ]);
  for (const { manifest } of plugins) {
    events.set(manifest.name, manifest.emits ?? []);
    collections.set(manifest.name, Object.fromEntries(collectionsOf(manifest)));
  }
  return { plugins, routes, events, collections, subscriptions };
}

/** The subscriptions of a core with all its options. They read nothing before an event. */
async function subscriptionsOfCore(): Promise<readonly core.Subscription[]> {
  const { coreSubscriptions } = await import('../../core/platform/core-plugin.js');
  const { ManualClock } = await import('#core/testing');
  const unread = undefined as never;
  const options = { isAdminServed: true, pauseAfterFailures: 1, connectionChanged: () => undefined };
  return coreSubscriptions({ clock: new ManualClock(), store: unread, outbox: unread, ...options });
}

export const routesOf = (server: Hapi.Server): MountedRoute[] =>
  server.table().flatMap(({ path, realm, settings }) => {
    const mounted = (settings.plugins as { posthorn?: () => { route: core.Route } } | undefined)?.posthorn?.();
    if (!mounted) return [];
    const [, area = '', part] = realm.plugin.split('/');
    return [{ area, isAdmin: part === 'admin', path, route: mounted.route }];
  });

export const everyPlugin = (): Promise<core.Plugin[]> =>
  Promise.all(
    readdirSync('plugins')
      // The platforms of shards get it from their cluster.
      .filter((folder) => folder !== 'cluster')
      .map(pluginOf),
  );

/** The plugin of a folder, whose factory has the folder's name in camel case. */
async function pluginOf(folder: string): Promise<core.Plugin> {
  const module: Record<string, unknown> = await import(`../../plugins/${folder}/plugin.js`);
  const factory = module[folder.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())];
  if (typeof factory !== 'function') throw new Error(`plugins/${folder}/plugin.ts exports no plugin named like its folder`);
  return factory();
}
