import type { Clock } from '../../ports/clock.js';
import type { OutboxConsumer, OutboxEntry } from '../../ports/outbox.js';
import type { WaitingJob } from '../queue/job-order.js';
import { isLane } from '../queue/job-record.js';
import { SteadyTime } from '../queue/steady-time.js';
import { WaitingJobs } from '../queue/waiting-jobs.js';
import type { Entries } from './entries.js';
import { type Entry, firstWaitOf } from './entry.js';

export type AnyConsumer = OutboxConsumer<OutboxEntry, unknown, unknown>;

/** Why a delivery is queued: the platform has started, or could not complete its attempt. */
interface Placing {
  readonly isRestart?: boolean;
  readonly againInMs?: number | undefined;
}

/** The deliveries that are due now or later, in the order in which their attempts start. */
export class PendingDeliveries extends WaitingJobs {
  readonly #entries: Entries;
  readonly #clock: Clock;
  readonly #time: SteadyTime;
  #consumer: AnyConsumer | undefined;

  constructor(entries: Entries, clock: Clock) {
    super();
    this.#entries = entries;
    this.#clock = clock;
    this.#time = new SteadyTime(clock);
  }

  /** Set once, before the first delivery is queued. */
  set consumer(consumer: AnyConsumer) {
    this.#consumer = consumer;
    this.rules = consumer;
  }

  /** Milliseconds of a clock that never goes back. */
  now(): number {
    return this.#time.now();
  }

  sends(entry: Entry): boolean {
    return this.#consumer?.sends?.(entry) ?? true;
  }

  /** Queues a delivery that is due now or later; removes any other from the queue. @returns whether it is queued */
  place(entry: Entry, why: Placing = {}): boolean {
    const { uuid, state, held_at: heldAt } = entry.record;
    const isPending = state === 'sending' || ((state === 'queued' || state === 'retry_wait') && heldAt === undefined);
    if (!isPending || !this.sends(entry)) {
      this.remove(uuid);
      return false;
    }
    const job = this.#jobOf(entry, why);
    const now = this.#time.now();
    if (job.dueAt <= now) this.putDue(job, now);
    else this.put(job);
    return true;
  }

  /** The deliveries that become due first, by due time. */
  due(limit: number): { readonly at: Date; readonly entry: Entry }[] {
    const ahead = this.#time.aheadMs;
    return this.later(limit).flatMap(({ key, dueAt }) => {
      const entry = this.#entries.get(key);
      // Rounded up, because it is not due at the millisecond that a fraction rounds down to.
      return entry ? [{ at: new Date(Math.ceil(dueAt - ahead)), entry }] : [];
    });
  }

  /**
   * First attempts of one conversation to one webhook run one after the other. Retries are outside this order unless it is strict, so that
   * they block no first attempt, and are urgent, because their window is limited.
   */
  #jobOf({ seq, record, attempts }: Entry, { isRestart = false, againInMs }: Placing): WaitingJob {
    const { uuid, webhook, lane, conversation } = record;
    const strict = record.order === 'strict';
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
      serial: (isFirst || strict) && conversation !== undefined ? `${webhook}:${conversation}` : undefined,
      strict,
      group: webhook,
      urgent: !isFirst,
    };
  }
}
