import { basename } from 'node:path';
import { LOG_BLOCK_BYTES, type LogFile, type LogFiles, LogUnreachable } from '../../ports/log.js';
import { StoreUnavailable } from '../../ports/store.js';
import type { FileSystem, ListedFile, OpenFile } from '../file-system.js';

export interface LogFolderOptions {
  readonly files: LogFiles;
  readonly shard: string;
  /** Identifies the new files of a merge. */
  readonly writer?: string;
}

/** Bytes that are read at a time. */
const READ_BYTES = 1 << 20;

/** The files of a snapshot in a log as a folder. Its changes are here only, until they are published as another snapshot. */
export class LogFolder implements FileSystem {
  readonly #options: LogFolderOptions;
  readonly #files = new Map<string, LogFile>();
  /** By the id of each new file, the number of its blocks. */
  readonly #added = new Map<string, number>();

  constructor(options: LogFolderOptions) {
    this.#options = options;
  }

  get files(): readonly LogFile[] {
    return [...this.#files.values()];
  }

  /** The new files among `files`, with the number of their blocks. */
  get added(): ReadonlyMap<string, number> {
    return new Map(this.files.flatMap(({ id }) => (this.#added.has(id) ? [[id, this.#added.get(id)!]] : [])));
  }

  /** Adds the files of a snapshot, and removes all others but those that the caller keeps. */
  show(files: readonly LogFile[], keeps: (name: string) => boolean = () => false): void {
    const names = new Set(files.map(({ name }) => name));
    for (const name of this.#files.keys()) if (!names.has(name) && !keeps(name)) this.#files.delete(name);
    for (const file of files) this.#files.set(file.name, file);
  }

  async open(path: string, how: 'read' | 'append' | 'create' | 'replace'): Promise<OpenFile> {
    const name = basename(path);
    if (how === 'replace') return this.#create(name);
    if (how !== 'read') throw unsupported();
    const file = this.#files.get(name);
    if (!file) throw Object.assign(new Error(`the snapshot has no file ${path}`), { code: 'ENOENT' });
    return { ...noWrites, read: (into, position) => this.#read(file, into, position) };
  }

  async rename(from: string, to: string): Promise<void> {
    const file = this.#files.get(basename(from))!;
    this.#files.delete(file.name);
    this.#files.set(basename(to), { ...file, name: basename(to) });
  }

  async remove(path: string): Promise<void> {
    this.#files.delete(basename(path));
  }

  async list(): Promise<readonly ListedFile[]> {
    return this.files.map(({ name, bytes }) => ({ name, size: bytes, changedAt: NEVER })).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async syncFolder(): Promise<void> {}

  async link(): Promise<void> {
    throw unsupported();
  }

  async touch(): Promise<void> {
    throw unsupported();
  }

  async listFolders(): Promise<readonly string[]> {
    throw unsupported();
  }

  async makeFolder(): Promise<void> {
    throw unsupported();
  }

  async #read({ id, bytes }: LogFile, into: Uint8Array, position: number): Promise<number> {
    const wanted = Math.min(into.length, READ_BYTES, bytes - position);
    if (wanted <= 0) return 0;
    const { files, shard } = this.#options;
    try {
      const found = await files.read(shard, id, position, wanted);
      into.set(found);
      return found.length;
    } catch (error) {
      throw error instanceof LogUnreachable ? new StoreUnavailable(error.message, { cause: error }) : error;
    }
  }

  #create(name: string): OpenFile {
    const { files, shard, writer } = this.#options;
    const id = `${writer}.${this.#added.size + 1}`;
    const block = Buffer.allocUnsafeSlow(LOG_BLOCK_BYTES);
    let [blocks, size] = [0, 0];
    this.#added.set(id, 0);
    const flush = async (end: number): Promise<void> => {
      await files.write(shard, id, blocks++, block.subarray(0, end));
      this.#added.set(id, blocks);
    };
    return {
      ...noWrites,
      write: async (bytes) => {
        for (let at = 0; at < bytes.length; ) {
          const start = size % LOG_BLOCK_BYTES;
          const copied = Math.min(LOG_BLOCK_BYTES - start, bytes.length - at);
          block.set(bytes.subarray(at, at + copied), start);
          [at, size] = [at + copied, size + copied];
          if (size % LOG_BLOCK_BYTES === 0) await flush(LOG_BLOCK_BYTES);
        }
      },
      sync: async () => {
        if (size % LOG_BLOCK_BYTES > 0) await flush(size % LOG_BLOCK_BYTES);
        this.#files.set(name, { name, id, bytes: size });
      },
    };
  }
}

const NEVER = new Date(0);
const unsupported = (): Error => new Error('a snapshot of a log has no such file operation');

const noWrites: OpenFile = {
  read: async () => 0,
  write: () => Promise.reject(unsupported()),
  truncate: () => Promise.reject(unsupported()),
  sync: async () => undefined,
  close: async () => undefined,
};
