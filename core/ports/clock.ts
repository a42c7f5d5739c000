export interface Timer {
  cancel(): void;
}

/** Time comes through here, so that a test or the sandbox can hold it and push it. */
export interface Clock {
  now(): Date;
  /** Milliseconds that never go backwards; only differences mean anything. */
  monotonic(): number;
  /** Runs once, `ms` from now. */
  after(ms: number, run: () => void | Promise<void>): Timer;
  /** Resolves `ms` from now, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Says that work is going on: a manual clock does not move time on before it has ended. Returns what it is given. */
  during<T>(work: Promise<T>): Promise<T>;
}
