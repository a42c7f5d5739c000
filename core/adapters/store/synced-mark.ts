import type { Logger } from '../../ports/logger.js';

export interface SyncedMarkOptions {
  readonly everyMs: number;
  /** Records how far the journal is currently synced. */
  readonly write: () => Promise<void>;
  readonly log: Logger;
}

/**
 * Periodically records how far the journal is synced. A start uses that to tell a truncated file from a write that a crash
 * interrupted. Runs in real time, at most once in `everyMs`; transactions do not wait for it.
 */
export class SyncedMark {
  readonly #options: SyncedMarkOptions;
  /** The journal was synced further than recorded. */
  #hasMoved = false;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #hasFailed = false;

  constructor(options: SyncedMarkOptions) {
    this.#options = options;
  }

  /** Call when the journal has been synced further. */
  moved(): void {
    this.#hasMoved = true;
    if (!this.#timer && !this.#writing) this.#timer = setTimeout(() => this.#write(), this.#options.everyMs).unref();
  }

  /** Records the current position if it has changed. */
  async stop(): Promise<void> {
    await this.#writing;
    if (this.#hasMoved) await this.#write();
    clearTimeout(this.#timer);
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#hasMoved = false;
    this.#writing = this.#tryToWrite().finally(() => {
      this.#writing = undefined;
      if (this.#hasMoved) this.moved();
    });
    return this.#writing;
  }

  async #tryToWrite(): Promise<void> {
    try {
      await this.#options.write();
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#options.log.warn('recording how far the journal is synced failed; the store will retry', { error });
      this.#hasFailed = true;
      this.#hasMoved = true;
    }
  }
}
