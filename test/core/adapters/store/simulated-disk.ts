import { basename, dirname } from 'node:path';
import type { Encryption } from '../../../../core/adapters/encryption/file-cipher.js';
import type { FileSystem, OpenFile } from '../../../../core/adapters/file-system.js';

interface Content {
  now: Buffer;
  durable: Buffer;
}

/** One operation on the disk. */
export interface DiskOperation {
  readonly name: 'create' | 'write' | 'sync' | 'truncate' | 'rename' | 'link' | 'remove' | 'syncFolder';
  readonly path: string;
}

/** Chooses an integer from 0 to `max`: how much of the unsynced data survives. */
export type Chance = (max: number) => number;

/** No unsynced data survives, as after a power cut. */
export const nothing: Chance = () => 0;
/** Everything survives, as when only the process is killed. */
export const everything: Chance = (max) => max;

/** The encryptions of a disk with which suites run. */
export const ENCRYPTIONS: Readonly<Record<'plain' | 'encrypted', Encryption | undefined>> = {
  plain: undefined,
  encrypted: { keys: [Buffer.alloc(32, 1)], isOn: true },
};
/** For checks of an encrypted disk. */
export const SECRET_KEYS: readonly string[] = ['01'.repeat(32)];

/** A disk that can be copied as a crash would leave it, and that fails on demand. */
export class SimulatedDisk implements FileSystem {
  /** Number of open files. */
  openFiles = 0;
  #names = new Map<string, Content>();
  #durableNames = new Map<string, Content>();
  /** Runs before each operation, which waits for it and fails with what it throws. */
  before: (operation: DiskOperation) => Promise<void> | void = () => {};
  /** How stores on this disk encrypt their files. */
  readonly encryption: Encryption | undefined;

  constructor(encryption?: Encryption) {
    this.encryption = encryption;
  }

  async open(path: string, how: 'read' | 'append' | 'create' | 'replace'): Promise<OpenFile> {
    const there = this.#names.get(path);
    if (how === 'read' && !there) throw failure('ENOENT', path);
    if (how === 'create' && there) throw failure('EEXIST', path);
    if (how !== 'read' && !there) await this.before({ name: 'create', path });
    const content = there ?? { now: Buffer.alloc(0), durable: Buffer.alloc(0) };
    if (how !== 'read') this.#names.set(path, content);
    if (how === 'replace') content.now = Buffer.alloc(0);
    this.openFiles++;
    return {
      read: async (into, position) => content.now.subarray(position, position + into.length).copy(into),
      write: async (bytes) => {
        const copy = Buffer.from(bytes);
        try {
          await this.before({ name: 'write', path });
        } catch (error) {
          // A full disk writes some of the bytes before it fails.
          const { written = 0 } = error as { written?: number };
          content.now = Buffer.concat([content.now, copy.subarray(0, written)]);
          throw error;
        }
        content.now = Buffer.concat([content.now, copy]);
      },
      truncate: async (size) => {
        await this.before({ name: 'truncate', path });
        content.now = content.now.subarray(0, size);
      },
      sync: async () => {
        const { now } = content;
        await this.before({ name: 'sync', path });
        content.durable = now;
      },
      close: async () => {
        this.openFiles--;
      },
    };
  }

  async rename(from: string, to: string): Promise<void> {
    await this.before({ name: 'rename', path: to });
    this.#names.set(to, this.#names.get(from)!);
    this.#names.delete(from);
  }

  async link(from: string, to: string): Promise<void> {
    await this.before({ name: 'link', path: to });
    this.#names.set(to, this.#names.get(from)!);
  }

  async remove(path: string): Promise<void> {
    await this.before({ name: 'remove', path });
    this.#names.delete(path);
  }

  async list(folder: string) {
    const here = [...this.#names].filter(([path]) => dirname(path) === folder);
    return here
      .map(([path, { now }]) => ({ name: basename(path), size: now.length, changedAt: new Date(0) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async listFolders(folder: string): Promise<string[]> {
    const below = [...this.#names.keys()].filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1));
    return [...new Set(below.filter((path) => path.includes('/')).map((path) => path.split('/')[0]!))].sort();
  }

  async touch(): Promise<void> {}

  async makeFolder(): Promise<void> {}

  async syncFolder(folder: string): Promise<void> {
    await this.before({ name: 'syncFolder', path: folder });
    for (const path of [...this.#durableNames.keys()])
      if (dirname(path) === folder && !this.#names.has(path)) this.#durableNames.delete(path);
    for (const [path, content] of this.#names) if (dirname(path) === folder) this.#durableNames.set(path, content);
  }

  /** The disk as the next process finds it. Lock files are left out, because the machine has restarted. */
  afterCrash(chance: Chance): SimulatedDisk {
    const next = new SimulatedDisk(this.encryption);
    for (const path of new Set([...this.#names.keys(), ...this.#durableNames.keys()])) {
      const [now, durable] = [this.#names.get(path), this.#durableNames.get(path)];
      const content = now === durable || chance(1) === 1 ? now : durable;
      if (content && !basename(path).startsWith('lock')) next.put(path, survivorOf(content, chance));
    }
    return next;
  }

  put(path: string, bytes: Uint8Array): void {
    const content = { now: Buffer.from(bytes), durable: Buffer.from(bytes) };
    this.#names.set(path, content);
    this.#durableNames.set(path, content);
  }

  read(path: string): Buffer {
    const content = this.#names.get(path);
    if (!content) throw failure('ENOENT', path);
    return content.now;
  }

  get files(): string[] {
    return [...this.#names.keys()].sort();
  }
}

/** An append survives up to some byte; a truncation survives or not. */
function survivorOf({ now, durable }: Content, chance: Chance): Buffer {
  if (now.length < durable.length) return chance(1) === 1 ? now : durable;
  return now.subarray(0, durable.length + chance(now.length - durable.length));
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
