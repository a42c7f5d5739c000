import type { Clock, Timer } from '../../ports/clock.js';

/**
 * Timers of which nearly all are cancelled, such as the limits of requests. Those of one length form a line that is in
 * order by itself, and only the first of a line has a timer of the clock.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #lines = new Map<number, TimerList>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `expire` once, `ms` from now and never earlier, unless it is cancelled. */
  set(ms: number, expire: () => void): Timer {
    let line = this.#lines.get(ms);
    if (!line) {
      this.#sweep();
      line = new TimerList(this.#clock);
      this.#lines.set(ms, line);
    }
    return line.join(this.#clock.monotonic() + ms, expire);
  }

  #sweep(): void {
    if (this.#lines.size < MAX_LINES) return;
    for (const [ms, line] of this.#lines) if (line.isEmpty) this.#lines.delete(ms);
  }
}

/** Lines kept for lengths that nobody waits for at the moment. */
const MAX_LINES = 32;

class TimerList {
  readonly #clock: Clock;
  /** Before the first and after the last. */
  readonly #end: Waiting = new Waiting(this, Number.POSITIVE_INFINITY, () => {});
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#end.next === this.#end;
  }

  join(due: number, expire: () => void): Timer {
    const waiting = new Waiting(this, due, expire);
    waiting.previous = this.#end.previous;
    waiting.next = this.#end;
    this.#end.previous.next = waiting;
    this.#end.previous = waiting;
    if (!this.#timer) this.#wait();
    return waiting;
  }

  /** When others are left, the timer stays as it is and finds the next one when it fires. */
  left(): void {
    if (!this.isEmpty) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #wait(): void {
    this.#timer = this.#clock.after(this.#end.next.due - this.#clock.monotonic(), () => this.#expire());
  }

  #expire(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (let first = this.#end.next; first.due <= now; first = this.#end.next) {
      first.unlink();
      first.expire();
    }
    if (!this.isEmpty && !this.#timer) this.#wait();
  }
}

class Waiting implements Timer {
  readonly due: number;
  readonly expire: () => void;
  readonly #line: TimerList;
  previous: Waiting = this;
  next: Waiting = this;

  constructor(line: TimerList, due: number, expire: () => void) {
    this.#line = line;
    this.due = due;
    this.expire = expire;
  }

  cancel(): void {
    if (this.next === this) return;
    this.unlink();
    this.#line.left();
  }

  unlink(): void {
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.next = this;
    this.previous = this;
  }
}
