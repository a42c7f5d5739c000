/** A scheduled callback. `cancel` after it has run does nothing. */
export interface Timer {
  cancel(): void;
}

/** Describes a timer. Only a clock that people move shows it. */
export interface TimerLabel {
  /** A short name of the kind of timer, such as `retry` or `media_link`. */
  readonly kind: string;
  /** The id of the record that the timer is about. */
  readonly id?: string | undefined;
  /** Names the consequence, such as `retry 2 of delivery 01a2…`. */
  readonly title: string;
}

/** The source of time for the whole platform, so that tests and the sandbox can stop and advance it. */
export interface Clock {
  /** The time of the platform, which may jump: tests, the sandbox and the system set it. */
  now(): Date;
  /** Milliseconds that never go backwards. Use differences only: the start value is arbitrary. */
  monotonic(): number;
  /** Runs `run` once, at least `ms` from now and never before `after` has returned. A pending timer does not keep the process alive. */
  after(ms: number, run: () => void | Promise<void>, label?: TimerLabel): Timer;
  /** Resolves after `ms`, or immediately when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal, label?: TimerLabel): Promise<void>;
  /**
   * Marks `work` as in progress: a manual clock does not advance before the work ends, except while it sleeps. Wrap work that
   * leaves the process (a socket, a file, a worker) or that no caller awaits. Returns what `work` returns.
   */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Notes that something expires at a time without a timer, such as a signed link. Clocks that people cannot move lack this method. */
  noteExpiry?(at: Date, label: TimerLabel): void;
  /**
   * The clock for the deadlines and durations of requests that leave the process, if this one can be paused: a request to a server that
   * does not respond must time out while the clock is paused. The clock itself if not given.
   */
  readonly ofRequests?: Clock | undefined;
}
