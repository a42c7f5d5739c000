import { AsyncResource } from 'node:async_hooks';
import { throwerOf } from '../../errors.js';
import type { Clock } from '../../ports/clock.js';
import type { Ids } from '../../ports/ids.js';
import type { Logger } from '../../ports/logger.js';
import type { Consumer, Job, Lane, PendingTimer, Placement, Queue, QueueDepth, QueueType, StoredJob } from '../../ports/queue.js';
import { pagesOf, type Store, type StoreTransaction, StoreUnavailable } from '../../ports/store.js';
import type { WaitingJob } from './job-order.js';
import { afterFailure, checkPlace, delayAfter, isLane, isLastAttempt, type JobRecord, jobs, keyOf, waitingOf } from './job-record.js';
import { SteadyTime } from './steady-time.js';
import { WaitingJobs } from './waiting-jobs.js';
import { WakeTimer } from './wake-timer.js';

export interface StoredQueueOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'uuid'>;
  readonly log: Logger;
}

const STOP_LIMIT_MS = 10_000;
/** Maximum number of running jobs per slot, including jobs that have released theirs. Bounds the number of jobs that run again after a crash. */
const RUNNING_PER_SLOT = 4;

/** One queue: its jobs and its consumer. */
interface QueueState {
  readonly name: string;
  readonly waiting: WaitingJobs;
  /** Running jobs by key. The value is the next job with the same id, if one was pushed meanwhile. */
  readonly running: Map<string, WaitingJob | undefined>;
  /** Number of running jobs per lane, without those that have released their slots. */
  readonly lanes: Record<Lane, number>;
  /** Number of running jobs that have released their slots. */
  released: number;
  consumer: Consumer | undefined;
}

type Recording = (tx: StoreTransaction) => Promise<unknown>;

/** A queue whose jobs are documents of the store. It keeps their order in memory; a new job enters it when its transaction is durable. */
export class StoredQueue implements Queue {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #ids: Pick<Ids, 'uuid'>;
  readonly #log: Logger;
  readonly #time: SteadyTime;
  readonly #wake: WakeTimer;
  readonly #states = new Map<string, QueueState>();
  readonly #active = new Set<Promise<void>>();
  /** Running jobs that have released their slots. */
  readonly #released = new Set<WaitingJob>();
  readonly #stopping = new AbortController();
  /** Jobs run in this async context, not in that of the code that pushed them or freed a slot. */
  readonly #scope = new AsyncResource('StoredQueue');
  #loaded: Promise<void> | undefined;
  #started = false;
  /**
   * Set when `stop` returns, because the store may be closed from then on. Jobs that still run are abandoned and run again
   * after the next start.
   */
  #isAbandoned = false;
  #lastOrder = 0;

  constructor({ store, clock, ids, log }: StoredQueueOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#ids = ids;
    this.#log = log;
    this.#time = new SteadyTime(clock);
    this.#wake = new WakeTimer(clock, () => {
      for (const state of this.#states.values()) this.#work(state);
    });
    store.define('core.jobs', jobs);
  }

  push<T>(tx: StoreTransaction, { name }: QueueType<T>, payload: T, placement: Placement = {}): void {
    checkPlace(name, placement);
    const { notBefore, lane = 'default', serial, group, urgent = false, id = this.#ids.uuid(), trace } = placement;
    const now = this.#clock.now().getTime();
    const delayMs = Math.max(0, (notBefore?.getTime() ?? now) - now);
    const record: JobRecord = {
      key: keyOf(name, id),
      queue: name,
      id,
      lane,
      dueAt: now + delayMs,
      order: ++this.#lastOrder,
      ...(delayMs > 0 && { delayMs }),
      ...(serial !== undefined && { serial }),
      ...(group !== undefined && { group }),
      ...(urgent && { urgent }),
      ...(trace !== undefined && { trace }),
      attempts: 0,
      payload,
    };
    tx.in(jobs).put(record);
    tx.afterCommit(() => this.#arrive(this.#stateOf(name), waitingOf(record, this.#time.aheadMs)));
  }

  cancel(tx: StoreTransaction, { name }: QueueType<unknown>, id: string): void {
    const key = keyOf(name, id);
    tx.in(jobs).delete(key);
    tx.afterCommit(() => {
      const state = this.#stateOf(name);
      state.waiting.remove(key);
      if (state.running.has(key)) state.running.set(key, undefined);
    });
  }

  attach(owner: string, consumer: Consumer): void {
    const state = this.#stateOf(consumer.queue.name);
    if (state.consumer) throw new Error(`${owner} cannot consume queue ${state.name}: it has a consumer`);
    state.consumer = consumer;
    state.waiting.rules = consumer;
    this.#work(state);
  }

  depths(): QueueDepth[] {
    const now = this.#time.now();
    return [...this.#states.values()].flatMap(({ name, waiting, lanes }) => waiting.depths(name, now, lanes));
  }

  async due(limit: number): Promise<PendingTimer[]> {
    const ahead = this.#time.aheadMs;
    const first = [...this.#states.values()]
      .flatMap(({ consumer, waiting }) => waiting.later(limit).map((job) => ({ job, consumer })))
      .sort((a, b) => a.job.dueAt - b.job.dueAt)
      .slice(0, limit);
    const records = await Promise.all(first.map(({ job }) => this.#store.open(jobs).get(job.key)));
    return first.flatMap(({ job, consumer }, i) => {
      const record = records[i];
      // It was completed or cancelled meanwhile.
      if (record?.order !== job.order) return [];
      const { queue, id, attempts, payload } = record;
      const label = consumer?.queue.label?.(payload) ?? { kind: 'job', id, title: `job of queue ${queue}` };
      const title = attempts > 0 ? `retry ${attempts} of: ${label.title}` : label.title;
      return [{ at: new Date(Math.ceil(job.dueAt - ahead)), ...label, title }];
    });
  }

  async find({ name }: QueueType<unknown>, id: string): Promise<StoredJob | undefined> {
    const record = await this.#store.open(jobs).get(keyOf(name, id));
    if (!record) return undefined;
    const { attempts, error, failedAt, dueAt } = record;
    const waiting = this.#states.get(name)?.waiting.get(record.key);
    const at = new Date(waiting ? Math.ceil(waiting.dueAt - this.#time.aheadMs) : dueAt);
    return { at, attempts, error, hasFailed: failedAt !== undefined };
  }

  load(): Promise<void> {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  async start(): Promise<void> {
    await this.load();
    this.#started = true;
    for (const state of this.#states.values()) {
      if (!state.consumer && state.waiting.size > 0) {
        this.#log.warn('jobs are queued, but no plugin consumes this queue; add the plugin that does', {
          queue: state.name,
          jobs: state.waiting.size,
        });
      }
      this.#work(state);
    }
  }

  async stop(limitMs = STOP_LIMIT_MS): Promise<void> {
    this.#stopping.abort();
    this.#wake.cancel();
    let limit: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      limit = setTimeout(resolve, limitMs);
    });
    await Promise.race([Promise.all(this.#active), over]);
    clearTimeout(limit);
    this.#isAbandoned = true;
    if (this.#active.size > 0)
      this.#log.warn('jobs were still running when the queue stopped; they will run again', { jobs: this.#active.size });
  }

  async #load(): Promise<void> {
    const now = this.#clock.now().getTime();
    for await (const page of pagesOf(this.#store, jobs)) {
      for (const record of page) {
        this.#lastOrder = Math.max(this.#lastOrder, record.order);
        const { waiting } = this.#stateOf(record.queue);
        // A job pushed in the meantime is newer than this page.
        if (record.failedAt !== undefined || waiting.get(record.key)) continue;
        waiting.put(waitingOf({ ...record, dueAt: Math.min(record.dueAt, now + (record.delayMs ?? 0)) }, this.#time.aheadMs));
        const { queue, id, lane } = record;
        if (!isLane(lane)) this.#log.warn('a job has an unknown lane; it is queued in the default lane', { queue, job: id, lane });
      }
    }
  }

  #stateOf(name: string): QueueState {
    const state = this.#states.get(name) ?? {
      name,
      waiting: new WaitingJobs(),
      running: new Map(),
      lanes: { high: 0, default: 0, low: 0 },
      released: 0,
      consumer: undefined,
    };
    this.#states.set(name, state);
    return state;
  }

  #arrive(state: QueueState, job: WaitingJob): void {
    if (state.running.has(job.key)) state.running.set(job.key, job);
    else state.waiting.put(job);
    this.#work(state);
  }

  /** Starts as many jobs as the slots allow. */
  #work(state: QueueState): void {
    const { waiting, running, consumer } = state;
    if (!this.#started || !consumer || this.#stopping.signal.aborted) return;
    const now = this.#time.now();
    // Promotes jobs even if no slot is free, so that the timer does not fire again for jobs that are already due.
    waiting.promote(now);
    const max = consumer.concurrency;
    while (running.size - state.released < max && running.size < max * RUNNING_PER_SLOT) {
      const job = waiting.take(now);
      if (!job) break;
      running.set(job.key, undefined);
      state.lanes[job.lane]++;
      const ran = this.#scope.runInAsyncScope(() => this.#clock.during(() => this.#run(state, consumer, job)));
      this.#active.add(ran);
      void ran.finally(() => this.#active.delete(ran));
    }
    this.#wake.at(waiting.nextDue, now);
  }

  async #run(state: QueueState, consumer: Consumer, job: WaitingJob): Promise<void> {
    try {
      const record = await this.#recordOf(state, job);
      if (record && record.order === job.order && record.failedAt === undefined) await this.#try(state, consumer, record, job);
    } catch (error) {
      this.#log.error('a job could not be run; it remains stored and runs after a restart', { ...logFieldsOf(state, job), error });
    }
    const pushedMeanwhile = state.running.get(job.key);
    state.running.delete(job.key);
    if (!this.#released.delete(job)) state.lanes[job.lane]--;
    else state.released--;
    state.waiting.ended(job);
    if (pushedMeanwhile) state.waiting.put(pushedMeanwhile);
    this.#work(state);
  }

  /**
   * Reads a job that is to run. While the store is unavailable, as during an outage of its database, the job keeps its slot and the queue tries
   * again: nothing else would start it before the next restart.
   * @returns undefined when the job was completed or cancelled, or when the queue stops
   */
  async #recordOf(state: QueueState, job: WaitingJob): Promise<JobRecord | undefined> {
    for (let failures = 1; ; failures++) {
      try {
        return await this.#store.open(jobs).get(job.key);
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        if (failures === 1) this.#log.warn('a job waits until the store is available', { ...logFieldsOf(state, job), error });
      }
      await this.#clock.sleep(delayAfter(failures), this.#stopping.signal);
      if (this.#stopping.signal.aborted) return undefined;
    }
  }

  #release(state: QueueState, job: WaitingJob): void {
    if (this.#released.has(job)) return;
    this.#released.add(job);
    state.released++;
    state.lanes[job.lane]--;
    state.waiting.released(job);
    this.#work(state);
  }

  async #try(state: QueueState, consumer: Consumer, record: JobRecord, waiting: WaitingJob): Promise<void> {
    const attempt = record.attempts + 1;
    let isCompleted = false;
    const complete = async (tx: StoreTransaction) => {
      const current = await tx.in(jobs).get(record.key);
      if (current?.order === record.order) tx.in(jobs).delete(record.key);
    };
    const job: Job<unknown> = {
      id: record.id,
      payload: record.payload,
      attempt,
      waitedMs: Math.max(0, this.#time.now() - waiting.readyAt!),
      trace: record.trace,
      done: (tx) => {
        // Deletes the job just before the commit, because the consumer may push the same id again in this transaction.
        tx.beforeCommit(() => complete(tx));
        tx.afterCommit(() => {
          isCompleted = true;
        });
      },
      release: () => this.#release(state, waiting),
    };
    try {
      await consumer.handle(job);
    } catch (error) {
      if (isCompleted) this.#log.error('a job failed after it was completed', { ...logFieldsOf(state, record), attempt, error });
      else await this.#settleFailure(state, consumer, record, error);
      return;
    }
    if (!isCompleted) await this.#settle(state, record, complete);
  }

  /** Commits the consumer's writes together with the permanent failure of the job. */
  async #settleFailure(state: QueueState, { maxAttempts, onFailed }: Consumer, record: JobRecord, error: unknown): Promise<void> {
    const failed = (tx: StoreTransaction) => this.#failed(tx, state, record, error);
    if (!onFailed || !isLastAttempt(record, maxAttempts)) return this.#settle(state, record, failed);
    const { id, payload, attempts } = record;
    const withConsumer = async (tx: StoreTransaction) => {
      if (await failed(tx)) await onFailed(tx, { id, payload, attempt: attempts + 1 }, error);
    };
    await this.#settle(state, record, withConsumer, failed);
  }

  /** Stores the failure of a job: retried later, or failed permanently after its last attempt. @returns whether the job still existed */
  async #failed(tx: StoreTransaction, state: QueueState, record: JobRecord, error: unknown): Promise<boolean> {
    const current = await tx.in(jobs).get(record.key);
    // Cancelled, or replaced by a new job with the same id.
    if (current?.order !== record.order) return false;
    const next = afterFailure(record, error, this.#clock.now(), state.consumer?.maxAttempts);
    const fields = { ...throwerOf(error), ...logFieldsOf(state, record), attempt: next.attempts, error };
    tx.in(jobs).put(next);
    tx.afterCommit(() => {
      if (next.failedAt !== undefined) {
        this.#log.error('a job has failed permanently', fields);
      } else {
        this.#log.warn('a job has failed and will be retried', { ...fields, dueAt: new Date(next.dueAt) });
        this.#arrive(state, waitingOf(next, this.#time.aheadMs));
      }
    });
    return true;
  }

  /**
   * Records the outcome of a job. While the store is unavailable, the job keeps its slot and the queue retries the recording. On any
   * other error, the queue records `fallback` instead.
   */
  async #settle(state: QueueState, { key, group }: JobRecord, outcome: Recording, fallback?: Recording): Promise<void> {
    let recording = outcome;
    for (let failures = 1; !this.#isAbandoned; failures++) {
      try {
        await this.#store.transaction(recording);
        return;
      } catch (error) {
        const fields = { ...logFieldsOf(state, { key, group }), error };
        if (fallback && recording !== fallback && !(error instanceof StoreUnavailable)) {
          this.#log.error(
            "a consumer's onFailed handler failed; the job is recorded as failed, and the handler's writes are discarded",
            fields,
          );
          recording = fallback;
          continue;
        }
        this.#log.error('the outcome of a job could not be recorded', fields);
      }
      if (this.#stopping.signal.aborted) return;
      await this.#clock.sleep(delayAfter(failures), this.#stopping.signal);
    }
  }
}

/** Log fields of a job. */
function logFieldsOf(
  { name: queue, consumer }: QueueState,
  { key, group }: { readonly key: string; readonly group?: string | undefined },
): object {
  const id = key.slice(queue.length + 1);
  return { queue, job: id, ...consumer?.logged?.({ id, group }) };
}
