import type { Clock, Timer, TimerLabel } from '../../ports/clock.js';
import { RealClock } from './real-clock.js';
import { turns, WorkInProgress } from './work-in-progress.js';

/** The start time of a manual clock, and how long it waits for work in progress. */
export interface ManualClockOptions {
  /** 2026-01-05T08:00:00Z if not given. */
  readonly start?: Date;
  /** Real milliseconds that work may stall before the clock advances without it; 1000 if not given. */
  readonly patienceMs?: number;
  /**
   * Whether the deadlines of requests that leave the process use real time, so that a request to a server that does not respond times out
   * while the clock is paused. Default: they use this clock.
   */
  readonly hasRealRequests?: boolean;
  /** Called before each move, and after `pause` and `resume`, with the pace and the time from then on. */
  readonly onChange?: (setting: ClockSetting) => void;
  /** Receives errors of timers. If not given, the next move rejects with them. */
  readonly onError?: (error: unknown) => void;
}

/** Continues a clock in another process. A paused clock stores its time, a running one its offset from the system clock. */
export type ClockSetting = { readonly paused: true; readonly now: string } | { readonly paused: false; readonly offsetMs: number };

/** A timer with a label, or a noted expiry. */
export interface LabelledTime {
  readonly at: Date;
  readonly label: TimerLabel;
}

interface Pending {
  readonly due: number;
  readonly sequence: number;
  readonly run: () => void | Promise<void>;
  readonly label: TimerLabel | undefined;
}

const DEFAULT_START = '2026-01-05T08:00:00Z';
/** The maximum delay of setTimeout; with a longer one it fires immediately. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
/** The system clock and the monotonic clock differ by less than this in where a millisecond begins. */
const PHASE_MS = 2;
/** Noted expiries beyond this number replace those that are furthest in the future. */
const MAX_EXPIRIES = 1_000;

/**
 * A clock that advances only when it is moved, until `resume` lets it follow real time. Timers run in the order of their due times, and
 * a paused clock shows a timer's due time while it runs. Before it advances, the clock waits for all work in progress: promises that
 * timers returned or that `during` received. It does not wait for work inside `sleep`, and waits at most `patienceMs` for work that stalls.
 */
export class ManualClock implements Clock {
  readonly #start: number;
  readonly #work: WorkInProgress;
  readonly #onChange: (setting: ClockSetting) => void;
  readonly #onError: ((error: unknown) => void) | undefined;
  /** Pending timers, in the order in which they run. */
  readonly #timers: Pending[] = [];
  /** Noted expiries, in the order of their times. */
  #expiries: LabelledTime[] = [];
  #failures: unknown[] = [];
  /** Monotonic milliseconds; while the clock runs, those of when it was started. */
  #elapsed = 0;
  #jumped = 0;
  /** Set while the clock follows real time: when that began, and the distance to the system clock. */
  #running: { readonly since: number; readonly offsetMs: number } | undefined;
  /** The pace outside moves; a move stops the clock. */
  #isPaused = true;
  #isMoving = false;
  #hasRun = false;
  #timeout: NodeJS.Timeout | undefined;
  #sequence = 0;
  #moves: Promise<unknown> = Promise.resolve();
  readonly ofRequests: Clock | undefined;

  constructor({
    start = new Date(DEFAULT_START),
    patienceMs = 1000,
    hasRealRequests = false,
    onChange = () => undefined,
    onError,
  }: ManualClockOptions = {}) {
    this.#start = start.getTime();
    this.#work = new WorkInProgress(patienceMs);
    this.#onChange = onChange;
    this.#onError = onError;
    this.ofRequests = hasRealRequests ? realTimeFor(this, (error) => this.#failed(error)) : undefined;
  }

  now(): Date {
    return this.#running ? new Date(Date.now() + this.#running.offsetMs) : this.#at(this.#elapsed);
  }

  monotonic(): number {
    return this.#running ? this.#elapsed + performance.now() - this.#running.since : this.#elapsed;
  }

  after(ms: number, run: () => void | Promise<void>, label?: TimerLabel): Timer {
    if (Number.isNaN(ms)) throw new RangeError('a timer needs a number of milliseconds');
    const timer: Pending = { due: this.monotonic() + Math.max(ms, 0), sequence: this.#sequence++, run, label };
    const place = this.#placeOf(timer);
    this.#timers.splice(place, 0, timer);
    if (place === 0) this.#arm();
    this.#work.changed();
    return {
      cancel: () => {
        const place = this.#placeOf(timer);
        if (this.#timers[place] === timer) this.#timers.splice(place, 1);
      },
    };
  }

  sleep(ms: number, signal?: AbortSignal, label?: TimerLabel): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    const wakes = this.#work.sleeps();
    return new Promise((resolve) => {
      const wake = () => {
        timer.cancel();
        signal?.removeEventListener('abort', wake);
        wakes?.();
        resolve();
      };
      const timer = this.after(ms, wake, label);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  during<T>(work: () => Promise<T>): Promise<T> {
    return this.#running ? this.#work.untraced(work) : this.#work.during(work);
  }

  noteExpiry(at: Date, label: TimerLabel): void {
    this.#forgetExpired();
    const place = this.#expiries.findLastIndex((one) => one.at <= at) + 1;
    this.#expiries.splice(place, 0, { at, label });
    if (this.#expiries.length > MAX_EXPIRIES) this.#expiries.pop();
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
    let due: number | undefined;
    await this.#move(() => {
      due = this.#timers[0]?.due;
      return due ?? this.#elapsed;
    });
    return due === undefined ? undefined : this.#at(due);
  }

  /** Whether the clock advances only when it is moved. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Lets the clock follow real time from the time that it shows. After a move in progress, if there is one. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    if (!this.#isMoving) this.#run(this.now().getTime() - Date.now());
    this.#onChange(this.setting());
  }

  /** Stops the clock at the time that it shows. */
  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#freeze();
    this.#onChange(this.setting());
  }

  /** The pace, and the time or the distance to the system clock, for a clock that continues this one. */
  setting(): ClockSetting {
    const now = this.now();
    return this.#isPaused
      ? { paused: true, now: now.toISOString() }
      : { paused: false, offsetMs: this.#running?.offsetMs ?? now.getTime() - Date.now() };
  }

  /** The due times of the pending timers. */
  pending(): Date[] {
    const ahead = this.now().getTime() - this.monotonic();
    return this.#timers.map(({ due }) => new Date(ahead + due));
  }

  /** The pending timers that have a label, and the noted expiries, in the order of their times. */
  labelled(): LabelledTime[] {
    this.#forgetExpired();
    const ahead = this.now().getTime() - this.monotonic();
    const timers = this.#timers.flatMap(({ due, label }) => (label ? [{ at: new Date(ahead + due), label }] : []));
    return [...timers, ...this.#expiries].sort((a, b) => a.at.getTime() - b.at.getTime());
  }

  /** Sets the wall clock forward or back, as an operator or a time server does. Timers keep their remaining time. */
  jump(ms: number): void {
    this.#jumped += ms;
    if (this.#running) this.#running = { ...this.#running, offsetMs: this.#running.offsetMs + ms };
  }

  #at(elapsed: number): Date {
    return new Date(this.#start + this.#jumped + elapsed);
  }

  #run(offsetMs: number): void {
    this.#hasRun = true;
    this.#running = { since: performance.now(), offsetMs };
    this.#arm();
  }

  #freeze(): void {
    if (!this.#running) return;
    const now = this.now().getTime();
    // Whole milliseconds, so that a paused clock shows exactly the time of its setting.
    this.#elapsed = Math.ceil(this.monotonic());
    this.#running = undefined;
    this.#jumped = now - this.#start - this.#elapsed;
    clearTimeout(this.#timeout);
  }

  /** While the clock runs: waits in real time for the first timer. */
  #arm(): void {
    const [first] = this.#timers;
    if (!this.#running || !first) return;
    clearTimeout(this.#timeout);
    // setTimeout counts whole milliseconds of the event loop's time, so it can fire slightly early.
    const waitMs = Math.ceil(Math.max(0, first.due - this.monotonic()));
    this.#timeout = setTimeout(() => this.#fire(), Math.min(waitMs, MAX_TIMEOUT_MS)).unref();
  }

  #fire(): void {
    for (let [timer] = this.#timers; this.#running && timer && timer.due <= this.monotonic(); [timer] = this.#timers) {
      this.#timers.shift();
      const { run } = timer;
      this.#work.untraced(async () => run()).catch((error: unknown) => this.#failed(error));
    }
    this.#arm();
  }

  #failed(error: unknown): void {
    if (this.#onError) this.#onError(error);
    else this.#failures.push(error);
  }

  #forgetExpired(): void {
    const now = this.now();
    const expired = this.#expiries.findLastIndex(({ at }) => at <= now) + 1;
    if (expired > 0) this.#expiries = this.#expiries.slice(expired);
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
    if (this.#work.isInside) throw new Error('the clock cannot be moved from inside work that it waits for');
    const move = this.#moves.then(() => this.#moveNow(target));
    this.#moves = move.catch(() => {});
    await move;
  }

  async #moveNow(target: () => number): Promise<void> {
    await this.#work.settled();
    // A running clock is frozen during its move: it shows the due time of each timer, as a paused one does.
    const before = { at: Date.now(), since: performance.now() };
    // Timers set while the clock ran are not due at whole milliseconds of the time that it shows.
    const phaseMs = this.#hasRun ? PHASE_MS : 0;
    this.#freeze();
    this.#isMoving = true;
    try {
      const until = target();
      this.#onChange(this.#settingAt(until, before.at));
      for (;;) {
        const due = this.#timers[0]?.due ?? Number.POSITIVE_INFINITY;
        if (due > until + phaseMs) break;
        this.#elapsed = Math.max(this.#elapsed, this.#hasRun ? Math.ceil(due) : due);
        await this.#runDue();
        await this.#work.settled();
      }
      this.#elapsed = Math.max(this.#elapsed, until);
    } finally {
      this.#isMoving = false;
      if (!this.#isPaused) {
        const offsetMs = this.#at(this.#elapsed).getTime() - before.at;
        this.#elapsed += performance.now() - before.since;
        this.#run(offsetMs);
      }
    }
    this.#throwFailures();
  }

  #settingAt(elapsed: number, systemMs: number): ClockSetting {
    const now = this.#at(elapsed);
    return this.#isPaused ? { paused: true, now: now.toISOString() } : { paused: false, offsetMs: now.getTime() - systemMs };
  }

  async #runDue(): Promise<void> {
    for (let timer = this.#timers[0]; timer && timer.due <= this.#elapsed; timer = this.#timers[0]) {
      this.#timers.shift();
      const { run } = timer;
      this.#work.alone(async () => run()).catch((error: unknown) => this.#failed(error));
      await turns();
    }
  }

  #throwFailures(): void {
    const failures = this.#failures;
    this.#failures = [];
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, `${failures.length} timers failed: ${failures.join('; ')}`);
  }
}

/** Real time for requests. The manual clock still waits for them. */
function realTimeFor(manual: Pick<Clock, 'during'>, onError: (error: unknown) => void): Clock {
  const real = new RealClock({ onError });
  return {
    now: () => real.now(),
    monotonic: () => real.monotonic(),
    after: (ms, run) => real.after(ms, run),
    sleep: (ms, signal) => real.sleep(ms, signal),
    during: (work) => manual.during(work),
  };
}
