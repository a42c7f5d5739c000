import { eventRoutes as createEventRoutes } from '../admin/events.js';
import { memoryChanged, memoryEvent, memoryFix } from '../admin/memory.js';
import { createTexts } from '../admin/search/texts.js';
import { createCallLimit } from '../contract/browser.js';
import { platformForms } from '../contract/forms.js';
import { createDeliveryLog } from '../delivery/delivery-log.js';
import { ADMIN_KEY_ID, currentAdminKey } from '../kernel/http/auth.js';
import { browserFile } from '../kernel/http/browser-file.js';
import { createEventStreams } from '../kernel/http/event-streams.js';
import { createOperators, KEY_OPERATOR } from '../kernel/http/operators.js';
import { createRoles } from '../kernel/http/roles.js';
import { createCallLog } from '../kernel/observe/call-log.js';
import { createEndpoints } from '../kernel/observe/endpoints.js';
import { createEventStream, RETAIN_NOTHING, retentionLimits } from '../kernel/observe/event-stream.js';
import { createMemoryGuard } from '../kernel/observe/memory-guard.js';
import { createMeters } from '../kernel/observe/meters.js';
import type { Recipes } from '../kernel/plugins/container.js';
import { wire } from '../kernel/plugins/wire.js';
import { clientAddresses } from './client-address.js';
import { corePlugin } from './core-plugin.js';
import type { Parts, WiringParts } from './parts.js';
import { version } from './version.js';

const AUTHENTICATE_MS = 5_000;

export const wiringRecipes: Recipes<WiringParts, Parts> = {
  wiring: (parts) =>
    wire({
      queue: parts.queue,
      bus: parts.bus,
      withTransaction: (raw, work) => parts.database.withTransaction(raw, work),
      waitForMemory: parts.memory.waitForMemory,
    }),
  forms: ({ wiring, settings }) => platformForms(wiring.forms, settings.publicUrl !== undefined),
  locale: ({ settings }) => settings.journeys,
  webhookClaims:
    ({ wiring, isMixed }) =>
    () => {
      const claims = wiring.claims();
      // A process of another release may own the shard next. It may not know claims, and let journeys answer as well.
      return claims && { ...claims, of: async (tx, happened) => (isMixed() ? undefined : claims.of(tx, happened)) };
    },
  isAwaited: ({ wiring }) => wiring.isAwaited,
  pages:
    ({ wiring }) =>
    () =>
      wiring.pages,
  memory: (parts) =>
    createMemoryGuard({
      heap: parts.heap,
      store: parts.rawStore,
      safeBytes: parts.settings.safeHeapBytes,
      onChange(state, report) {
        const fields = { state, live: report.live, safe: report.safe, limit: report.limit };
        if (state === 'enough') parts.log.info('enough memory is available again', fields);
        else parts.log.warn('memory is short', { ...fields, fix: memoryFix(report) });
        parts.announce(memoryChanged, memoryEvent(report));
        void squeeze(parts, state !== 'enough');
      },
    }),
  meters: (parts) =>
    (parts.settings.hasAdmin || undefined) &&
    createMeters({
      load: async () => (await import('../adapters/prometheus.js')).prometheus(),
      queue: { depths: () => [...parts.queue.depths(), ...parts.outbox.depths()] },
      storeIsOpen: parts.storeIsOpen,
      memory: parts.memory,
      histories: () => {
        const messages = parts.messageRetention.total();
        return [...parts.histories.report(), ...(messages ? [{ name: 'messages', ...messages }] : [])];
      },
      numbersOnHold: () => parts.messageRetention.numbersOnHold(),
      plugins: () => parts.loaded,
    }),
  // Only the admin API serves past events.
  stream: ({ clock, log, settings, heapBytes }) =>
    createEventStream({ clock, log, limits: settings.hasAdmin ? retentionLimits(heapBytes) : RETAIN_NOTHING }),
  calls: ({ clock, announce, settings: { recording } }) => recording.calls && createCallLog({ clock, announce, limits: recording.calls }),
  texts: createTexts,
  adminKey: ({ settings: { admin }, masker, log }) =>
    admin &&
    currentAdminKey(admin.key, (key) => {
      masker.add(key);
      log.info('the function admin.key has returned a new key');
    }),
  keyOperator:
    ({ keys, adminKey }) =>
    async (id) => {
      if (id === KEY_OPERATOR.id) return adminKey && KEY_OPERATOR;
      if (id.startsWith(ADMIN_KEY_ID)) return (await adminKey?.())?.id === id ? KEY_OPERATOR : undefined;
      return keys.current(id);
    },
  roles: ({ settings: { operators }, wiring }) => createRoles(wiring.permissions, operators?.roles),
  operators: ({ settings: { operators = { authenticate: [] } }, adminKey, keys, masker, passedOperator, publicUrl, wiring, log }) =>
    createOperators({
      passedOperator,
      publicUrl,
      adminKey,
      // The store has only hashes of keys, so a key becomes known to the masker when it is first used.
      async operatorOfKey(text) {
        const operator = await keys.operatorOf(text);
        if (operator) masker.add(text);
        return operator;
      },
      authenticate: [operators.authenticate].flat(),
      pluginAuthenticate: () => wiring.authenticate,
      adminAuth: wiring.adminAuth,
      timeoutMs: operators.timeoutMs ?? AUTHENTICATE_MS,
      log,
    }),
  eventStreams: createEventStreams,
  eventStream: ({ eventStreams }) => eventStreams.open,
  browserFile: () => browserFile,
  callLimit:
    ({ clock }) =>
    (options) =>
      createCallLimit(clock, options),
  clientAddress({ clientOf, settings: { trustedProxies } }) {
    const addressOf = clientAddresses(trustedProxies);
    return (request) =>
      addressOf(clientOf?.(request) ?? request.info.remoteAddress, request.headers['x-forwarded-for'] as string | undefined);
  },
  events: createEventRoutes,
  endpoints: ({ settings, store, clock, log, outbox }) =>
    (settings.hasAdmin || undefined) &&
    createEndpoints({ store, clock, log, version, waiting: (webhook) => outbox.newest.waiting(webhook) }),
  listener({ stream, meters, endpoints, log }) {
    const deliveryLog = createDeliveryLog(log);
    return (announcement) => {
      stream.append(announcement);
      meters?.received(announcement);
      endpoints?.received(announcement);
      deliveryLog.received(announcement);
    };
  },
  core: corePlugin,
};

/** Evicts histories, and moves documents to disk, to free memory. The collection afterwards shows how much that freed. */
async function squeeze(
  { histories, memory, log, rawStore }: Pick<Parts, 'histories' | 'memory' | 'log' | 'rawStore'>,
  isShort: boolean,
): Promise<void> {
  try {
    const isEvicted = await histories.squeeze(isShort);
    const isMoved = isShort && (await rawStore.freeMemory?.());
    if (isEvicted || isMoved) await memory.collect();
  } catch (error) {
    log.error('memory could not be freed', { error });
  }
}
