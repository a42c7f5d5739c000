import { AsyncResource } from 'node:async_hooks';
import type { Clock, Timer } from '../../ports/clock.js';
import type { Ids } from '../../ports/ids.js';
import type { Logger } from '../../ports/logger.js';
import type { Consumer, Job, Lane, Placement, Queue, QueueDepth, QueueType } from '../../ports/queue.js';
import { pagesOf, type Store, type StoreTransaction, StoreUnavailable } from '../../ports/store.js';
import type { WaitingJob } from './job-order.js';
import { afterFailure, checkPlace, isLane, isLastAttempt, type JobRecord, jobs, keyOf, pauseAfter, waitingOf } from './job-record.js';
import { SteadyTime } from './steady-time.js';
import { WaitingJobs } from './waiting-jobs.js';

export interface StoredQueueOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'uuid'>;
  readonly log: Logger;
}

const STOP_LIMIT_MS = 10_000;
/** Of those that run, most may have given back their slots; what a crash repeats is bounded by that. */
const RUNNING_PER_SLOT = 4;

/** The jobs of one queue, and who works on them. */
interface QueueState {
  readonly name: string;
  readonly waiting: WaitingJobs;
  /** Jobs that run by their keys, with what was pushed under the same id meanwhile. */
  readonly running: Map<string, WaitingJob | undefined>;
  /** How many run of each lane. */
  readonly lanes: Record<Lane, number>;
  /** How many run that have given back their slots. */
  released: number;
  consumer: Consumer | undefined;
}

type Recording = (tx: StoreTransaction) => Promise<unknown>;

/** A queue whose jobs are documents of the store. It keeps their order in memory, and hears of new ones when they are durable. */
export class StoredQueue implements Queue {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #ids: Pick<Ids, 'uuid'>;
  readonly #log: Logger;
  readonly #time: SteadyTime;
  readonly #lines = new Map<string, QueueState>();
  readonly #active = new Set<Promise<void>>();
  /** Jobs that run and have given back their slots. */
  readonly #released = new Set<WaitingJob>();
  readonly #stopping = new AbortController();
  /** Jobs run in the context of the queue, not in that of whoever pushed them or made a slot free. */
  readonly #scope = new AsyncResource('StoredQueue');
  #loaded: Promise<void> | undefined;
  #started = false;
  /** The time of a stop is over, and the store may be gone: what still runs is left as it is, and runs again after the next start. */
  #isCutOff = false;
  #lastOrder = 0;
  #timer: { readonly firesAt: number; readonly timer: Timer } | undefined;

  constructor({ store, clock, ids, log }: StoredQueueOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#ids = ids;
    this.#log = log;
    this.#time = new SteadyTime(clock);
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
    tx.afterCommit(() => this.#arrive(this.#line(name), waitingOf(record, this.#time.aheadMs)));
  }

  cancel(tx: StoreTransaction, { name }: QueueType<unknown>, id: string): void {
    const key = keyOf(name, id);
    tx.in(jobs).delete(key);
    tx.afterCommit(() => {
      const line = this.#line(name);
      line.waiting.remove(key);
      if (line.running.has(key)) line.running.set(key, undefined);
    });
  }

  attach(owner: string, consumer: Consumer): void {
    const line = this.#line(consumer.queue.name);
    if (line.consumer) throw new Error(`${owner} cannot consume queue ${line.name}: it has a consumer`);
    line.consumer = consumer;
    line.waiting.rules = consumer;
    this.#work(line);
  }

  depths(): QueueDepth[] {
    const now = this.#time.now();
    return [...this.#lines.values()].flatMap(({ name, waiting, lanes }) => {
      const depths = { high: { ready: 0, later: 0 }, default: { ready: 0, later: 0 }, low: { ready: 0, later: 0 } };
      for (const { lane, dueAt } of waiting.all()) depths[lane][dueAt <= now ? 'ready' : 'later']++;
      return (Object.keys(depths) as Lane[]).map((lane) => ({ queue: name, lane, ...depths[lane], running: lanes[lane] }));
    });
  }

  load(): Promise<void> {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  async start(): Promise<void> {
    await this.load();
    this.#started = true;
    for (const line of this.#lines.values()) {
      if (!line.consumer && line.waiting.size > 0) {
        this.#log.warn('jobs wait in a queue that nobody consumes', { queue: line.name, jobs: line.waiting.size });
      }
      this.#work(line);
    }
  }

  async stop(limitMs = STOP_LIMIT_MS): Promise<void> {
    this.#stopping.abort();
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    let limit: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      limit = setTimeout(resolve, limitMs);
    });
    await Promise.race([Promise.all(this.#active), over]);
    clearTimeout(limit);
    this.#isCutOff = true;
    if (this.#active.size > 0)
      this.#log.warn('jobs still run though the queue was stopped; they run again later', { jobs: this.#active.size });
  }

  async #load(): Promise<void> {
    const now = this.#clock.now().getTime();
    for await (const page of pagesOf(this.#store, jobs)) {
      for (const record of page) {
        this.#lastOrder = Math.max(this.#lastOrder, record.order);
        const { waiting } = this.#line(record.queue);
        // One that was pushed meanwhile is newer than what this page says.
        if (record.failedAt !== undefined || waiting.get(record.key)) continue;
        waiting.put(waitingOf({ ...record, dueAt: Math.min(record.dueAt, now + (record.delayMs ?? 0)) }, this.#time.aheadMs));
        const { queue, id, lane } = record;
        if (!isLane(lane)) this.#log.warn('a job has a lane that there is not; it waits in the default lane', { queue, job: id, lane });
      }
    }
  }

  #line(name: string): QueueState {
    const line = this.#lines.get(name) ?? {
      name,
      waiting: new WaitingJobs(),
      running: new Map(),
      lanes: { high: 0, default: 0, low: 0 },
      released: 0,
      consumer: undefined,
    };
    this.#lines.set(name, line);
    return line;
  }

  #arrive(line: QueueState, job: WaitingJob): void {
    if (line.running.has(job.key)) line.running.set(job.key, job);
    else line.waiting.put(job);
    this.#work(line);
  }

  /** Starts what can start. */
  #work(line: QueueState): void {
    const { waiting, running, consumer } = line;
    if (!this.#started || !consumer || this.#stopping.signal.aborted) return;
    const now = this.#time.now();
    // Also when no slot is free: what is due must not be waited for again.
    waiting.promote(now);
    const most = consumer.concurrency;
    while (running.size - line.released < most && running.size < most * RUNNING_PER_SLOT) {
      const job = waiting.take(now);
      if (!job) break;
      running.set(job.key, undefined);
      line.lanes[job.lane]++;
      const ran = this.#scope.runInAsyncScope(() => this.#clock.during(() => this.#run(line, consumer, job)));
      this.#active.add(ran);
      void ran.finally(() => this.#active.delete(ran));
    }
    this.#wakeAt(waiting.nextDue, now);
  }

  /** One timer for all queues: the next job that becomes due. */
  #wakeAt(dueAt: number | undefined, now: number): void {
    if (dueAt === undefined) return;
    const firesAt = this.#clock.monotonic() + dueAt - now;
    if (this.#timer && this.#timer.firesAt <= firesAt) return;
    this.#timer?.timer.cancel();
    const timer = this.#clock.after(dueAt - now, () => {
      this.#timer = undefined;
      for (const line of this.#lines.values()) this.#work(line);
    });
    this.#timer = { firesAt, timer };
  }

  async #run(line: QueueState, consumer: Consumer, job: WaitingJob): Promise<void> {
    try {
      const record = await this.#store.open(jobs).get(job.key);
      if (record && record.order === job.order && record.failedAt === undefined) await this.#try(line, consumer, record, job);
    } catch (error) {
      this.#log.error('a job could not be run; it waits for a restart', { ...aboutOf(line, job), error });
    }
    const pushedMeanwhile = line.running.get(job.key);
    line.running.delete(job.key);
    if (!this.#released.delete(job)) line.lanes[job.lane]--;
    else line.released--;
    line.waiting.ended(job);
    if (pushedMeanwhile) line.waiting.put(pushedMeanwhile);
    this.#work(line);
  }

  #release(line: QueueState, job: WaitingJob): void {
    if (this.#released.has(job)) return;
    this.#released.add(job);
    line.released++;
    line.lanes[job.lane]--;
    line.waiting.released(job);
    this.#work(line);
  }

  async #try(line: QueueState, consumer: Consumer, record: JobRecord, waiting: WaitingJob): Promise<void> {
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
        // At the end, when it is known whether the same id has been pushed again.
        tx.beforeCommit(() => complete(tx));
        tx.afterCommit(() => {
          isCompleted = true;
        });
      },
      release: () => this.#release(line, waiting),
    };
    try {
      await consumer.handle(job);
    } catch (error) {
      if (isCompleted) this.#log.error('a job failed after it was completed', { ...aboutOf(line, record), attempt, error });
      else await this.#settleFailure(line, consumer, record, error);
      return;
    }
    if (!isCompleted) await this.#settle(line, record, complete);
  }

  /** What the consumer adds when a job is given up is written with that, or not at all. */
  async #settleFailure(line: QueueState, { maxAttempts, onFailed }: Consumer, record: JobRecord, error: unknown): Promise<void> {
    const failed = (tx: StoreTransaction) => this.#failed(tx, line, record, error);
    if (!onFailed || !isLastAttempt(record, maxAttempts)) return this.#settle(line, record, failed);
    const { id, payload, attempts } = record;
    const withConsumer = async (tx: StoreTransaction) => {
      if (await failed(tx)) await onFailed(tx, { id, payload, attempt: attempts + 1 }, error);
    };
    await this.#settle(line, record, withConsumer, failed);
  }

  /** After its last try a job is kept as failed; until then it waits for the next one. @returns whether it was still there */
  async #failed(tx: StoreTransaction, line: QueueState, record: JobRecord, error: unknown): Promise<boolean> {
    const current = await tx.in(jobs).get(record.key);
    // Cancelled, or replaced by another job under the same id.
    if (current?.order !== record.order) return false;
    const next = afterFailure(record, error, this.#clock.now(), line.consumer?.maxAttempts);
    const fields = { ...aboutOf(line, record), attempt: next.attempts, error };
    tx.in(jobs).put(next);
    tx.afterCommit(() => {
      if (next.failedAt !== undefined) {
        this.#log.error('a job has failed too often, and is not tried again', fields);
      } else {
        this.#log.warn('a job has failed, and is tried again', { ...fields, dueAt: new Date(next.dueAt) });
        this.#arrive(line, waitingOf(next, this.#time.aheadMs));
      }
    });
    return true;
  }

  /**
   * Records what became of a job. While the store refuses, the job keeps its place, and the record is tried again. What fails
   * otherwise is recorded as `orElse` says.
   */
  async #settle(line: QueueState, { key, group }: JobRecord, record: Recording, orElse?: Recording): Promise<void> {
    let recording = record;
    for (let failures = 1; !this.#isCutOff; failures++) {
      try {
        await this.#store.transaction(recording);
        return;
      } catch (error) {
        const about = { ...aboutOf(line, { key, group }), error };
        if (orElse && recording !== orElse && !(error instanceof StoreUnavailable)) {
          this.#log.error('what a consumer does when a job is given up has failed; the job is given up without it', about);
          recording = orElse;
          continue;
        }
        this.#log.error('what became of a job could not be recorded', about);
      }
      if (this.#stopping.signal.aborted) return;
      await this.#clock.sleep(pauseAfter(failures), this.#stopping.signal);
    }
  }
}

/** What lines about a job say. */
function aboutOf(
  { name: queue, consumer }: QueueState,
  { key, group }: { readonly key: string; readonly group?: string | undefined },
): object {
  const id = key.slice(queue.length + 1);
  return { queue, job: id, ...consumer?.logged?.({ id, group }) };
}
