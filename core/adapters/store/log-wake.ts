import type { Log } from '../../ports/log.js';

/** How often a standby looks for new lines and for the end of the lease. The log wakes it earlier. */
const POLL_MS = 200;
/** How often a standby asks again to be woken. */
const LISTEN_EVERY_MS = 5_000;

/** Waits as a standby until its log may have changed. */
export class LogWake {
  readonly #lines: Log;
  readonly #shard: string;
  #wake = () => {};
  #listenedAt = Number.NEGATIVE_INFINITY;

  constructor(lines: Log, shard: string) {
    [this.#lines, this.#shard] = [lines, shard];
  }

  /** Ends the wait. */
  wake(): void {
    this.#wake();
  }

  /** Waits until the log may have changed. */
  async next(): Promise<void> {
    const woken = new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#lines.listen && performance.now() - this.#listenedAt > LISTEN_EVERY_MS) {
      this.#listenedAt = performance.now();
      // Without it, the standby still looks at intervals.
      this.#lines
        .listen(this.#shard, () => this.#wake())
        .catch(() => {
          this.#listenedAt = Number.NEGATIVE_INFINITY;
        });
    }
    const timer = setTimeout(this.#wake, POLL_MS);
    await woken;
    clearTimeout(timer);
  }
}
