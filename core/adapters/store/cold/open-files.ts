import type { FileSystem, OpenFile } from '../../file-system.js';
import { UsedLately } from './used-lately.js';

/** Files that stay open after a read: opening and closing one costs more than reading a block. */
const MAX_OPEN = 64;

interface Opened {
  readonly file: Promise<OpenFile>;
  readers: number;
  isDue: boolean;
}

/** Reads from files, and keeps those read lately open. */
export class OpenFiles {
  readonly #fs: FileSystem;
  readonly #opened = new UsedLately<Opened>(MAX_OPEN, (opened) => this.#end(opened));
  readonly #closing = new Set<Promise<void>>();

  constructor(fs: FileSystem) {
    this.#fs = fs;
  }

  /** Fills a buffer from a position. @returns its part up to the end of the file @throws ENOENT */
  async read(path: string, position: number, into: Buffer): Promise<Buffer> {
    const opened = this.#opened.get(path) ?? this.#open(path);
    opened.readers++;
    try {
      const file = await opened.file;
      let size = 0;
      for (let read = -1; read !== 0 && size < into.length; size += read) read = await file.read(into.subarray(size), position + size);
      return into.subarray(0, size);
    } finally {
      opened.readers--;
      if (opened.isDue) this.#end(opened);
    }
  }

  /** Closes a file, after the reads in progress. */
  close(path: string): void {
    this.#opened.delete(path);
  }

  /** Closes all files. */
  async stop(): Promise<void> {
    this.#opened.clear();
    await Promise.all(this.#closing);
  }

  #open(path: string): Opened {
    const opened: Opened = { file: this.#fs.open(path, 'read'), readers: 0, isDue: false };
    this.#opened.set(path, opened, 1);
    // The read that waits for it fails too.
    opened.file.catch(() => this.#opened.get(path) === opened && this.#opened.delete(path));
    return opened;
  }

  #end(opened: Opened): void {
    opened.isDue = true;
    if (opened.readers > 0) return;
    const closing = opened.file
      .then((file) => file.close())
      // Nothing was written, so there is nothing to lose.
      .catch(() => undefined)
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
