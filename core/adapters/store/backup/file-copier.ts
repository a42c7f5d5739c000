import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { chunksOf, type FileSystem, hasCode, type OpenFile, readChunks, TEMPORARY } from '../../file-system.js';
import type { SnapshotPart } from '../files/part-file.js';
import { hex } from '../files/sealed.js';

/** A copy cannot be made: a file cannot be read or written, or a folder is not suitable. The message says what to do. */
export class CopyFailed extends Error {
  override readonly name = 'CopyFailed';
}

export interface FileCopierOptions {
  readonly fs: FileSystem;
  /** Decrypts the files, which are copied as they are on the disk. */
  readonly reading: FileSystem;
  readonly from: string;
  readonly to: string;
  /** A complete copy on the same disk as `to`, whose unchanged files are linked instead of copied. */
  readonly earlier: string | undefined;
  /** Called with the size of what was copied, linked or found in place. */
  readonly onBytes: (bytes: number) => void;
}

/** Recognizes the content of a file that never changes. */
export interface Recognizer {
  add(bytes: Buffer): void;
  isRight(): boolean;
}

export function recognizePart({ bytes, checksum }: Pick<SnapshotPart, 'bytes' | 'checksum'>): Recognizer {
  let [size, crc] = [0, 0];
  return {
    add(chunk) {
      size += chunk.length;
      crc = crc32(chunk, crc);
    },
    isRight: () => size === bytes && hex(crc) === checksum,
  };
}

export function recognizeSha256(sha256: string): Recognizer {
  const hash = createHash('sha256');
  return { add: (chunk) => void hash.update(chunk), isRight: () => hash.digest('hex') === sha256 };
}

/** Disks without hard links, and files that have too many or belong to another user, answer so. */
const NO_LINK: readonly string[] = ['EPERM', 'EXDEV', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL'];

/**
 * Copies files of one folder to another, durably except for their names, which `syncFolders` makes durable. Never writes to an
 * existing file, because earlier copies may share it.
 */
export class FileCopier {
  copiedBytes = 0;
  linkedBytes = 0;
  readonly #options: FileCopierOptions;
  readonly #folders = new Set<string>();

  constructor(options: FileCopierOptions) {
    this.#options = options;
  }

  /** Copies a file as it is now. @returns false if it does not exist */
  async copy(name: string): Promise<boolean> {
    try {
      await this.#write(name, this.#source(name));
      return true;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return false;
      throw error;
    }
  }

  /** Copies an open file, up to `size`. */
  async copyOpen(name: string, file: OpenFile, size: number): Promise<void> {
    await this.#write(name, upTo(size, chunksOf(file)));
  }

  /** Keeps the file of an interrupted run, links that of the earlier copy, or copies it: the first with the right content. */
  async bring(name: string, recognizer: () => Recognizer): Promise<'done' | 'missing' | 'damaged'> {
    const { fs, to, earlier, onBytes } = this.#options;
    const target = join(to, name);
    const kept = await this.#sizeIfRight(target, recognizer());
    if (kept !== undefined) {
      await sync(fs, target);
      this.#folders.add(dirname(target));
      onBytes(kept);
      return 'done';
    }
    const linkable = earlier === undefined ? undefined : await this.#sizeIfRight(join(earlier, name), recognizer());
    if (linkable !== undefined && (await this.#link(join(earlier!, name), target))) {
      this.linkedBytes += linkable;
      onBytes(linkable);
      return 'done';
    }
    if (!(await this.copy(name))) return 'missing';
    const size = await this.#sizeIf(target, recognizer()).catch((error: unknown) => {
      throw unreadable(target, error);
    });
    if (size !== undefined) return 'done';
    await fs.remove(target);
    return 'damaged';
  }

  /** Makes the names of all files durable. */
  async syncFolders(): Promise<void> {
    const { fs, to } = this.#options;
    for (let folder of this.#folders) {
      for (; folder.length > to.length; folder = dirname(folder)) await fs.syncFolder(folder);
    }
    await fs.syncFolder(to);
    await fs.syncFolder(dirname(to));
  }

  async *#source(name: string): AsyncGenerator<Buffer, void> {
    const path = join(this.#options.from, name);
    try {
      yield* readChunks(this.#options.fs, path);
    } catch (error) {
      throw hasCode(error, 'ENOENT') ? error : unreadable(path, error);
    }
  }

  async #write(name: string, chunks: AsyncIterable<Buffer>): Promise<void> {
    const { fs, to, onBytes } = this.#options;
    const path = join(to, name);
    const temporary = `${path}${TEMPORARY}`;
    await this.#makeFolder(dirname(path));
    const file = await written(path, fs.open(temporary, 'replace'));
    try {
      for await (const bytes of chunks) {
        await written(path, file.write(bytes));
        this.copiedBytes += bytes.length;
        onBytes(bytes.length);
      }
      await written(path, file.sync());
    } finally {
      await file.close();
    }
    await written(path, fs.rename(temporary, path));
  }

  async #link(from: string, to: string): Promise<boolean> {
    const { fs } = this.#options;
    await this.#makeFolder(dirname(to));
    await fs.remove(to);
    try {
      await fs.link(from, to);
      return true;
    } catch (error) {
      if (NO_LINK.some((code) => hasCode(error, code))) return false;
      throw unwritable(to, error);
    }
  }

  /** @returns undefined if there is no such file, or with another content; also if it cannot be read, as there is another way to get it */
  async #sizeIfRight(path: string, recognizer: Recognizer): Promise<number | undefined> {
    return this.#sizeIf(path, recognizer).catch(() => undefined);
  }

  /** @returns undefined if the file has another content */
  async #sizeIf(path: string, recognizer: Recognizer): Promise<number | undefined> {
    let size = 0;
    for await (const chunk of readChunks(this.#options.reading, path)) {
      recognizer.add(chunk);
      size += chunk.length;
    }
    return recognizer.isRight() ? size : undefined;
  }

  async #makeFolder(folder: string): Promise<void> {
    if (this.#folders.has(folder)) return;
    await written(folder, this.#options.fs.makeFolder(folder));
    this.#folders.add(folder);
  }
}

async function sync(fs: FileSystem, path: string): Promise<void> {
  const file = await fs.open(path, 'read');
  await written(path, file.sync()).finally(() => file.close());
}

async function* upTo(size: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let rest = size;
  for await (const chunk of chunks) {
    if (rest > 0) yield chunk.subarray(0, rest);
    rest -= chunk.length;
    if (rest <= 0) return;
  }
}

const written = <T>(path: string, work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw unwritable(path, error);
  });

function unwritable(path: string, error: unknown): CopyFailed {
  const isFull = hasCode(error, 'ENOSPC') || hasCode(error, 'EDQUOT');
  const advice = isFull ? 'The disk is full: free space, for example by deleting the oldest backups' : 'Fix this, or choose another folder';
  return new CopyFailed(`${path} cannot be written: ${reasonOf(error)}. ${advice}, and run the command again: it continues`, {
    cause: error,
  });
}

export function unreadable(path: string, error: unknown): CopyFailed {
  const isForbidden = hasCode(error, 'EACCES') || hasCode(error, 'EPERM');
  const advice = isForbidden ? 'Run the command as the user of the platform' : 'Look at the disk, and run the command again';
  return new CopyFailed(`${path} cannot be read: ${reasonOf(error)}. ${advice}`, { cause: error });
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message.replace(/, \w+( '.*)?$/, '') : String(error));
