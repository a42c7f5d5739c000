import { join } from 'node:path';
import { type FileSystem, hasCode, type OpenFile } from '../../file-system.js';
import { type Contents, readContents } from '../files/contents-file.js';
import { fileMissing } from '../files/data-folder.js';

const MAX_TRIES = 20;

/** The segments of a journal, kept open: a platform that merges and deletes them meanwhile does not take them away. */
export class OpenSegments {
  /** In order. */
  readonly files = new Map<string, OpenFile>();
  readonly #fs: FileSystem;
  readonly #reading: FileSystem;
  readonly #folder: string;

  /** @param reading decrypts the contents */
  constructor(fs: FileSystem, reading: FileSystem, folder: string) {
    this.#fs = fs;
    this.#reading = reading;
    this.#folder = folder;
  }

  /** Opens the segments that were added since the last call. @throws DataDamaged */
  async follow(): Promise<Contents> {
    let missing: string | undefined;
    for (let tries = 1; ; tries++) {
      const contents = await readContents(this.#reading, this.#folder);
      const next = await this.#openNew(contents.segments);
      if (next === undefined) return contents;
      // It was merged after the contents were read. Contents that still list it are wrong.
      if (next === missing || tries === MAX_TRIES) throw fileMissing(this.#folder, next);
      missing = next;
    }
  }

  async close(): Promise<void> {
    for (const file of this.files.values()) await file.close();
    this.files.clear();
  }

  /** @returns the first that does not exist */
  async #openNew(names: readonly string[]): Promise<string | undefined> {
    for (const name of names) {
      if (this.files.has(name)) continue;
      try {
        this.files.set(name, await this.#fs.open(join(this.#folder, name), 'read'));
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return name;
        throw error;
      }
    }
    return undefined;
  }
}
