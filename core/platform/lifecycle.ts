import { convertEarlierRecords } from '../delivery/earlier-records.js';
import { NotReady } from '../errors.js';
import { ADMIN_PREFIX } from '../kernel/http/area.js';
import { createCallGate } from '../kernel/http/call-gate.js';
import type { Recipes } from '../kernel/plugins/container.js';
import { createLifecycle, type LifecyclePart, type LifecycleState } from '../kernel/plugins/lifecycle.js';
import { pluginPart } from '../kernel/plugins/load.js';
import { createShutdown, GRACE_MS } from '../kernel/plugins/shutdown.js';
import { reconcile } from '../messaging/claimed.js';
import type { Claims } from '../ports/claims.js';
import { createLoops } from './loops.js';
import type { LifecycleParts, Parts } from './parts.js';
import { startOrStandBy } from './stand-by.js';
import { replaceState } from './state.js';
import { version } from './version.js';

type Given = 'loaded' | 'replacement' | 'claims' | 'processes' | 'isMixed' | 'passedOperator' | 'clientOf';

export const lifecycleRecipes: Omit<Recipes<LifecycleParts, Parts>, Given> = {
  areas: ({ loaded }) =>
    loaded.map(({ manifest: { name }, contributions: { routes = [], admin = [], roots = [], errors } }) => ({
      name,
      routes,
      admin,
      roots,
      errors,
    })),
  address: () => ({ url: () => 'http://localhost' }),
  publicUrl:
    ({ settings, address }) =>
    () =>
      settings.publicUrl ?? address.url(),
  // Imported on first use: most platforms never serve their OpenAPI document.
  describe: (parts) => async (part) => {
    const { describeApi } = await import('../kernel/http/openapi/openapi.js');
    const isAdmin = part === 'admin';
    return describeApi({
      areas: parts.loaded.map(({ manifest: { name }, contributions: { routes = [], admin = [], payloads = [], errors } }) => ({
        name,
        routes: isAdmin ? admin : routes,
        payloads: isAdmin ? [] : payloads,
        errors: isAdmin ? undefined : errors,
      })),
      title: isAdmin ? 'Posthorn admin API' : 'Posthorn API',
      version,
      url: parts.publicUrl(),
      below: isAdmin ? ADMIN_PREFIX : '',
      strict: isAdmin,
      dialect: parts.dialect,
      fieldsOf: parts.wiring.fieldsOf,
      security: isAdmin
        ? { name: 'admin', description: 'The admin key of the platform' }
        : { name: 'token', description: 'A token of the number that the call acts on' },
    });
  },
  loops: (parts) =>
    createLoops({
      ...{ connections: parts.connections, clock: parts.clock, log: parts.log },
      loops: () => parts.wiring.loops,
      mask: parts.masker.mask,
      refusal: () => parts.rawStore.ownership?.refusal(),
      onFailure: (loop) => parts.meters?.loopFailed(loop),
    }),
  shutdown: ({ settings }) => createShutdown(settings.shutdown),
  begin: (parts) => () => startOrStandBy(parts),
  gate: ({ rawStore, lifecycle }) => rawStore.ownership && createCallGate(rawStore.ownership, () => lifecycle.state() === 'starting'),
  storeHealth:
    ({ rawStore }) =>
    () =>
      rawStore.health?.() ?? { state: 'open' },
  storeIsOpen:
    ({ storeHealth }) =>
    () =>
      storeHealth().state === 'open',
  whyNotReady: (parts) => () => {
    if (parts.shutdown.isStopping()) return new NotReady('the platform is stopping', 'stopping');
    const notOwner = parts.rawStore.ownership?.refusal();
    if (notOwner !== undefined) return new NotReady(notOwner, 'standby');
    const state = parts.lifecycle.state();
    if (NOT_RUNNING[state] !== undefined) return new NotReady(NOT_RUNNING[state]);
    if (state !== 'started') return new NotReady(`the platform is ${state}`, state === 'stopping' ? 'stopping' : 'starting');
    return parts.storeIsOpen() ? undefined : new NotReady('the store accepts no writes', 'store_unavailable');
  },
  lifecycle(parts) {
    const { tracing, http, sockets, sender, memory, meters, workers, rawStore, queue, mediaKey, histories, outbox, store } = parts;
    const { settledDeliveries: settled, deliveryHistory: history, erasures, endpoints, messageRetention } = parts;
    const { loaded, shutdown, log, replacement, secrets } = parts;
    return createLifecycle(
      [
        { name: 'tracing', start: () => tracing?.start?.() },
        { name: 'http', start: () => http.start?.(), stop: () => http.stop() },
        { name: 'sockets', stop: () => sockets.stop() },
        { name: 'sender', stop: (remainingMs) => sender.stop(remainingMs) },
        { name: 'memory', start: memory.start },
        { name: 'meters', start: () => meters?.start(), stop: () => meters?.stop() },
        { name: 'workers', stop: () => workers.stop() },
        {
          name: 'store',
          start: () => rawStore.start(),
          interrupt: () => rawStore.ownership?.interrupt(),
          // Half of the grace period goes to transactions that still run at the deadline, the rest to merging and closing files.
          stop: (remainingMs, graceMs) => rawStore.stop(remainingMs + graceMs / 2),
          reserveMs: 500,
        },
        { name: 'secrets', start: () => secrets.start?.() },
        // Before any part reads the store, so that nothing in memory stems from the previous state.
        { name: 'state', start: () => replacement && replaceState(parts, replacement) },
        ...(parts.claims ? [claimsPart(parts, parts.claims)] : []),
        { name: 'stored jobs', start: () => queue.load?.() },
        {
          name: 'settled deliveries',
          async start() {
            // First, because new deliveries take the next places in the order.
            await settled.continueOrder();
            await convertEarlierRecords({ store, outbox });
          },
        },
        headersPart(parts),
        { name: 'media key', start: mediaKey.load },
        { name: 'histories', start: histories.start, stop: histories.stop },
        { name: 'endpoints', start: () => endpoints?.start(), stop: () => endpoints?.stop() },
        { name: 'earlier deliveries', start: () => settled.moveEarlier(history), stop: settled.stop },
        ...loaded.map((plugin) => pluginPart(plugin, workers)),
        // Before the queue and the outbox, so that a restored platform sends nothing about contacts that were erased.
        { name: 'erasures', start: erasures.start, stop: erasures.stop },
        { name: 'queue', start: () => queue.start(), stop: (remainingMs) => queue.stop(remainingMs) },
        { name: 'outbox', start: () => outbox.start(), stop: (remainingMs) => outbox.stop(remainingMs) },
        { name: 'retention of messages', start: messageRetention.start, stop: messageRetention.stop },
        { name: 'loops', start: parts.loops.start, stop: parts.loops.stop },
        // Stops first, so that the queue does not wait for jobs that wait for memory.
        { name: 'memory', stop: memory.stop },
      ],
      { remainingMs: shutdown.remainingMs, graceMs: GRACE_MS, log },
    );
  },
};

/** Why a platform in these states serves no calls. */
export const NOT_RUNNING: Readonly<Partial<Record<LifecycleState, string>>> = {
  new: 'the platform is not started: start its server after registering it, or call platform.start()',
  failed: 'the platform could not start; the error of the start says why',
  stopped: 'the platform is stopped',
};

/** Real milliseconds: the directory belongs to several processes, so the clock of a platform has no part in it. */
const RECONCILE_MS = 60_000;
const LOOK_FOR_RELEASES_MS = 1_000;

/** Keeps the claims of a shard those of its documents. */
function claimsPart({ store, log }: Pick<Parts, 'store' | 'log'>, claims: Claims): LifecyclePart {
  let suspects: ReadonlySet<string> | undefined;
  return repeated({
    name: 'claims',
    everyMs: RECONCILE_MS,
    async work() {
      const unused = await reconcile({ store, claims, log }, suspects);
      // The start has released what it found: nothing was in progress.
      suspects = suspects ? unused : new Set();
    },
    failed: (error) => log.warn('the claims of this shard could not be compared with its data; the next comparison follows', { error }),
  });
}

/** Seals the values of headers that were stored for a process of an earlier release, as soon as no such process can read them. */
function headersPart({ webhooks, isMixed, claims, log }: Pick<Parts, 'webhooks' | 'isMixed' | 'claims' | 'log'>): LifecyclePart {
  let areSealed = false;
  return repeated({
    name: 'headers of webhooks',
    everyMs: claims && LOOK_FOR_RELEASES_MS,
    async work() {
      const mayBeSealed = !isMixed();
      if (mayBeSealed && !areSealed) await webhooks.sealHeaders();
      areSealed = mayBeSealed;
    },
    failed: (error) => log.warn('headers of webhooks could not be sealed; the next attempt follows', { error }),
  });
}

interface Repeated {
  readonly name: string;
  /** If undefined, the work is done only once. */
  readonly everyMs: number | undefined;
  /** The first time is part of the start, which fails with it. */
  readonly work: () => Promise<void>;
  readonly failed: (error: unknown) => void;
}

function repeated({ name, everyMs, work, failed }: Repeated): LifecyclePart {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const next = (): void => {
    if (!isStopped && everyMs !== undefined) timer = setTimeout(() => void work().catch(failed).then(next), everyMs);
  };
  return {
    name,
    async start() {
      await work();
      next();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
