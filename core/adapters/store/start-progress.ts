import type { Logger } from '../../ports/logger.js';

export interface StartProgressOptions {
  readonly log: Logger;
  readonly folder: string;
  /** Total size of the files that the start reads. */
  readonly totalBytes: number;
  /** Milliseconds of real time; only differences are used. */
  readonly now: () => number;
}

/** A faster start logs no progress. */
const FIRST_AFTER_MS = 1_000;
const EVERY_MS = 2_000;
const MIB = 1 << 20;

/** Logs the progress of a long start: after one second, then every two seconds, and at the end. */
export class StartProgress {
  readonly #options: StartProgressOptions;
  readonly #startedAt: number;
  #nextAt: number;
  #hasLogged = false;
  /** Bytes of the files that have been read completely. */
  #readBytes = 0;

  constructor(options: StartProgressOptions) {
    this.#options = options;
    this.#startedAt = options.now();
    this.#nextAt = this.#startedAt + FIRST_AFTER_MS;
  }

  /** Reports that `bytes` of a file have been read. */
  reading(file: string, bytes: number): void {
    const now = this.#dueAt();
    if (now === undefined) return;
    const { totalBytes } = this.#options;
    const read = Math.min(this.#readBytes + bytes, totalBytes);
    const percent = Math.floor((100 * read) / totalBytes);
    this.#log(now, `reading the data folder: ${percent} % of ${(totalBytes / MIB).toFixed(1)} MiB`, { file, percent });
  }

  /** Reports that a file of `bytes` has been read completely. */
  hasRead(bytes: number): void {
    this.#readBytes += bytes;
  }

  /** Reports that `done` of `total` documents of a collection are indexed. */
  indexing(collection: string, done: number, total: number): void {
    const now = this.#dueAt();
    if (now === undefined) return;
    const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
    this.#log(now, `building indexes: ${percent} % of ${total} documents`, { collection, percent });
  }

  /** Reports that everything is in memory. */
  end(documents: number): void {
    if (this.#hasLogged) this.#log(this.#options.now(), 'the data folder was read', { documents });
  }

  #dueAt(): number | undefined {
    const now = this.#options.now();
    return now < this.#nextAt ? undefined : now;
  }

  #log(now: number, message: string, fields: Readonly<Record<string, string | number>>): void {
    const { log, folder } = this.#options;
    this.#hasLogged = true;
    this.#nextAt = now + EVERY_MS;
    log.info(message, { folder, ...fields, elapsedMs: Math.round(now - this.#startedAt) });
  }
}
