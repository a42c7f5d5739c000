import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock, Timer } from '../ports/clock.js';

/** The start time of a manual clock, and how long it waits for work in progress. */
export interface ManualClockOptions {
  /** 2026-01-05T08:00:00Z if not given. */
  readonly start?: Date;
  /** Real milliseconds that work may stall before the clock advances without it; 1000 if not given. */
  readonly patienceMs?: number;
}

interface Pending {
  readonly due: number;
  readonly sequence: number;
  readonly run: () => void | Promise<void>;
}

/** Work in progress that the clock waits for. */
interface Activity {
  /** Sleeps and nested work in progress. While there are any, the clock waits for those instead of this activity. */
  inside: number;
  ended: boolean;
}

const DEFAULT_START = '2026-01-05T08:00:00Z';
/** Number of event-loop turns to wait for callbacks that the clock does not track. */
const TURNS = 4;
/** The wait is split, so that a stall of the whole process uses up one slice and not all of it. */
const PATIENCE_SLICES = 10;

/**
 * A clock that advances only when a test moves it. Timers run in the order of their due times, and the clock shows a timer's
 * due time while it runs. Before it advances, the clock waits for all work in progress: promises that timers returned or
 * that `during` received. It does not wait for work inside `sleep`, and waits at most `patienceMs` for work that stalls.
 */
export class ManualClock implements Clock {
  readonly #start: number;
  readonly #patienceMs: number;
  /** Pending timers, in the order in which they run. */
  readonly #timers: Pending[] = [];
  readonly #current = new AsyncLocalStorage<Activity>();
  readonly #active = new Set<Activity>();
  #changes = 0;
  #onChange: (() => void) | undefined;
  #failures: unknown[] = [];
  #elapsed = 0;
  #jumped = 0;
  #sequence = 0;
  #moves: Promise<unknown> = Promise.resolve();

  constructor({ start = new Date(DEFAULT_START), patienceMs = 1000 }: ManualClockOptions = {}) {
    this.#start = start.getTime();
    this.#patienceMs = patienceMs;
  }

  now(): Date {
    return this.#at(this.#elapsed);
  }

  monotonic(): number {
    return this.#elapsed;
  }

  after(ms: number, run: () => void | Promise<void>): Timer {
    if (Number.isNaN(ms)) throw new RangeError('a timer needs a number of milliseconds');
    const timer: Pending = { due: this.#elapsed + Math.max(ms, 0), sequence: this.#sequence++, run };
    this.#timers.splice(this.#placeOf(timer), 0, timer);
    this.#changed();
    return {
      cancel: () => {
        const place = this.#placeOf(timer);
        if (this.#timers[place] === timer) this.#timers.splice(place, 1);
      },
    };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const sleeper = this.#currentActivity();
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = () => {
        timer.cancel();
        signal?.removeEventListener('abort', wake);
        if (sleeper) this.#leave(sleeper);
        resolve();
      };
      if (sleeper) this.#enter(sleeper);
      const timer = this.after(ms, wake);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  during<T>(work: () => Promise<T>): Promise<T> {
    return this.#track(this.#currentActivity(), work);
  }

  /** Advances the clock by `ms` and runs the timers that become due. After all have run, rejects with the errors that they threw. */
  advance(ms: number): Promise<void> {
    return this.#move(() => {
      if (!(ms >= 0)) throw new RangeError('the clock only moves forward');
      return this.#elapsed + ms;
    });
  }

  /** Advances the clock to a date. */
  advanceTo(moment: Date): Promise<void> {
    return this.#move(() => {
      const until = moment.getTime() - this.#start - this.#jumped;
      if (!(until >= this.#elapsed)) throw new RangeError(`the clock only moves forward, and already shows ${this.now().toISOString()}`);
      return until;
    });
  }

  /** Advances the clock to the next timer and runs all that are due then. Resolves with that date; undefined if there is no timer. */
  async next(): Promise<Date | undefined> {
    const before = this.#elapsed;
    let due: number | undefined;
    await this.#move(() => {
      due = this.#timers[0]?.due;
      return due ?? before;
    });
    return due === undefined ? undefined : this.#at(due);
  }

  /** The due times of the pending timers. */
  pending(): Date[] {
    return this.#timers.map(({ due }) => this.#at(due));
  }

  /** Sets the wall clock forward or back, as an operator or a time server does. Timers keep their remaining time. */
  jump(ms: number): void {
    this.#jumped += ms;
  }

  #at(elapsed: number): Date {
    return new Date(this.#start + this.#jumped + elapsed);
  }

  /** The index of a timer among the pending ones, or where to insert it. */
  #placeOf({ due, sequence }: Pending): number {
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#timers[middle] as Pending;
      if (other.due < due || (other.due === due && other.sequence < sequence)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  async #move(target: () => number): Promise<void> {
    if (this.#currentActivity()) throw new Error('the clock cannot be moved from inside work that it waits for');
    const move = this.#moves.then(async () => {
      await this.#settled();
      const until = target();
      for (;;) {
        const due = this.#timers[0]?.due ?? Number.POSITIVE_INFINITY;
        if (due > until) break;
        this.#elapsed = Math.max(this.#elapsed, due);
        await this.#runDue();
        await this.#settled();
      }
      this.#elapsed = until;
      this.#throwFailures();
    });
    this.#moves = move.catch(() => {});
    await move;
  }

  async #runDue(): Promise<void> {
    for (let timer = this.#timers[0]; timer && timer.due <= this.#elapsed; timer = this.#timers[0]) {
      this.#timers.shift();
      const { run } = timer;
      this.#track(undefined, async () => run()).catch((error: unknown) => this.#failures.push(error));
      await turns();
    }
  }

  #throwFailures(): void {
    const failures = this.#failures;
    this.#failures = [];
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, `${failures.length} timers failed: ${failures.join('; ')}`);
  }

  /** Resolves when no work is in progress, or the work in progress has stalled for too long. */
  async #settled(): Promise<void> {
    for (;;) {
      const before = this.#changes;
      await turns();
      if (this.#changes !== before) continue;
      if (this.#active.size === 0) return;
      for (let slice = 0; slice < PATIENCE_SLICES && this.#changes === before; slice++)
        await this.#changeWithin(this.#patienceMs / PATIENCE_SLICES);
      // Stalled work is ignored until it continues, so that one dead socket costs the wait once and not at every timer.
      if (this.#changes === before) this.#active.clear();
    }
  }

  async #changeWithin(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const limit = setTimeout(resolve, ms);
      this.#onChange = () => {
        clearTimeout(limit);
        resolve();
      };
    });
    this.#onChange = undefined;
    // After a stall, the timeout fires before events that arrived in the meantime.
    await turns();
  }

  #currentActivity(): Activity | undefined {
    const activity = this.#current.getStore();
    return activity?.ended ? undefined : activity;
  }

  async #track<T>(parent: Activity | undefined, work: () => Promise<T>): Promise<T> {
    const activity: Activity = { inside: 0, ended: false };
    if (parent) this.#enter(parent);
    this.#active.add(activity);
    this.#changed();
    try {
      return await this.#current.run(activity, work);
    } finally {
      activity.ended = true;
      this.#active.delete(activity);
      if (parent) this.#leave(parent);
      this.#changed();
    }
  }

  #enter(activity: Activity): void {
    activity.inside++;
    this.#active.delete(activity);
    this.#changed();
  }

  #leave(activity: Activity): void {
    activity.inside--;
    if (activity.inside === 0 && !activity.ended) this.#active.add(activity);
    this.#changed();
  }

  #changed(): void {
    this.#changes++;
    this.#onChange?.();
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
}
