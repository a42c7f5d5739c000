import { AsyncResource } from 'node:async_hooks';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { OutboxConsumer, OutboxEntry } from '../../ports/outbox.js';
import type { Lane, QueueDepth } from '../../ports/queue.js';
import { type StoreTransaction, StoreUnavailable } from '../../ports/store.js';
import type { WaitingJob } from '../queue/job-order.js';
import { delayAfter, isLane } from '../queue/job-record.js';
import { SteadyTime } from '../queue/steady-time.js';
import { WaitingJobs } from '../queue/waiting-jobs.js';
import { WakeTimer } from '../queue/wake-timer.js';
import type { Entries } from './entries.js';
import { type Entry, firstWaitOf, type Slot } from './entry.js';

export type Transact = <T>(work: (tx: StoreTransaction) => Promise<T> | T) => Promise<T>;

interface LotsOptions {
  readonly entries: Entries;
  readonly clock: Clock;
  readonly log: Logger;
  readonly transaction: Transact;
}

/** A delivery that the consumer works on. */
interface Running {
  readonly job: WaitingJob;
  readonly slot: Slot;
  /** Set when its slot is free again, although its outcome is not durable yet. */
  isReleased: boolean;
  isSent: boolean;
}

/** An attempt that has ended, and waits for the transaction that records it. */
interface Ended {
  readonly running: Running;
  readonly outcome: unknown;
}

type AnyConsumer = OutboxConsumer<OutboxEntry, unknown, unknown>;

/** Why a delivery is queued: the platform has started, or could not complete its attempt. */
interface Placing {
  readonly isRestart?: boolean;
  readonly againInMs?: number | undefined;
}

const STOP_LIMIT_MS = 10_000;
/** Maximum number of running deliveries per slot, with those that have released theirs. Bounds the attempts that a crash repeats. */
const RUNNING_PER_SLOT = 4;
const QUEUE = 'core.deliveries';
/** While the store cannot be used, the pauses between attempts to start grow up to that after so many failures. */
const MAX_PAUSE_FAILURES = 3;

/**
 * Hands out due deliveries to the consumer: many start in one transaction, and those that end in the same turn of the event loop are
 * settled in one.
 */
export class Lots {
  readonly #entries: Entries;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #transaction: Transact;
  readonly #time: SteadyTime;
  readonly #wake: WakeTimer;
  readonly #waiting = new WaitingJobs();
  readonly #lanes: Record<Lane, number> = { high: 0, default: 0, low: 0 };
  /** Consecutive failures of the platform by delivery: neither sent nor settled. */
  readonly #failures = new Map<string, number>();
  /** Work runs in this async context, not in that of the code that added a delivery. */
  readonly #scope = new AsyncResource('Outbox');
  #consumer: OutboxConsumer<OutboxEntry, unknown, unknown> | undefined;
  #ended: Ended[] = [];
  #whenIdle: (() => void)[] = [];
  /** Consecutive transactions that the store has refused. */
  #refusals = 0;
  /** Nothing starts before: a delivery would overtake an earlier one of its conversation, which the store has refused. */
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #isScheduled = false;
  #isSettlingScheduled = false;
  #running = 0;
  #started = false;
  #isStopping = false;
  #released = 0;

  constructor({ entries, clock, log, transaction }: LotsOptions) {
    this.#entries = entries;
    this.#clock = clock;
    this.#log = log;
    this.#transaction = transaction;
    this.#time = new SteadyTime(clock);
    this.#wake = new WakeTimer(clock, () => this.#work(this.#consumer!));
    // Without this, a delivery whose newest change the disk refuses would wait for the next start: the calls of `changed` for its
    // previous changes have found a newer state, and none follows for that one.
    entries.onWithdrawn = (slot, uuid) => this.changed(slot, slot.current, uuid);
  }

  set consumer(consumer: OutboxConsumer<OutboxEntry, unknown, unknown>) {
    if (this.#consumer) throw new Error('the outbox has a consumer');
    this.#consumer = consumer;
    this.#waiting.rules = consumer;
  }

  start(): void {
    this.#started = true;
    let unsent = 0;
    for (const entry of this.#entries.oldest({ outcomes: ['pending'] })) {
      this.#place(entry, { isRestart: true });
      if (!this.#sends(entry)) unsent++;
    }
    if (unsent > 0) this.#log.warn('deliveries are pending, but no plugin sends them; add the plugin that does', { deliveries: unsent });
    this.#schedule();
  }

  async stop(limitMs = STOP_LIMIT_MS): Promise<void> {
    this.#isStopping = true;
    this.#wake.cancel();
    if (this.#running === 0) return;
    let limit: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#whenIdle.push(resolve);
      limit = setTimeout(resolve, limitMs);
    });
    clearTimeout(limit);
    const deliveries = this.#running;
    if (deliveries > 0) this.#log.warn('deliveries were being sent when the platform stopped; they will be sent again', { deliveries });
  }

  depths(): QueueDepth[] {
    return this.#waiting.depths(QUEUE, this.#time.now(), this.#lanes);
  }

  due(limit: number): { readonly at: Date; readonly entry: OutboxEntry }[] {
    const ahead = this.#time.aheadMs;
    return this.#waiting.later(limit).flatMap(({ key, dueAt }) => {
      const entry = this.#entries.get(key);
      // Rounded up, because it is not due at the millisecond that a fraction rounds down to.
      return entry ? [{ at: new Date(Math.ceil(dueAt - ahead)), entry }] : [];
    });
  }

  /** Call when a change of a delivery is durable; `entry` is its state then, undefined when it was deleted. */
  changed(slot: Slot, entry: Entry | undefined, uuid: string): void {
    // Later transactions have changed it too: their own calls follow.
    if (!this.#started || slot.current !== entry) return;
    // Placed when the run ends.
    if (slot.running) return;
    // Its request has failed before the start was durable: it is queued with the pause before its repetition.
    if (entry?.record.state === 'sending' && this.#waiting.get(uuid)) return;
    if (entry) this.#place(entry);
    else this.#remove(uuid);
    this.#schedule();
  }

  #sends(entry: Entry): boolean {
    return this.#consumer?.sends?.(entry) ?? true;
  }

  /** Queues a delivery that is due now or later; removes any other from the queue. */
  #place(entry: Entry, why: Placing = {}): void {
    const { uuid, state, held_at: heldAt } = entry.record;
    const isPending = state === 'sending' || ((state === 'queued' || state === 'retry_wait') && heldAt === undefined);
    if (isPending && this.#sends(entry)) {
      const job = this.#jobOf(entry, why);
      const now = this.#time.now();
      if (job.dueAt <= now) this.#waiting.putDue(job, now);
      else this.#waiting.put(job);
    } else this.#remove(uuid);
  }

  #remove(uuid: string): void {
    this.#waiting.remove(uuid);
    if (this.#failures.size > 0) this.#failures.delete(uuid);
  }

  /**
   * First attempts of one conversation to one webhook run one after the other. Retries are outside this order, so that they block no
   * first attempt, and are urgent, because their window is limited.
   */
  #jobOf({ seq, record, attempts }: Entry, { isRestart = false, againInMs }: Placing): WaitingJob {
    const { uuid, webhook, lane, conversation } = record;
    const now = this.#clock.now().getTime();
    const waitMs = record.state === 'retry_wait' && record.due_at !== undefined ? Date.parse(record.due_at) - now : 0;
    // Even if the clock was set back, the wait after a restart is not longer than it was at first.
    const delayMs = againInMs ?? Math.max(0, isRestart ? Math.min(waitMs, firstWaitOf(record.due_at, attempts, this.#clock)) : waitMs);
    // In the order of creation, also after a pause or a restart. The clock may have been set back since then.
    const queuedAt = Math.min(now, Date.parse(record.redelivered_at ?? record.created_at));
    const isFirst = record.attempts === 0;
    return {
      key: uuid,
      lane: isLane(lane) ? lane : 'default',
      dueAt: (delayMs > 0 ? now + delayMs : queuedAt) + this.#time.aheadMs,
      delayed: delayMs > 0,
      order: seq,
      serial: isFirst && conversation !== undefined ? `${webhook}:${conversation}` : undefined,
      group: webhook,
      urgent: !isFirst,
    };
  }

  /** Starts a lot in a later turn, so that deliveries that become due in this turn share it. */
  #schedule(): void {
    if (this.#isScheduled || !this.#started || this.#isStopping || !this.#consumer) return;
    this.#isScheduled = true;
    this.#scope.runInAsyncScope(() => {
      void this.#clock.during(async () => {
        await new Promise(setImmediate);
        this.#isScheduled = false;
        this.#work(this.#consumer!);
      });
    });
  }

  #work(consumer: AnyConsumer): void {
    if (this.#isStopping) return;
    const now = this.#time.now();
    if (now < this.#pausedUntil) {
      this.#wake.at(this.#pausedUntil, now);
      return;
    }
    // Promotes deliveries even if no slot is free, so that the timer does not fire again for those that are already due.
    this.#waiting.promote(now);
    const max = consumer.concurrency;
    const lot: Running[] = [];
    while (this.#running - this.#released < max && this.#running < max * RUNNING_PER_SLOT) {
      const job = this.#waiting.take(now);
      if (!job) break;
      const slot = this.#entries.get(job.key)?.slot;
      if (!slot) {
        // Deleted, by a transaction that is not durable yet.
        this.#waiting.ended(job);
        continue;
      }
      const running = { job, slot, isReleased: false, isSent: false };
      this.#lanes[job.lane]++;
      this.#running++;
      slot.running = running;
      lot.push(running);
    }
    if (lot.length > 0) void this.#clock.during(() => this.#begin(consumer, lot, now));
    this.#wake.at(this.#waiting.nextDue, now);
  }

  /**
   * Commits the start of a lot, then sends its requests. These need not wait until the start is on disk, because a crash repeats attempts
   * without an end anyway.
   */
  async #begin(consumer: AnyConsumer, lot: readonly Running[], now: number): Promise<void> {
    let started: readonly unknown[] = [];
    const notSent: Running[] = [];
    const failed: { readonly running: Running; readonly error: Error }[] = [];
    try {
      await this.#transaction(async (tx) => {
        tx.acrossTenants?.();
        const due: { entry: Entry; waitedMs: number; running: Running }[] = [];
        for (const running of lot) {
          const entry = running.slot.current;
          if (entry) due.push({ entry, waitedMs: Math.max(0, now - (running.job.readyAt ?? now)), running });
        }
        started = await consumer.begin(tx, due);
        const send = () => {
          const sent = new Set<Running>();
          for (const [i, { running }] of due.entries()) {
            const attempt = started[i];
            if (attempt === undefined) continue;
            sent.add(running);
            if (attempt instanceof Error) failed.push({ running, error: attempt });
            else this.#send(consumer, running, attempt);
          }
          for (const running of lot) if (!sent.has(running)) notSent.push(running);
        };
        if (tx.onCommit) tx.onCommit(send);
        else tx.afterCommit(send);
      });
    } catch (error) {
      this.#fail(
        lot.filter(({ isSent }) => !isSent),
        error,
      );
      return;
    }
    this.#refusals = 0;
    for (const running of notSent) this.#end(running);
    for (const { running, error } of failed) this.#fail([running], error);
  }

  #send(consumer: AnyConsumer, running: Running, attempt: unknown): void {
    running.isSent = true;
    void this.#clock.during(() =>
      consumer.send(attempt).then(
        (outcome) => {
          this.#ended.push({ running, outcome });
          this.#scheduleSettling(consumer);
        },
        (error: unknown) => this.#fail([running], error),
      ),
    );
  }

  /** Settles what has ended in a later turn, so that the outcomes that arrive together share a transaction. */
  #scheduleSettling(consumer: AnyConsumer): void {
    if (this.#isSettlingScheduled) return;
    this.#isSettlingScheduled = true;
    this.#scope.runInAsyncScope(() => {
      void this.#clock.during(async () => {
        await new Promise(setImmediate);
        this.#isSettlingScheduled = false;
        await this.#settle(consumer, this.#ended.splice(0));
      });
    });
  }

  async #settle(consumer: AnyConsumer, lot: readonly Ended[]): Promise<void> {
    try {
      await this.#transaction(async (tx) => {
        tx.acrossTenants?.();
        for (const { outcome } of lot) {
          const settled = consumer.settle(tx, outcome);
          if (settled) await settled;
        }
        // Frees the slots before the disk has synced: the journal keeps the order of commits.
        const release = () => this.#release(lot);
        if (tx.onCommit) tx.onCommit(release);
        else tx.afterCommit(release);
      });
    } catch (error) {
      if (lot.length === 1 || error instanceof StoreUnavailable) {
        this.#fail(
          lot.map(({ running }) => running),
          error,
        );
      } else {
        // One of them failed, for example in a handler of a plugin. The others must not repeat because of it.
        for (const ended of lot) await this.#settle(consumer, [ended]);
      }
      return;
    }
    for (const { running } of lot) this.#end(running);
  }

  #release(lot: readonly Ended[]): void {
    for (const { running } of lot) {
      if (running.isReleased) continue;
      running.isReleased = true;
      this.#released++;
      this.#lanes[running.job.lane]--;
      this.#waiting.released(running.job);
    }
    this.#schedule();
  }

  /** Ends the run of a delivery, and queues it again if it is due again. */
  #end(running: Running, againInMs?: number): void {
    const { job, slot } = running;
    // Its send failed before the disk refused its start: it has ended already.
    if (slot.running !== running) return;
    slot.running = undefined;
    this.#running--;
    if (running.isReleased) this.#released--;
    else this.#lanes[job.lane]--;
    this.#waiting.ended(job);
    if (againInMs === undefined && this.#failures.size > 0) this.#failures.delete(job.key);
    const entry = slot.current;
    if (entry) this.#place(entry, { againInMs });
    else this.#remove(job.key);
    this.#schedule();
    if (this.#running === 0) for (const idle of this.#whenIdle.splice(0)) idle();
  }

  /** Repeats deliveries that the platform could not start, send or settle. This is not an attempt. */
  #fail(lot: readonly Running[], error: unknown): void {
    const pauseMs = error instanceof StoreUnavailable ? this.#pause() : undefined;
    for (const running of lot) {
      const { key, group } = running.job;
      if (running.slot.running !== running) continue;
      const failures = (this.#failures.get(key) ?? 0) + 1;
      if (pauseMs === undefined) this.#failures.set(key, failures);
      const againInMs = pauseMs ?? delayAfter(failures);
      if (!this.#isStopping) {
        this.#log.warn('the platform could not complete an attempt of a delivery, and will repeat it', {
          ...{ delivery_id: key, webhook_id: group, error },
          dueAt: new Date(this.#clock.now().getTime() + againInMs),
        });
      }
      // A delivery that the store has refused keeps its place in the order.
      this.#end(running, pauseMs === undefined ? againInMs : undefined);
    }
  }

  /** @returns the rest of the pause in milliseconds */
  #pause(): number {
    const now = this.#time.now();
    if (now >= this.#pausedUntil) this.#pausedUntil = now + delayAfter(Math.min(++this.#refusals, MAX_PAUSE_FAILURES));
    return this.#pausedUntil - now;
  }
}
