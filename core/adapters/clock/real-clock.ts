import type { Clock, Timer } from '../../ports/clock.js';

/** The maximum delay of setTimeout; with a longer one it fires immediately. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export interface RealClockOptions {
  /** Receives errors from timer callbacks, which no caller awaits. */
  readonly onError: (error: unknown) => void;
}

/** The system clock. Its timers do not keep the process alive. */
export class RealClock implements Clock {
  readonly #onError: (error: unknown) => void;

  constructor({ onError }: RealClockOptions) {
    this.#onError = onError;
  }

  now(): Date {
    return new Date();
  }

  monotonic(): number {
    return performance.now();
  }

  after(ms: number, run: () => void | Promise<void>): Timer {
    return this.#wait(ms, async () => {
      try {
        await run();
      } catch (error) {
        this.#onError(error);
      }
    });
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = this.#wait(ms, () => {
        signal?.removeEventListener('abort', wake);
        resolve();
      });
      const wake = () => {
        timer.cancel();
        resolve();
      };
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  during<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  #wait(ms: number, run: () => void): Timer {
    if (Number.isNaN(ms)) throw new RangeError('a timer needs a number of milliseconds');
    const due = this.monotonic() + ms;
    let timeout: NodeJS.Timeout;
    const arm = (remainingMs: number) => {
      timeout = setTimeout(fire, Math.min(Math.max(remainingMs, 0), MAX_TIMEOUT_MS)).unref();
    };
    // setTimeout counts whole milliseconds of the event loop's time, so it can fire slightly early.
    const fire = () => {
      const remainingMs = due - this.monotonic();
      if (remainingMs > 0) arm(Math.ceil(remainingMs));
      else run();
    };
    arm(ms);
    return { cancel: () => clearTimeout(timeout) };
  }
}
