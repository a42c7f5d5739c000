import { AsyncResource } from 'node:async_hooks';
import type { Clock, Timer } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import type { Logger } from '../ports/logger.js';
import type { Consumer, Job, Lane, Placement, Queue, QueueType } from '../ports/queue.js';
import { collection, type Store, type StoreTransaction } from '../ports/store.js';
import { type WaitingJob, WaitingJobs } from './waiting-jobs.js';

/** A job as it is kept until it is completed. */
export interface JobRecord {
  /** `<queue>/<id>`: pushing an id again puts the new job in the place of the old one. */
  readonly key: string;
  readonly queue: string;
  readonly id: string;
  readonly lane: Lane;
  readonly dueAt: number;
  /** Tells this push from others of the same id. */
  readonly order: number;
  readonly serial?: string;
  /** Tries that have failed. */
  readonly attempts: number;
  readonly payload?: unknown;
  /** When it was given up, as ISO 8601 text, and why. */
  readonly failedAt?: string;
  readonly error?: string;
}

export const jobs = collection<JobRecord>({ key: 'key', indexes: { failed: ['failedAt'] } });

export interface StoredQueueOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'uuid'>;
  readonly log: Logger;
}

const MAX_ATTEMPTS = 10;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const STOP_LIMIT_MS = 10_000;
const PAGE = 500;
const ERROR_CHARACTERS = 500;

/** The jobs of one queue, and who works on them. */
interface Line {
  readonly name: string;
  readonly waiting: WaitingJobs;
  /** Jobs that run by their keys, with what was pushed under the same id meanwhile. */
  readonly running: Map<string, WaitingJob | undefined>;
  consumer: Consumer | undefined;
}

/** A queue whose jobs are documents of the store. It keeps their order in memory, and hears of new ones when they are durable. */
export class StoredQueue implements Queue {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #ids: Pick<Ids, 'uuid'>;
  readonly #log: Logger;
  readonly #lines = new Map<string, Line>();
  readonly #active = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  /** Jobs run in the context of the queue, not in that of whoever pushed them or made a slot free. */
  readonly #scope = new AsyncResource('StoredQueue');
  #started = false;
  #lastOrder = 0;
  #timer: { readonly dueAt: number; readonly timer: Timer } | undefined;

  constructor({ store, clock, ids, log }: StoredQueueOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#ids = ids;
    this.#log = log;
    store.define('core.jobs', jobs);
  }

  push<T>(tx: StoreTransaction, { name }: QueueType<T>, payload: T, placement: Placement = {}): void {
    const { notBefore, lane = 'default', serial, id = this.#ids.uuid() } = placement;
    const now = this.#clock.now().getTime();
    const record: JobRecord = {
      key: keyOf(name, id),
      queue: name,
      id,
      lane,
      dueAt: Math.max(now, notBefore?.getTime() ?? now),
      order: ++this.#lastOrder,
      ...(serial !== undefined && { serial }),
      attempts: 0,
      payload,
    };
    tx.in(jobs).put(record);
    tx.afterCommit(() => this.#arrive(this.#line(name), waitingOf(record)));
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
    this.#work(line);
  }

  async start(): Promise<void> {
    await this.#load();
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
    if (this.#active.size > 0)
      this.#log.warn('jobs still run though the queue was stopped; they run again later', { jobs: this.#active.size });
  }

  async #load(): Promise<void> {
    const stored = this.#store.open(jobs);
    for (let after = ''; ; ) {
      const page = await stored.list({ after, limit: PAGE });
      for (const record of page) {
        this.#lastOrder = Math.max(this.#lastOrder, record.order);
        const { waiting } = this.#line(record.queue);
        // One that was pushed meanwhile is newer than what this page says.
        if (record.failedAt === undefined && !waiting.get(record.key)) waiting.put(waitingOf(record));
      }
      if (page.length < PAGE) return;
      after = page.at(-1)!.key;
    }
  }

  #line(name: string): Line {
    const line = this.#lines.get(name) ?? { name, waiting: new WaitingJobs(), running: new Map(), consumer: undefined };
    this.#lines.set(name, line);
    return line;
  }

  #arrive(line: Line, job: WaitingJob): void {
    if (line.running.has(job.key)) line.running.set(job.key, job);
    else line.waiting.put(job);
    this.#work(line);
  }

  /** Starts what can start. */
  #work(line: Line): void {
    const { waiting, running, consumer } = line;
    if (!this.#started || !consumer || this.#stopping.signal.aborted) return;
    const now = this.#clock.now().getTime();
    while (running.size < consumer.concurrency) {
      const job = waiting.take(now);
      if (!job) break;
      running.set(job.key, undefined);
      const ran = this.#scope.runInAsyncScope(() => this.#clock.during(() => this.#run(line, consumer, job)));
      this.#active.add(ran);
      void ran.finally(() => this.#active.delete(ran));
    }
    this.#wakeAt(waiting.nextDue, now);
  }

  /** One timer for all queues: the next job that becomes due. */
  #wakeAt(dueAt: number | undefined, now: number): void {
    if (dueAt === undefined || (this.#timer && this.#timer.dueAt <= dueAt)) return;
    this.#timer?.timer.cancel();
    const timer = this.#clock.after(dueAt - now, () => {
      this.#timer = undefined;
      for (const line of this.#lines.values()) this.#work(line);
    });
    this.#timer = { dueAt, timer };
  }

  async #run(line: Line, consumer: Consumer, job: WaitingJob): Promise<void> {
    try {
      const record = await this.#store.open(jobs).get(job.key);
      if (record && record.order === job.order && record.failedAt === undefined) await this.#try(line, consumer, record);
    } catch (error) {
      this.#log.error('a job could not be run; it waits for a restart', { queue: line.name, job: job.key, error });
    }
    const pushedMeanwhile = line.running.get(job.key);
    line.running.delete(job.key);
    line.waiting.ended(job);
    if (pushedMeanwhile) line.waiting.put(pushedMeanwhile);
    this.#work(line);
  }

  async #try(line: Line, consumer: Consumer, record: JobRecord): Promise<void> {
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
      done: (tx) => {
        // At the end, when it is known whether the same id has been pushed again.
        tx.beforeCommit(() => complete(tx));
        tx.afterCommit(() => {
          isCompleted = true;
        });
      },
    };
    const fields = { queue: line.name, job: record.id, attempt };
    try {
      await consumer.handle(job);
    } catch (error) {
      if (isCompleted) this.#log.error('a job failed after it was completed', { ...fields, error });
      else await this.#settle(fields, (tx) => this.#failed(tx, line, { ...record, attempts: attempt }, error));
      return;
    }
    if (!isCompleted) await this.#settle(fields, complete);
  }

  /** After its last try a job is kept as failed; until then it waits for the next one. */
  async #failed(tx: StoreTransaction, line: Line, record: JobRecord, error: unknown): Promise<void> {
    const current = await tx.in(jobs).get(record.key);
    // Cancelled, or replaced by another job under the same id.
    if (current?.order !== record.order) return;
    const fields = { queue: line.name, job: record.id, attempt: record.attempts, error };
    const message = (error instanceof Error ? error.message : String(error)).slice(0, ERROR_CHARACTERS);
    const now = this.#clock.now();
    if (record.attempts >= MAX_ATTEMPTS) {
      tx.in(jobs).put({ ...record, failedAt: now.toISOString(), error: message });
      tx.afterCommit(() => this.#log.error('a job has failed too often, and is not tried again', fields));
      return;
    }
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (record.attempts - 1), LONGEST_PAUSE_MS);
    const again = { ...record, dueAt: now.getTime() + pause, error: message };
    tx.in(jobs).put(again);
    tx.afterCommit(() => {
      this.#log.warn('a job has failed, and is tried again', { ...fields, pauseMs: pause });
      this.#arrive(line, waitingOf(again));
    });
  }

  /** Records what became of a job. While the store refuses, the job keeps its place, and the record is tried again. */
  async #settle(fields: object, record: (tx: StoreTransaction) => Promise<void>): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        await this.#store.transaction(record);
        return;
      } catch (error) {
        this.#log.error('what became of a job could not be recorded', { ...fields, error });
      }
      if (this.#stopping.signal.aborted) return;
      await this.#clock.sleep(pause, this.#stopping.signal);
    }
  }
}

const keyOf = (queue: string, id: string): string => `${queue}/${id}`;

const waitingOf = ({ key, lane, dueAt, order, serial }: JobRecord): WaitingJob => ({ key, lane, dueAt, order, serial });
