import type { Logger } from '../../ports/logger.js';

export interface SyncedMarkOptions {
  readonly everyMs: number;
  /** Writes down how far the journal is synced at this moment. */
  readonly write: () => Promise<void>;
  readonly log: Logger;
}

/**
 * Writes down from time to time how far the journal is synced, so that a file that is cut off later is told from a write that a
 * crash interrupted. Real time, at most once in `everyMs`; transactions do not wait for it.
 */
export class SyncedMark {
  readonly #options: SyncedMarkOptions;
  /** More was synced than is written down. */
  #hasMoved = false;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #hasFailed = false;

  constructor(options: SyncedMarkOptions) {
    this.#options = options;
  }

  /** More of the journal is synced. */
  moved(): void {
    this.#hasMoved = true;
    if (!this.#timer && !this.#writing) this.#timer = setTimeout(() => this.#write(), this.#options.everyMs).unref();
  }

  /** Writes what is not written down yet. */
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
      if (!this.#hasFailed) this.#options.log.warn('how far the journal is synced could not be written down; it is tried again', { error });
      this.#hasFailed = true;
      this.#hasMoved = true;
    }
  }
}
