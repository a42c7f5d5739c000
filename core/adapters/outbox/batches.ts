import { AsyncResource } from 'node:async_hooks';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { OutboxEntry } from '../../ports/outbox.js';
import type { QueueDepth } from '../../ports/queue.js';
import { isPending, runSteps, wait } from '../../ports/steps.js';
import { type StoreTransaction, StoreUnavailable } from '../../ports/store.js';
import { delayAfter } from '../queue/job-record.js';
import { WakeTimer } from '../queue/wake-timer.js';
import type { Entries } from './entries.js';
import type { Entry, Slot } from './entry.js';
import { type AnyConsumer, PendingDeliveries } from './pending-deliveries.js';
import { RunningDeliveries, type RunningDelivery } from './running-deliveries.js';

export type Transact = <T>(work: (tx: StoreTransaction) => Promise<T> | T) => Promise<T>;

interface BatchesOptions {
  readonly entries: Entries;
  readonly clock: Clock;
  readonly log: Logger;
  readonly transaction: Transact;
}

/** An attempt that has ended, and waits for the transaction that records it. */
interface EndedAttempt {
  readonly running: RunningDelivery;
  readonly outcome: unknown;
}

/** The changes that one transaction of the outbox records. */
interface Batch {
  readonly ended: readonly EndedAttempt[];
  readonly starting: readonly RunningDelivery[];
  /** Milliseconds of the clock that never goes back. */
  readonly now: number;
}

const STOP_LIMIT_MS = 10_000;
const QUEUE = 'core.deliveries';
/** While the store cannot be used, the pauses between attempts to start grow up to that after so many failures. */
const MAX_PAUSE_FAILURES = 3;

/**
 * Hands out due deliveries to the consumer: many start in one transaction, and those that end in the same turn of the event loop are
 * settled in one.
 */
export class Batches {
  readonly #entries: Entries;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #transaction: Transact;
  readonly #wake: WakeTimer;
  readonly #pending: PendingDeliveries;
  readonly #running = new RunningDeliveries();
  /** Consecutive failures of the platform by delivery: neither sent nor settled. */
  readonly #failures = new Map<string, number>();
  /** Work runs in this async context, not in that of the code that added a delivery. */
  readonly #scope = new AsyncResource('Outbox');
  #consumer: AnyConsumer | undefined;
  #ended: EndedAttempt[] = [];
  /** Consecutive transactions that the store has refused. */
  #refusals = 0;
  /** Nothing starts before: a delivery would overtake an earlier one of its conversation, which the store has refused. */
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #isScheduled = false;
  #isSettlingScheduled = false;
  #isStarted = false;
  #isStopping = false;

  constructor({ entries, clock, log, transaction }: BatchesOptions) {
    this.#entries = entries;
    this.#clock = clock;
    this.#log = log;
    this.#transaction = transaction;
    this.#pending = new PendingDeliveries(entries, clock);
    this.#wake = new WakeTimer(clock, () => this.#work(this.#consumer!));
    // Without this, a delivery whose newest change the disk refuses would wait for the next start: the calls of `changed` for its
    // previous changes have found a newer state, and none follows for that one.
    entries.onWithdrawn = (slot, uuid) => this.changed(slot, slot.current, uuid);
  }

  set consumer(consumer: AnyConsumer) {
    if (this.#consumer) throw new Error('the outbox has a consumer');
    this.#consumer = consumer;
    this.#pending.consumer = consumer;
  }

  start(): void {
    this.#isStarted = true;
    let unsent = 0;
    for (const entry of this.#entries.oldest({ outcomes: ['pending'] })) {
      this.#pending.place(entry, { isRestart: true });
      if (!this.#pending.sends(entry)) unsent++;
    }
    if (unsent > 0) this.#log.warn('deliveries are pending, but no plugin sends them; add the plugin that does', { deliveries: unsent });
    this.#schedule();
  }

  async stop(limitMs = STOP_LIMIT_MS): Promise<void> {
    this.#isStopping = true;
    this.#wake.cancel();
    await this.#running.idle(limitMs);
    const deliveries = this.#running.count;
    if (deliveries > 0) this.#log.warn('deliveries were being sent when the platform stopped; they will be sent again', { deliveries });
  }

  depths(): QueueDepth[] {
    return this.#pending.depths(QUEUE, this.#pending.now(), this.#running.lanes);
  }

  due(limit: number): { readonly at: Date; readonly entry: OutboxEntry }[] {
    return this.#pending.due(limit);
  }

  blocked(destination: string): { readonly conversations: number; readonly deliveries: number } {
    const { keys, jobs } = this.#pending.blocked(destination);
    return { conversations: keys, deliveries: jobs };
  }

  /** Call when a change of a delivery is durable; `entry` is its state then, undefined when it was deleted. */
  changed(slot: Slot, entry: Entry | undefined, uuid: string): void {
    // Later transactions have changed it too: their own calls follow.
    if (!this.#isStarted || slot.current !== entry) return;
    // Placed when the run ends.
    if (this.#running.get(uuid)) return;
    // Its request has failed before the start was durable: it is queued with the pause before its repetition.
    if (entry?.record.state === 'sending' && this.#pending.get(uuid)) return;
    if (entry) this.#place(entry);
    else this.#remove(uuid);
    this.#schedule();
  }

  /** Queues a delivery if it is pending; removes it from the queue otherwise. */
  #place(entry: Entry, againInMs?: number): void {
    if (!this.#pending.place(entry, { againInMs })) this.#failures.delete(entry.record.uuid);
  }

  #remove(uuid: string): void {
    this.#pending.remove(uuid);
    this.#failures.delete(uuid);
  }

  /** Starts a batch in a later turn, so that deliveries that become due in this turn share it. */
  #schedule(): void {
    if (this.#isScheduled || !this.#isStarted || this.#isStopping || !this.#consumer) return;
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
    const now = this.#pending.now();
    const starting = this.#take(consumer, now);
    if (starting.length > 0) void this.#clock.during(() => this.#commit(consumer, { ended: [], starting, now }));
    if (!this.#isStopping) this.#wake.at(now < this.#pausedUntil ? this.#pausedUntil : this.#pending.nextDue, now);
  }

  /** Takes due deliveries from the queue for as many slots as are free. */
  #take(consumer: AnyConsumer, now: number): RunningDelivery[] {
    const taken: RunningDelivery[] = [];
    if (this.#isStopping || now < this.#pausedUntil) return taken;
    // Promotes deliveries even if no slot is free, so that the timer does not fire again for those that are already due.
    this.#pending.promote(now);
    while (this.#running.hasRoom(consumer.concurrency)) {
      const job = this.#pending.take(now);
      if (!job) break;
      const slot = this.#entries.get(job.key)?.slot;
      // Without one it was deleted, by a transaction that is not durable yet.
      if (slot) taken.push(this.#running.begin(job, slot));
      else this.#pending.ended(job);
    }
    return taken;
  }

  /**
   * Settles attempts that have ended and starts others, in one transaction: the next delivery of a conversation starts with the outcome of
   * the previous one. The requests are sent at the commit. They need not wait for the disk, because a crash repeats attempts without an
   * end anyway.
   */
  async #commit(consumer: AnyConsumer, { ended, starting, now }: Batch): Promise<void> {
    let started: readonly unknown[] = [];
    const notSent: RunningDelivery[] = [];
    const failed: { readonly running: RunningDelivery; readonly error: Error }[] = [];
    const sendOne = (running: RunningDelivery, attempt: unknown) => this.#send(consumer, running, attempt);
    try {
      const work = function* (tx: StoreTransaction) {
        tx.acrossTenants?.();
        for (const { outcome } of ended) {
          const settled = consumer.settle(tx, outcome);
          if (isPending(settled)) yield settled;
        }
        if (starting.length === 0) return;
        const due: { entry: Entry; waitedMs: number; running: RunningDelivery }[] = [];
        for (const running of starting) {
          const entry = running.slot.current;
          if (entry) due.push({ entry, waitedMs: Math.max(0, now - (running.job.readyAt ?? now)), running });
        }
        started = yield* wait(consumer.begin(tx, due));
        const send = () => {
          const sent = new Set<RunningDelivery>();
          for (const [i, { running }] of due.entries()) {
            const attempt = started[i];
            if (attempt === undefined) continue;
            sent.add(running);
            if (attempt instanceof Error) failed.push({ running, error: attempt });
            else sendOne(running, attempt);
          }
          for (const running of starting) if (!sent.has(running)) notSent.push(running);
        };
        if (tx.onCommit) tx.onCommit(send);
        else tx.afterCommit(send);
      };
      await this.#transaction((tx) => runSteps(work(tx)));
    } catch (error) {
      await this.#refused(consumer, { ended, starting: starting.filter(({ isSent }) => !isSent), now }, error);
      return;
    }
    if (starting.length > 0) this.#refusals = 0;
    for (const { running } of ended) this.#end(running);
    for (const running of notSent) this.#end(running);
    for (const { running, error } of failed) this.#fail([running], error);
  }

  /** Repeats what a transaction could not record: each on its own if one of them may be the reason, so that the others do not repeat. */
  async #refused(consumer: AnyConsumer, { ended, starting, now }: Batch, error: unknown): Promise<void> {
    if (error instanceof StoreUnavailable || ended.length + starting.length <= 1) {
      this.#fail([...ended.map(({ running }) => running), ...starting], error);
      return;
    }
    for (const one of ended) await this.#commit(consumer, { ended: [one], starting: [], now });
    for (const one of starting) await this.#commit(consumer, { ended: [], starting: [one], now });
  }

  #send(consumer: AnyConsumer, running: RunningDelivery, attempt: unknown): void {
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
        const ended = this.#ended.splice(0);
        for (const { running } of ended) this.#release(running);
        const now = this.#pending.now();
        await this.#commit(consumer, { ended, starting: this.#take(consumer, now), now });
      });
    });
  }

  /**
   * Makes way for others before its outcome is on disk: the journal keeps the order of commits. Those of its conversation wait until it has
   * ended if their order is strict, because it may be retried.
   */
  #release(running: RunningDelivery): void {
    this.#running.release(running);
    if (running.job.strict) this.#pending.released(running.job);
    else this.#pending.ended(running.job);
  }

  /** Ends the run of a delivery, and queues it again if it is due again. */
  #end(running: RunningDelivery, againInMs?: number): void {
    const { job } = running;
    // Its send failed before the disk refused its start: it has ended already.
    if (this.#running.get(job.key) !== running) return;
    this.#running.end(running);
    if (!running.isReleased || job.strict) this.#pending.ended(job);
    if (againInMs === undefined) this.#failures.delete(job.key);
    const entry = this.#entries.get(job.key);
    if (entry) this.#place(entry, againInMs);
    else this.#remove(job.key);
    this.#schedule();
  }

  /** Repeats deliveries that the platform could not start, send or settle. This is not an attempt. */
  #fail(batch: readonly RunningDelivery[], error: unknown): void {
    const pauseMs = error instanceof StoreUnavailable ? this.#pause() : undefined;
    for (const running of batch) {
      const { key, group } = running.job;
      if (this.#running.get(key) !== running) continue;
      const failures = (this.#failures.get(key) ?? 0) + 1;
      if (pauseMs === undefined) this.#failures.set(key, failures);
      const againInMs = pauseMs ?? delayAfter(failures);
      if (!this.#isStopping) {
        this.#log.warn('the platform could not complete an attempt of a delivery, and will repeat it', {
          delivery_id: key,
          webhook_id: group,
          error,
          dueAt: new Date(this.#clock.now().getTime() + againInMs),
        });
      }
      // A delivery that the store has refused keeps its place in the order.
      this.#end(running, pauseMs === undefined ? againInMs : undefined);
    }
  }

  /** @returns the rest of the pause in milliseconds */
  #pause(): number {
    const now = this.#pending.now();
    if (now >= this.#pausedUntil) this.#pausedUntil = now + delayAfter(Math.min(++this.#refusals, MAX_PAUSE_FAILURES));
    return this.#pausedUntil - now;
  }
}
