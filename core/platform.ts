import type { Plugin as HapiPlugin, Server } from '@hapi/hapi';
import { defaultPorts } from './adapters/default-ports.js';
import { SecretMasker } from './adapters/secrets/secret-masker.js';
import { eventRoutes } from './admin/events.js';
import { memoryChanged, memoryEvent, memoryFix } from './admin/memory.js';
import type { ApiPart } from './admin/openapi.js';
import { storeFailed, storeReopened } from './admin/store.js';
import type { PluginContext } from './contract/context.js';
import { corePlugin } from './core-plugin.js';
import { createBacklog } from './delivery/backlog.js';
import { createDeliveryLog } from './delivery/delivery-log.js';
import { deliveryHistory } from './delivery/retention.js';
import { dialectOf } from './dialect.js';
import { adminKeyCheck } from './kernel/auth.js';
import { pluginContext, rootScope } from './kernel/container.js';
import { announcementOf, createDatabase } from './kernel/database.js';
import { createEventStream, keptWithin, NOTHING_KEPT } from './kernel/event-stream.js';
import { ADMIN_PREFIX, type Area, mount } from './kernel/http.js';
import { createLifecycle, type LifecyclePart } from './kernel/lifecycle.js';
import { CORE, load, pluginPart } from './kernel/load.js';
import { createMemoryGuard } from './kernel/memory-guard.js';
import { createMeters } from './kernel/meters.js';
import { createRateLimiter } from './kernel/rate-limit.js';
import { createShutdown, GRACE_MS } from './kernel/shutdown.js';
import { tracedPorts } from './kernel/traced-ports.js';
import { wire } from './kernel/wire.js';
import { createChunks } from './memory/chunks.js';
import { createHistories } from './memory/histories.js';
import { createKeptKey } from './messaging/kept-key.js';
import type { Caller } from './messaging/tokens.js';
import { type PlatformOptions, settingsOf } from './platform-options.js';
import type { StoreHealth } from './ports/store.js';
import { coreCollections, createServices, type Services } from './services.js';

export type { PlatformOptions } from './platform-options.js';

const VERSION = '0.1.0';
/** What each history may take of the heap that Node may use, unless an option says otherwise: one in so many parts. */
const HISTORIES_SHARE = 8;

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
 * Puts a platform together. Nothing is opened before it starts.
 * @throws PluginFailed, TypeError when plugins or options cannot be used
 */
export function createPlatform(options: PlatformOptions): Platform {
  const settings = settingsOf(options);
  const dialect = dialectOf(settings.dialect);
  const masker = new SecretMasker();
  for (const secret of [settings.admin?.key, settings.secretKey]) if (secret !== undefined) masker.add(secret);
  const ports = defaultPorts(settings, { onBatch: (batch) => meters?.batch(batch), masker });
  const { clock, ids, log, http, models, bus, secrets, blobs, heap, tracing } = ports;
  const { queue, workers } = tracing ? tracedPorts(ports, tracing) : ports;
  for (const [name, type] of Object.entries(coreCollections)) ports.store.define(`${CORE}.${name}`, type as never);

  const memory = createMemoryGuard({
    heap,
    safeBytes: settings.safeHeapBytes,
    onChange(state, report) {
      const fields = { state, live: report.live, safe: report.safe, limit: report.limit };
      if (state === 'enough') log.info('there is memory enough again', fields);
      else log.warn('memory is short', { ...fields, fix: memoryFix(report) });
      void clock.during(() => bus.announce(announcementOf(memoryChanged as never, memoryEvent(report))));
      if (state !== 'enough') void squeeze();
    },
  });
  const storeHealth = (): StoreHealth => ports.store.health?.() ?? { state: 'open' };
  const storeIsOpen = (): boolean => storeHealth().state === 'open';
  // Only the admin API shows them.
  const meters =
    settings.admin &&
    createMeters({
      load: async () => (await import('./adapters/prometheus.js')).prometheus(),
      queue,
      storeIsOpen,
      memory,
      histories: () => histories.report(),
    });
  let ownUrl = (): string => 'http://localhost';
  const shutdown = createShutdown(settings.shutdown);
  const publicUrl = (): string => settings.publicUrl ?? ownUrl();
  const wiring = wire({ queue, bus, within: (raw, work) => within(raw, work), room: memory.room });
  // Only the admin API gives out events of before.
  const stream = createEventStream({ clock, log, kept: settings.admin ? keptWithin(heap.limitBytes) : NOTHING_KEPT });
  const deliveryLog = createDeliveryLog(log);
  bus.subscribeAll(CORE, (announcement) => {
    stream.append(announcement);
    meters?.heard(announcement);
    deliveryLog.heard(announcement);
  });
  const { store, within } = createDatabase({
    store: meters?.measured(ports.store) ?? ports.store,
    queue,
    handlersBeforeCommit: wiring.handlersBeforeCommit,
    announce: (announcements) => {
      for (const announcement of announcements) void clock.during(() => bus.announce(announcement));
    },
  });
  const histories = createHistories(
    { store, clock, log },
    { mostBytes: heap.limitBytes / HISTORIES_SHARE, onEvicted: (history, reason) => meters?.evicted(history, reason) },
  );
  const chunks = createChunks({ store });
  const history = histories.create(deliveryHistory(chunks, settings.deliveries));
  const mediaKey = createKeptKey({ store, secrets, ids }, `${CORE}/media-links`);
  const services = createServices({
    store,
    workers,
    http,
    clock,
    ids,
    secrets,
    blobs,
    dialect,
    locale: settings.journeys,
    publicUrl,
    mediaKey: mediaKey.get,
    mediaKeptDays: settings.mediaKeptDays,
    drivers: () => wiring.drivers,
    performers: () => wiring.effects,
    outboundChecks: () => wiring.outboundChecks,
    tracing,
    chunks,
    history,
    heapBytes: heap.limitBytes,
  });

  const root = rootScope({
    ...services,
    forms: wiring.forms,
    store,
    workers,
    http,
    models,
    clock,
    ids,
    secrets,
    log,
    dialect,
    publicUrl,
    chunks,
    history: histories.create,
    announce: (type, payload) => void clock.during(() => bus.announce(announcementOf(type as never, payload))),
  });
  ports.store.onHealth?.((health) => {
    const type = health.state === 'failed' ? storeFailed : storeReopened;
    void clock.during(() => bus.announce(announcementOf(type as never, health)));
  });
  const plugins = load(settings.plugins, (manifest) => {
    for (const [name, type] of Object.entries(manifest.collections ?? {})) ports.store.define(`${manifest.name}.${name}`, type);
    return pluginContext(root, manifest.name);
  });

  const events = eventRoutes({ stream });
  const backlog = createBacklog({ store, log, settings: settings.deliveries });
  const core = corePlugin({
    version: VERSION,
    ports: { store, workers, http, clock, ids, dialect, tracing, chunks, history, heapBytes: heap.limitBytes },
    services,
    rawStore: ports.store,
    deliveries: settings.deliveries,
    backlog,
    memory,
    histories,
    meters,
    events,
    describe,
    whyNotReady,
    drivers: () => wiring.drivers,
    views: () => wiring.views,
  });
  const loaded = [core, ...plugins];
  for (const plugin of loaded) wiring.add(plugin);
  const areas: Area[] = loaded.map(({ manifest: { name }, contributions: { routes = [], admin = [], roots = [], errors } }) => ({
    name,
    routes,
    admin,
    roots,
    errors,
  }));

  const parts: LifecyclePart[] = [
    { name: 'tracing', start: () => tracing?.start?.() },
    { name: 'http', start: () => http.start?.(), stop: () => http.stop() },
    { name: 'memory', start: memory.start },
    { name: 'meters', start: () => meters?.start(), stop: () => meters?.stop() },
    { name: 'workers', stop: () => workers.stop() },
    {
      name: 'store',
      start: () => ports.store.start(),
      // Transactions that are about to end may do so, also after the deadline; then files are merged and closed.
      stop: (leftMs, graceMs) => ports.store.stop(leftMs + graceMs / 2),
      reserveMs: 500,
    },
    { name: 'stored jobs', start: () => queue.load?.() },
    { name: 'media key', start: mediaKey.load },
    { name: 'histories', start: histories.start, stop: histories.stop },
    ...loaded.map((plugin) => pluginPart(plugin, workers)),
    { name: 'queue', start: () => queue.start(), stop: (leftMs) => queue.stop(leftMs) },
    // The first to stop: the queue does not wait for jobs that wait for memory.
    { name: 'memory', stop: memory.stop },
  ];
  const lifecycle = createLifecycle(parts, { leftMs: shutdown.leftMs, graceMs: GRACE_MS, log });

  function whyNotReady(): string | undefined {
    if (shutdown.isStopping()) return 'the platform is stopping';
    if (lifecycle.state() !== 'started') return `the platform is ${lifecycle.state()}`;
    return storeIsOpen() ? undefined : 'the store takes no writes';
  }

  /** What is kept for people to look into makes room first. Only a collection tells how much that was. */
  async function squeeze(): Promise<void> {
    try {
      if (await histories.squeeze()) await memory.collect();
    } catch (error) {
      log.error('what is kept only for a while could not make room', { error });
    }
  }

  /** Made when it is first asked for: most platforms are never asked. */
  async function describe(part: ApiPart): Promise<object> {
    const { describeApi } = await import('./kernel/openapi.js');
    const isAdmin = part === 'admin';
    return describeApi({
      areas: areas.map(({ name, routes, admin, errors }) => ({
        name,
        routes: isAdmin ? admin : routes,
        errors: isAdmin ? undefined : errors,
      })),
      title: isAdmin ? 'Posthorn admin API' : 'Posthorn API',
      version: VERSION,
      url: publicUrl(),
      below: isAdmin ? ADMIN_PREFIX : '',
      strict: isAdmin,
      security: isAdmin
        ? { name: 'admin', description: 'The admin key of the platform' }
        : { name: 'token', description: 'A token of the number that the call acts on' },
    });
  }

  /** Tokens are known when they are used: there is no text of them anywhere else. */
  async function callerOf(token: string): Promise<Caller | undefined> {
    const caller = await services.tokens.caller(token);
    if (caller) masker.add(token);
    return caller;
  }

  return {
    ...services,
    name: settings.name,
    store,
    clock,
    ids,
    dialect,
    publicUrl,
    start: () => lifecycle.start(),
    stop: () => lifecycle.stop(),
    storeHealth,
    reopenStore: async () => ports.store.reopen?.(),
    openApi: describe,
    listen: (listener) => stream.listen(listener),
    hapiPlugin: {
      name: settings.name,
      version: VERSION,
      async register(server: Server) {
        const prefix = server.realm.modifiers.route.prefix ?? '';
        ownUrl = () => `${server.info.uri}${prefix}`;
        const limiter = createRateLimiter(settings.rateLimits, clock);
        await mount(server, {
          name: settings.name,
          areas,
          callerOf,
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
          // Whoever asks is told at once to send calls elsewhere.
          await shutdown.begin();
          events.stop();
          limiter.stop();
        });
        server.ext('onPostStop', () => lifecycle.stop());
      },
    },
  };
}
