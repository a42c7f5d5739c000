import type { Plugin as HapiPlugin, Server } from '@hapi/hapi';
import type { ApiPart } from '../admin/openapi.js';
import { storeFailed, storeReopened } from '../admin/store.js';
import type { PluginContext } from '../contract/context.js';
import type { PluginManifest } from '../contract/plugin.js';
import { adminKeyCheck } from '../kernel/auth.js';
import { type Composition, compose, pluginContext } from '../kernel/container.js';
import { mount } from '../kernel/http.js';
import { CORE, load } from '../kernel/load.js';
import { createRateLimiter } from '../kernel/rate-limit.js';
import type { StoreHealth } from '../ports/store.js';
import { lifecycleRecipes } from './lifecycle.js';
import { type PlatformOptions, settingsOf } from './options.js';
import type { Parts, Services } from './parts.js';
import { portRecipes } from './ports.js';
import { coreCollections, serviceRecipes, servicesOf } from './services.js';
import { version } from './version.js';
import { wiringRecipes } from './wiring.js';

export type { PlatformOptions } from './options.js';

/** A platform: its nouns for the host's own code, and a plugin for the host's server. */
export interface Platform extends Services, Pick<PluginContext, 'store' | 'clock' | 'ids' | 'dialect' | 'publicUrl'> {
  readonly name: string;
  /** Register it in a hapi server; the platform starts and stops with that server. */
  readonly hapiPlugin: HapiPlugin<object>;
  /** Without a server. With one, the server does it. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Whether the store takes writes. After a fault of its disk it does not, until it is reopened. */
  storeHealth(): StoreHealth;
  /** Rejects while the fault lasts. */
  reopenStore(): Promise<void>;
  /** The API, or the admin API, as an OpenAPI 3.1 document. */
  openApi(part: ApiPart): Promise<object>;
  /** Hears every event as the event stream shows it. @returns ends listening */
  listen(listener: (event: { id: string; at: string; name: string; data: unknown }) => void): () => void;
}

/**
 * Puts a platform together: ports, the services that need them, what connects both with the plugins, and what starts and stops it all.
 * Nothing is opened before it starts.
 * @throws PluginFailed, TypeError when plugins or options cannot be used
 */
export function createPlatform(options: PlatformOptions): Platform {
  const settings = settingsOf(options);
  const platform: Composition<Parts> = compose<Parts>({
    settings: () => settings,
    ...portRecipes,
    ...serviceRecipes,
    ...wiringRecipes,
    ...lifecycleRecipes,
    loaded: ({ rawStore, core }) => [
      core,
      ...load(settings.plugins, (manifest) => {
        for (const [name, type] of Object.entries(manifest.collections ?? {})) rawStore.define(`${manifest.name}.${name}`, type);
        return pluginContext(platform, manifest.name);
      }),
    ],
  });
  const { parts } = platform;
  connect(parts);
  const { store, clock, ids, dialect, publicUrl, storeHealth, rawStore, stream, lifecycle, describe } = parts;
  return {
    ...servicesOf(parts),
    name: settings.name,
    ...{ store, clock, ids, dialect, publicUrl, storeHealth },
    start: () => lifecycle.start(),
    stop: () => lifecycle.stop(),
    reopenStore: async () => rawStore.reopen?.(),
    openApi: describe,
    listen: (listener) => stream.listen(listener),
    hapiPlugin: { name: settings.name, version, register: (server: Server) => register(server, parts) },
  };
}

/** Declares the documents of the core, loads the plugins, and connects what they contribute. @throws PluginFailed */
function connect(parts: Parts): void {
  const { rawStore, bus, announce, wiring, listener } = parts;
  const collections: PluginManifest<object>['collections'] = coreCollections;
  for (const [name, type] of Object.entries(collections)) rawStore.define(`${CORE}.${name}`, type);
  bus.subscribeAll(CORE, listener);
  rawStore.onHealth?.((health) => announce(health.state === 'failed' ? storeFailed : storeReopened, health));
  for (const plugin of parts.loaded) wiring.add(plugin);
}

/** Mounts the platform on a server, with which it starts and stops. */
async function register(server: Server, parts: Parts): Promise<void> {
  const { settings, clock, log, tracing, memory, shutdown, events, lifecycle, tokens, masker, backlog, address, areas } = parts;
  const prefix = server.realm.modifiers.route.prefix ?? '';
  address.own = () => `${server.info.uri}${prefix}`;
  const limiter = createRateLimiter(settings.rateLimits, clock);
  await mount(server, {
    name: settings.name,
    areas,
    // Tokens are known when they are used: there is no text of them anywhere else.
    async callerOf(token) {
      const caller = await tokens.caller(token);
      if (caller) masker.add(token);
      return caller;
    },
    isAdminKey: settings.admin && adminKeyCheck(settings.admin.key),
    limiter,
    overload: backlog.refusal,
    trustedHosts: settings.trustedHosts,
    log,
    tracing,
    memory,
    checkResponses: settings.checkResponses,
    isStopping: shutdown.isStopping,
  });
  server.ext('onPreStart', () => lifecycle.start());
  server.ext('onPreStop', async () => {
    // Clients are told at once to send calls elsewhere.
    await shutdown.begin();
    events.stop();
    limiter.stop();
  });
  server.ext('onPostStop', () => lifecycle.stop());
}
