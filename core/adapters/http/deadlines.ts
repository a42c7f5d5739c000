import type { Clock, Timer } from '../../ports/clock.js';

/**
 * Timers that are nearly always cancelled, such as request deadlines. Timers of equal length form a list that is sorted by
 * construction; only the first of each list uses a timer of the clock.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #lists = new Map<number, TimerList>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `expire` once, at least `ms` from now, unless cancelled. */
  set(ms: number, expire: () => void): Timer {
    let list = this.#lists.get(ms);
    if (!list) {
      this.#sweep();
      list = new TimerList(this.#clock);
      this.#lists.set(ms, list);
    }
    return list.join(this.#clock.monotonic() + ms, expire);
  }

  #sweep(): void {
    if (this.#lists.size < MAX_LISTS) return;
    for (const [ms, list] of this.#lists) if (list.isEmpty) this.#lists.delete(ms);
  }
}

/** Empty lists are removed beyond this number. */
const MAX_LISTS = 32;

class TimerList {
  readonly #clock: Clock;
  /** Sentinel of the list. */
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

  /** If other entries remain, the timer stays set and continues with the next entry when it fires. */
  onLeave(): void {
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
  readonly #list: TimerList;
  previous: Waiting = this;
  next: Waiting = this;

  constructor(list: TimerList, due: number, expire: () => void) {
    this.#list = list;
    this.due = due;
    this.expire = expire;
  }

  cancel(): void {
    if (this.next === this) return;
    this.unlink();
    this.#list.onLeave();
  }

  unlink(): void {
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.next = this;
    this.previous = this;
  }
}
