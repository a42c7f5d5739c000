import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { deliveryAttempted, deliveryQueued, deliverySettled } from '../../delivery/delivery.js';
import { messageOf, PluginFailed } from '../../errors.js';
import type { HistoryReport } from '../../memory/histories.js';
import type { EvictionReason } from '../../memory/history.js';
import type { Announcement } from '../../ports/events.js';
import type { Counter, Histogram, Metrics, MetricType } from '../../ports/metrics.js';
import type { Queue } from '../../ports/queue.js';
import type { Store } from '../../ports/store.js';
import type { WorkerBatch } from '../../ports/workers.js';
import type { LoadedPlugin } from '../plugins/load.js';
import { type MemoryReport, memoryStates } from './memory-guard.js';

const FAST_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
const ATTEMPT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];
const DELIVERY_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 20, 40, 65, 95, 140, 600];
const BATCH_CALLS = [1, 2, 4, 8, 16, 32, 64];
const QUANTILES = [50, 90, 99, 100];
const LOOP_RESOLUTION_MS = 10;

interface Watched {
  readonly queue: Pick<Queue, 'depths'>;
  readonly storeIsOpen: () => boolean;
  readonly memory: { report(): MemoryReport };
  readonly histories: () => readonly Omit<HistoryReport, 'most'>[];
  readonly numbersOnHold: () => number;
}

/** The plugins that declare metrics. */
type Declaring = Pick<LoadedPlugin, 'manifest' | 'contributions'>;

export type Meters = ReturnType<typeof createMeters>;

/** Creates the metrics of a platform; `start` loads the library and begins to measure. */
export function createMeters({
  load,
  plugins,
  ...watched
}: { load: () => Promise<Metrics>; plugins: () => readonly Declaring[] } & Watched) {
  let metrics: Metrics | undefined;
  let meters: ReturnType<typeof defineMeters> | undefined;
  let loop: IntervalHistogram | undefined;

  return {
    async start(): Promise<void> {
      metrics = await load();
      loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
      loop.enable();
      meters = defineMeters(metrics, { ...watched, loop });
      for (const plugin of plugins()) declare(metrics, plugin);
    },

    stop: () => void loop?.disable(),

    text: (): ReturnType<Metrics['text']> => metrics!.text(),

    received: (announcement: Announcement): void => meters?.received(announcement),
    batch: (batch: WorkerBatch): void => meters?.batch(batch),

    evicted: (history: string, reason: EvictionReason): void => meters?.evicted(history, reason),

    /** A loop of a plugin has failed, and is tried again. */
    loopFailed: (name: string): void => meters?.loopFailed(name),

    /** Wraps a store so that its transactions are measured. */
    measured: (store: Store): Pick<Store, 'open' | 'transaction'> => ({
      open: (type) => store.open(type),
      transaction(work) {
        const startedAt = performance.now();
        return store.transaction(work).then(
          (result) => {
            meters?.transaction('committed', performance.now() - startedAt);
            return result;
          },
          (error: unknown) => {
            meters?.transaction('failed', performance.now() - startedAt);
            throw error;
          },
        );
      },
    }),
  };
}

/** @throws PluginFailed when a name does not begin with that of the plugin, or is taken */
function declare(metrics: Metrics, { manifest: { name: plugin }, contributions }: Declaring): void {
  const prefix = `${plugin.replaceAll('-', '_')}_`;
  const own = <T extends MetricType>(type: T): T => {
    if (type.name.startsWith(prefix)) return type;
    throw new Error(`the metric ${type.name} must begin with ${prefix}`);
  };
  try {
    contributions.metrics?.({
      counter: (type) => metrics.counter(own(type)),
      histogram: (type) => metrics.histogram(own(type)),
      gauge: (type, read) => metrics.gauge(own(type), read),
      total: (type, read) => metrics.total(own(type), read),
    });
  } catch (error) {
    throw new PluginFailed(plugin, 'start', messageOf(error), error);
  }
}

function defineMeters(metrics: Metrics, watched: Watched & { readonly loop: IntervalHistogram }) {
  const queued = metrics.counter({
    name: 'posthorn_deliveries_queued_total',
    help: 'Deliveries that were queued, by an event or by a manual redelivery.',
    labels: ['lane'],
  });
  const settled = metrics.counter({
    name: 'posthorn_deliveries_settled_total',
    help: 'Deliveries that were settled, by outcome and reason.',
    labels: ['outcome', 'reason', 'lane'],
  });
  const delivered = metrics.histogram({
    name: 'posthorn_delivery_duration_seconds',
    help: 'Time from the event, or the manual redelivery, to the response that settled the delivery.',
    labels: ['outcome', 'lane'],
    buckets: DELIVERY_SECONDS,
  });
  const attempt = metrics.histogram({
    name: 'posthorn_delivery_attempt_duration_seconds',
    help: 'Duration of an attempt, including signing.',
    labels: ['result', 'lane'],
    buckets: ATTEMPT_SECONDS,
  });
  const transaction = metrics.histogram({
    name: 'posthorn_store_transaction_duration_seconds',
    help: 'Duration of a transaction, until its writes were durable.',
    labels: ['outcome'],
    buckets: FAST_SECONDS,
  });
  const batchCalls = metrics.histogram({
    name: 'posthorn_worker_batch_calls',
    help: 'Calls that were sent to a worker in one batch.',
    labels: ['task'],
    buckets: BATCH_CALLS,
  });
  const batchSeconds = metrics.histogram({
    name: 'posthorn_worker_batch_duration_seconds',
    help: 'Time from sending a batch to a worker to receiving its results.',
    labels: ['task'],
    buckets: FAST_SECONDS,
  });
  const evicted = metrics.counter({
    name: 'posthorn_kept_evicted_total',
    help: 'Documents evicted from a history, by reason: age, count, bytes, or memory while it is short.',
    labels: ['history', 'reason'],
  });
  const loopFailures = metrics.counter({
    name: 'posthorn_loop_failures_total',
    help: 'Failures of loops that receive for connected numbers, such as a poll of a service.',
    labels: ['loop'],
  });
  defineGauges(metrics, watched);
  defineMemoryGauges(metrics, watched);
  const counters = countersByEvent({ queued, settled, delivered, attempt });

  return {
    received: ({ name, payload }: Announcement): void => counters.get(name)?.(payload),
    evicted: (history: string, reason: EvictionReason): void => evicted({ history, reason }),
    loopFailed: (name: string): void => loopFailures({ loop: name }),
    transaction: (outcome: 'committed' | 'failed', ms: number): void => transaction({ outcome }, ms / 1000),
    batch({ task, calls, ms }: WorkerBatch): void {
      batchCalls({ task }, calls);
      batchSeconds({ task }, ms / 1000);
    },
  };
}

function countersByEvent(meters: {
  readonly queued: Counter;
  readonly settled: Counter;
  readonly delivered: Histogram;
  readonly attempt: Histogram;
}): ReadonlyMap<string, (payload: unknown) => void> {
  const counters = new Map<string, (payload: unknown) => void>();
  const on = <T>(type: { name: string; shows?: (payload: T) => unknown }, count: (payload: T) => void): void =>
    void counters.set(type.name, count as (payload: unknown) => void);
  on(deliveryQueued, ({ delivery: { lane = 'default' } }) => meters.queued({ lane }));
  on(deliveryAttempted, ({ attempt: { result, lane, duration_ms } }) => meters.attempt({ result, lane }, (duration_ms ?? 0) / 1000));
  on(deliverySettled, ({ delivery: { state, reason = '', lane = 'default', created_at, redelivered_at, settled_at } }) => {
    meters.settled({ outcome: state, reason, lane });
    const startedAt = redelivered_at ?? created_at;
    if (settled_at !== undefined) meters.delivered({ outcome: state, lane }, (Date.parse(settled_at) - Date.parse(startedAt)) / 1000);
  });
  return counters;
}

function defineGauges(metrics: Metrics, { queue, storeIsOpen, loop }: Watched & { readonly loop: IntervalHistogram }): void {
  metrics.gauge({ name: 'posthorn_store_open', help: '1 while the store accepts writes, 0 after a disk fault.' }, (set) =>
    set({}, storeIsOpen() ? 1 : 0),
  );
  metrics.gauge(
    {
      name: 'posthorn_queue_jobs',
      help: 'Jobs that can run now (ready), are scheduled (later) or run (running).',
      labels: ['queue', 'lane', 'state'],
    },
    (set) => {
      for (const { queue: name, lane, ...states } of queue.depths()) {
        for (const [state, jobs] of Object.entries(states)) set({ queue: name, lane, state }, jobs);
      }
    },
  );
  metrics.gauge(
    {
      name: 'posthorn_event_loop_delay_seconds',
      help: 'Delay of the event loop since the last scrape, by quantile.',
      labels: ['quantile'],
    },
    (set) => {
      for (const percentile of QUANTILES) {
        const ms = loop.count === 0 ? 0 : Math.max(0, loop.percentile(percentile) / 1e6 - LOOP_RESOLUTION_MS);
        set({ quantile: String(percentile / 100) }, ms / 1000);
      }
      loop.reset();
    },
  );
  defineProcess(metrics);
}

function defineMemoryGauges(metrics: Metrics, { memory, histories, numbersOnHold }: Watched): void {
  metrics.gauge(
    {
      name: 'posthorn_heap_bytes',
      help: 'The heap: in use with garbage (used), live after the last full collection (live), where calls get 503 (safe), where the process ends (limit).',
      labels: ['part'],
    },
    (set) => {
      const { used, live, safe, limit } = memory.report();
      for (const [part, bytes] of Object.entries({ used, live, safe, limit })) set({ part }, bytes);
    },
  );
  metrics.gauge({ name: 'posthorn_memory_state', help: '1 for the current state of memory.', labels: ['state'] }, (set) => {
    const now = memory.report().state;
    for (const state of memoryStates) set({ state }, state === now ? 1 : 0);
  });
  metrics.gauge({ name: 'posthorn_kept_documents', help: 'Documents in a history.', labels: ['history'] }, (set) => {
    for (const { name, count } of histories()) set({ history: name }, count);
  });
  metrics.gauge({ name: 'posthorn_kept_bytes', help: 'Approximate size of a history.', labels: ['history'] }, (set) => {
    for (const { name, bytes } of histories()) set({ history: name }, bytes);
  });
  metrics.gauge({ name: 'posthorn_numbers_on_hold', help: 'Numbers whose account is on hold, so that nothing of them expires.' }, (set) =>
    set({}, numbersOnHold()),
  );
}

function defineProcess(metrics: Metrics): void {
  metrics.gauge({ name: 'process_resident_memory_bytes', help: 'Resident memory of the process.' }, (set) =>
    set({}, process.memoryUsage.rss()),
  );
  metrics.total({ name: 'process_cpu_seconds_total', help: 'CPU time of all threads of the process.' }, (set) => {
    const { user, system } = process.cpuUsage();
    set({}, (user + system) / 1e6);
  });
}
