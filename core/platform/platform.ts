import type { Plugin as HapiPlugin, Request, Server } from '@hapi/hapi';
import { faultyHttp } from '../adapters/faults/faulty-http.js';
import { untilAborted } from '../adapters/http/until-aborted.js';
import type { ApiPart } from '../admin/openapi.js';
import { lossSummaryOf, storeFailed, storeReopened, storeRewound } from '../admin/store.js';
import type { PluginContext, ServiceAccess } from '../contract/context.js';
import { subscriptionPayload } from '../contract/payload.js';
import type { PluginManifest } from '../contract/plugin.js';
import type { Service } from '../contract/service.js';
import type { Processes } from '../delivery/alerts.js';
import { earlierCollections } from '../delivery/earlier-records.js';
import { subscriptionListeners } from '../delivery/plugin-subscriptions.js';
import { type NotReady, PluginFailed } from '../errors.js';
import { createAccountScopes } from '../kernel/http/account-scope.js';
import type { Area } from '../kernel/http/area.js';
import { adminKeyCheck } from '../kernel/http/auth.js';
import { mount } from '../kernel/http/http.js';
import type { Identified } from '../kernel/http/operators.js';
import { createRateLimiter } from '../kernel/http/rate-limit.js';
import type { Meters } from '../kernel/observe/meters.js';
import { type Composition, compose, pluginContext } from '../kernel/plugins/container.js';
import { CORE, type LoadedPlugin, load } from '../kernel/plugins/load.js';
import { serviceOf } from '../kernel/plugins/offers.js';
import type { NumberRecord } from '../messaging/number.js';
import { addressTaken, type NewNumber } from '../messaging/numbers.js';
import type { Claims } from '../ports/claims.js';
import type { EventType } from '../ports/events.js';
import type { PendingTimer } from '../ports/queue.js';
import type { StoreHealth } from '../ports/store.js';
import { alertRecipes } from './alerts.js';
import { auditRecipes } from './audit.js';
import { lifecycleRecipes, NOT_RUNNING } from './lifecycle.js';
import { type Listen, listenTo } from './listen.js';
import { type NodeHandler, serveWithoutHost } from './node-handler.js';
import { type PlatformOptions, settingsOf } from './options.js';
import type { Parts, Services } from './parts.js';
import { pendingTimers } from './pending-timers.js';
import type { PlatformState } from './platform-state.js';
import { portRecipes } from './ports.js';
import { coreCollections, serviceRecipes, servicesOf } from './services.js';
import { checkState, readState } from './state.js';
import { collectionsOf } from './stored-collections.js';
import { version } from './version.js';
import { wiringRecipes } from './wiring.js';

export type { PlatformOptions } from './options.js';

/** A platform: its services, for code of the host application, and a hapi plugin for the host's server. */
export interface Platform extends Services, Pick<PluginContext, 'store' | 'clock' | 'ids' | 'dialect' | 'publicUrl'> {
  readonly name: string;
  /** The plugin to register in a hapi server; the platform then starts and stops with the server. */
  readonly hapiPlugin: HapiPlugin<object>;
  /**
   * Returns a function that responds to requests of any `node:http` server, also below a path of Express: `app.use('/messaging',
   * platform.nodeHandler())`. Call it before body parsers. `prefix` is for servers that pass whole URLs on: the path of the platform in them.
   * `start` and `stop` of the platform start and stop it; the first request starts it otherwise. Links are those of the first request's path
   * on this machine; set `publicUrl` for others.
   * @throws TypeError when the prefix does not begin with a slash, or ends with one
   */
  nodeHandler(options?: { readonly prefix?: string }): NodeHandler;
  /**
   * Starts a platform without a server; a server calls it itself. With a store that several processes share, it also resolves when this
   * process is a standby: `storeHealth()` tells, and calls get 503 until it takes over.
   */
  start(): Promise<void>;
  /** Stops a platform without a server, after the responses in progress. A server calls it itself. */
  stop(): Promise<void>;
  /** The service of a plugin: `platform.service(journeysService).ofNumber(number)`. @throws TypeError when no plugin offers it */
  service<T extends object>(asked: Service<T>): T;
  /** Whether the store accepts writes. After a disk fault it refuses writes until it is reopened. */
  storeHealth(): StoreHealth;
  /** Makes the store accept writes again after a disk fault. Rejects while the fault lasts. */
  reopenStore(): Promise<void>;
  /** Delayed jobs and retries of deliveries, those that become due first, by due time. */
  pendingTimers(limit: number): Promise<PendingTimer[]>;
  /** Everything in the store, with secrets and media files, as of one moment. */
  readState(): Promise<PlatformState>;
  /** Checks a state without changing anything. @throws InvalidState when a platform with these plugins cannot start with it */
  checkState(state: PlatformState): Promise<void>;
  /** Describes the API or the admin API as an OpenAPI 3.1 document. */
  openApi(part: ApiPart): Promise<object>;
  /**
   * Calls the listener with every event of this name, in the form of the event stream: `platform.listen('message.received', ({ data }) =>
   * ...)`. The types know the events of the core; for an event of a plugin `data` is unknown. Without a name, the listener receives every
   * event. @returns a function that unsubscribes
   */
  listen: Listen;
  /**
   * Creates a number and a token for it, in one transaction: `createNumber({ kind: 'channel', type: 'pigeon-post', address: 'loft:1',
   * name: 'Loft' })`. `type` is that of a channel driver, such as the one of your plugin.
   * @throws TypeError when no plugin has a driver for the type, Conflict when the address is taken
   */
  createNumber(about: NewNumber): Promise<{ readonly number: NumberRecord; readonly token: string }>;
}

/** How a platform starts. */
export interface StartOptions {
  readonly state?: PlatformState | undefined;
  /** For a shard of a cluster: its claims in the directory. */
  readonly claims?: Claims | undefined;
  /** For a shard of a cluster: which processes run. */
  readonly processes?: Processes | undefined;
  /** For a shard of a cluster: whether a process of another release may read its records. */
  readonly isMixed?: (() => boolean) | undefined;
  /** For a shard of a cluster: the operator of an admin call that another shard has identified. */
  readonly passedOperator?: ((request: Request) => Identified | undefined) | undefined;
  /** For a shard of a cluster: the address of the client of a call that another process has passed on. */
  readonly clientOf?: ((request: Request) => string | undefined) | undefined;
}

/**
 * Composes a platform from its options: ports, services, wiring and lifecycle. Opens no file and no connection; `start` does.
 * @param start with `state`, `start` replaces everything in the store by it, in one transaction, before any part reads the store
 * @throws PluginFailed when a plugin cannot be loaded, TypeError for invalid options
 */
export function createPlatform(
  options: PlatformOptions,
  { state, claims, processes, isMixed = () => false, passedOperator, clientOf }: StartOptions = {},
): Platform {
  const settings = settingsOf(options);
  const platform: Composition<Parts> = compose<Parts>({
    settings: () => settings,
    ...portRecipes,
    ...serviceRecipes,
    ...alertRecipes,
    ...auditRecipes,
    ...wiringRecipes,
    ...lifecycleRecipes,
    replacement: () => state,
    claims: () => claims,
    processes: () => processes,
    isMixed: () => isMixed,
    passedOperator: () => passedOperator,
    clientOf: () => clientOf,
    loaded: ({ rawStore, core, log }) => [
      core,
      ...load(
        settings.plugins,
        (manifest, services) => {
          for (const [name, type] of collectionsOf(manifest)) rawStore.define(name, type);
          return contextOf(platform, manifest.name, services);
        },
        (added) => log.info('a plugin that another one needs was added with its default options', added),
      ).map((plugin) => withSubscriptions(plugin, () => platform.parts)),
    ],
  });
  const { parts } = platform;
  connect(parts);
  const { store, clock, ids, dialect, publicUrl, storeHealth, rawStore, stream, lifecycle, begin, describe, log } = parts;
  const withoutHost = serveWithoutHost({
    mount: (server, beginOnce) => register(server, parts, { isAlone: true, begin: beginOnce }),
    begin,
    lifecycle,
    log,
  });
  const created: Platform = {
    ...servicesOf(parts),
    name: settings.name,
    store,
    clock,
    ids,
    dialect,
    publicUrl,
    storeHealth,
    ...withoutHost,
    service: (asked) => serviceOf(parts.loaded, asked),
    reopenStore: async () => rawStore.reopen?.(),
    pendingTimers: (limit) => pendingTimers(parts, limit),
    readState: () => readState(parts),
    checkState: (state) => checkState(parts, state),
    openApi: describe,
    listen: listenTo(stream),
    createNumber: (about) => createNumber(parts, about),
    hapiPlugin: { name: settings.name, version, register: (server: Server) => register(server, parts, { isAlone: false, begin }) },
  };
  for (const { platformMember, implementation } of parts.loaded.flatMap(({ contributions: { services = [] } }) => services))
    if (platformMember !== undefined) Object.defineProperty(created, platformMember, { value: implementation });
  inner.set(created, parts);
  return created;
}

const inner = new WeakMap<Platform, Pick<Parts, 'areas' | 'whyNotReady' | 'meters'>>();

/** The routes of a platform, for the server that passes calls on to it. */
export const areasOf = (platform: Platform): readonly Area[] => inner.get(platform)!.areas;

/** The metrics of a platform, for the batches of workers that it shares with others. */
export const metersOf = (platform: Platform): Pick<Meters, 'batch'> | undefined => inner.get(platform)!.meters;

/** Why a platform does not accept calls; undefined when it does. */
export const whyNotReadyOf = (platform: Platform): (() => NotReady | undefined) => inner.get(platform)!.whyNotReady;

/** The context of a plugin, which emits declared events only. Its HTTP client fails on purpose if the platform has faults. */
function contextOf(platform: Composition<Parts>, plugin: string, services: ServiceAccess): PluginContext {
  const { faults, clock, http, wiring, database, announce } = platform.parts;
  const check = ({ name }: EventType<never>): void => {
    if (!wiring.isDeclared(name))
      throw new TypeError(`the plugin '${plugin}' emits '${name}' without declaring it: add the event to emits`);
  };
  const client = faults ? faultyHttp(http, { faults, clock, plugin }) : http;
  return pluginContext(platform, plugin, services, {
    store: database.storeWith(check),
    announce(type, payload) {
      check(type as EventType<never>);
      announce(type, payload);
    },
    http: { send: (request) => untilAborted(request, clock, () => client.send(request)) },
  });
}

async function createNumber({ store, numbers, tokens }: Parts, about: NewNumber) {
  return store
    .transaction((tx) => {
      const number = numbers.create(tx, about, { needsDriver: true });
      return { number, token: tokens.issue(tx, number.uuid, about.name).text };
    })
    .catch(addressTaken);
}

/** The plugin with the listeners and payloads of the subscriptions that it contributes. */
function withSubscriptions(
  { manifest, contributions }: LoadedPlugin,
  services: () => Pick<Parts, 'webhooks' | 'deliveries'>,
): LoadedPlugin {
  const { subscriptions = [], on = [], payloads = [] } = contributions;
  if (subscriptions.length === 0) return { manifest, contributions };
  const listeners = subscriptions.flatMap((subscription) => subscriptionListeners(subscription, services));
  return {
    manifest,
    contributions: { ...contributions, on: [...on, ...listeners], payloads: [...payloads, ...subscriptions.map(subscriptionPayload)] },
  };
}

/** Declares the collections of the core, loads the plugins, and connects their contributions. @throws PluginFailed */
function connect(parts: Parts): void {
  const { rawStore, bus, announce, wiring, listener, log } = parts;
  const collections: PluginManifest<object>['collections'] = { ...coreCollections, ...earlierCollections };
  for (const [name, type] of Object.entries(collections)) rawStore.define(`${CORE}.${name}`, type);
  bus.subscribeAll(CORE, listener);
  rawStore.onHealth?.((health) => announce(health.state === 'failed' ? storeFailed : storeReopened, health));
  rawStore.losses?.onLoss((loss) => announce(storeRewound, lossSummaryOf(loss)));
  for (const plugin of parts.loaded) {
    const { adminAuth, authenticate } = plugin.contributions;
    if ((adminAuth ?? authenticate) && !parts.settings.hasAdmin)
      throw new PluginFailed(plugin.manifest.name, 'register', 'it needs the admin API: set the option admin or operators of the platform');
    if (adminAuth) log.warn('a plugin contributes adminAuth, which is deprecated: use authenticate', { plugin: plugin.manifest.name });
    if (plugin.contributions.outboundChecks)
      log.warn('a plugin contributes outboundChecks, which are deprecated: use beforeSend with { check }, or check of a channel driver', {
        plugin: plugin.manifest.name,
      });
    wiring.add(plugin);
  }
  wiring.checkEvents();
  wiring.checkFields();
  for (const [plugin, calls] of wiring.checkPermissions())
    log.warn('a plugin has admin routes without a permission, so only owners may call them: add permission to each', { plugin, calls });
  // Checks the roles of the host application.
  parts.roles.names;
}

/** Mounts the routes on a server, and ties start and stop to it; `isAlone` if the server has no other routes. */
async function register(server: Server, parts: Parts, { isAlone, begin }: { isAlone: boolean; begin: () => Promise<void> }): Promise<void> {
  const {
    settings,
    clock,
    log,
    tracing,
    memory,
    shutdown,
    eventStreams,
    lifecycle,
    tokens,
    masker,
    backlog,
    address,
    areas,
    calls,
    faults,
    audit,
    operators,
    roles,
    gate,
  } = parts;
  const prefix = server.realm.modifiers.route.prefix ?? '';
  address.url = () => `${baseUrlOf(server)}${prefix}`;
  const limiter = createRateLimiter(settings.rateLimits, clock);
  await mount(server, {
    name: settings.name,
    areas,
    // The store has only hashes of tokens, so a token becomes known to the masker when it is first used.
    *callerOf(token) {
      const caller = yield* tokens.inSteps.caller(token);
      if (caller) masker.add(token);
      return caller;
    },
    isAdminKey: typeof settings.admin?.key === 'string' ? adminKeyCheck(settings.admin.key) : undefined,
    hasAdmin: settings.hasAdmin,
    operators,
    roles,
    scopes: createAccountScopes(() => parts),
    limiter,
    overload: backlog.refusal,
    trustedHosts: settings.trustedHosts,
    publicUrl: settings.publicUrl,
    log,
    tracing,
    memory,
    calls,
    faults,
    audit,
    clock,
    gate,
    checkResponses: settings.checkResponses,
    whyNotRunning: () => NOT_RUNNING[lifecycle.state()],
    isStopping: shutdown.isStopping,
    isAlone,
  });
  server.ext('onPreStart', begin);
  server.ext('onPreStop', async () => {
    await shutdown.begin();
    eventStreams.stop();
    limiter.stop();
  });
  server.ext('onPostStop', () => lifecycle.stop());
}

/** The URL of a server. Clients of a socket in the file system call it `localhost`, as curl does, unless the host has set `uri`. */
const baseUrlOf = ({ info, settings }: Server): string =>
  typeof settings.port === 'string' && settings.uri === undefined ? `http${settings.tls ? 's' : ''}://localhost` : info.uri;
