/** A scheduled callback. `cancel` after it has run does nothing. */
export interface Timer {
  cancel(): void;
}

/** The source of time for the whole platform, so that tests and the sandbox can stop and advance it. */
export interface Clock {
  now(): Date;
  /** Milliseconds that never go backwards. Use differences only: the start value is arbitrary. */
  monotonic(): number;
  /** Runs `run` once, at least `ms` from now and never before `after` has returned. A pending timer does not keep the process alive. */
  after(ms: number, run: () => void | Promise<void>): Timer;
  /** Resolves after `ms`, or immediately when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Marks `work` as in progress: a manual clock does not advance before the work ends, except while it sleeps. Wrap work that
   * leaves the process (a socket, a file, a worker) or that no caller awaits. Returns what `work` returns.
   */
  during<T>(work: () => Promise<T>): Promise<T>;
}
