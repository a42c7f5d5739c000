/** Something that will run; cancelling it once it has run changes nothing. */
export interface Timer {
  cancel(): void;
}

/** Time comes through here, so that a test or the sandbox can hold it and push it. */
export interface Clock {
  now(): Date;
  /** Milliseconds that never go backwards; only differences mean anything. */
  monotonic(): number;
  /** Runs once, `ms` from now and never earlier; never before `after` has returned. A pending timer does not keep a process alive. */
  after(ms: number, run: () => void | Promise<void>): Timer;
  /** Resolves `ms` from now, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Says that work is going on: a manual clock does not move time on before it has ended, unless it sleeps. Wrap what
   * reaches outside the process (a socket, a file, a worker) and what nobody waits for. Returns what the work returns.
   */
  during<T>(work: () => Promise<T>): Promise<T>;
}
