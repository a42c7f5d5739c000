import { basename, dirname } from 'node:path';
import type { FileSystem, OpenFile } from '../../core/adapters/file-system.js';
import type { Process } from './process.js';
import type { Random } from './random.js';
import type { World } from './world.js';

/** How the disk treats operations, also while a fault lasts. */
export interface DiskState {
  /** Milliseconds of an operation. */
  latencyMs: { min: number; max: number };
  /** The share of operations that fail, and with what. */
  failing: { readonly probability: number; readonly code: 'EIO' | 'ENOSPC' } | undefined;
}

/** That of a fast disk. */
export const usualLatency = { min: 0.02, max: 0.3 };

/** The content of a file. Bytes from `synced` on may be lost when the power fails. */
class Content {
  bytes = Buffer.alloc(256);
  size = 0;
  synced = 0;
  /** The content before it became shorter, which a power failure may bring back until the next sync. */
  longer: Buffer<ArrayBuffer> | undefined;
  /** A write that has not ended. */
  writing: Buffer | undefined;

  append(added: Uint8Array): void {
    if (this.size + added.length > this.bytes.length) {
      const larger = Buffer.alloc(Math.max(2 * this.bytes.length, this.size + added.length));
      this.bytes.copy(larger, 0, 0, this.size);
      this.bytes = larger;
    }
    this.bytes.set(added, this.size);
    this.size += added.length;
  }

  truncate(size: number): void {
    if (size >= this.size) return;
    if (size < this.synced) this.longer = Buffer.from(this.bytes.subarray(0, this.size));
    this.size = size;
    this.synced = Math.min(this.synced, size);
  }

  sync(size: number): void {
    this.synced = Math.max(this.synced, Math.min(size, this.size));
    this.longer = undefined;
  }

  get all(): Buffer {
    return this.bytes.subarray(0, this.size);
  }
}

/** `power`: what was not synced may be lost, in any order. `process`: the operating system continues, and keeps everything. */
export type Crash = 'power' | 'process';

/**
 * The disk of a machine. Operations take simulated time and happen at its end; a crash in between leaves a part of a write, or nothing. Creations, renames
 * and removals become durable when their folder is synced; before that a power failure keeps any of them.
 */
export class Disk {
  readonly state: DiskState = { latencyMs: usualLatency, failing: undefined };
  /** Whether an append is durable when it ends, as on Linux. */
  readonly appendsDurably: boolean;
  readonly #world: World;
  readonly #random: Random;
  #names = new Map<string, Content>();
  #durableNames = new Map<string, Content>();
  /** Names that were set or removed since their folder was synced. */
  #changedNames = new Set<string>();
  #times = new Map<string, number>();
  /** Runs during one of the next operations that change something. */
  #strike: { operations: number; readonly what: string | undefined; readonly run: () => void } | undefined;

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
    this.appendsDurably = random.chance(0.5);
  }

  /** The disk as a process uses it. */
  fileSystem(process: Process): FileSystem {
    const io = (what: string, path: string, apply: () => void = () => undefined) => this.#operate(process, what, path, apply);
    return {
      open: async (path, how) => {
        await io(`open ${how}`, path);
        return this.#open(path, how, io);
      },
      rename: (from, to) =>
        io('rename', to, () => {
          const content = this.#names.get(from);
          if (!content) throw failure('ENOENT', from);
          this.#name(to, content);
          this.#name(from, undefined);
          this.#times.set(to, this.#world.now);
        }),
      link: (from, to) =>
        io('link', to, () => {
          const content = this.#names.get(from);
          if (!content) throw failure('ENOENT', from);
          this.#name(to, content);
        }),
      remove: (path) => io('remove', path, () => this.#name(path, undefined)),
      touch: (path) => io('touch', path, () => void this.#times.set(path, this.#world.now)),
      list: async (folder) => {
        await io('list', folder);
        const here = [...this.#names].filter(([path]) => dirname(path) === folder);
        const changed = (path: string) => new Date(this.#times.get(path) ?? 0);
        return here
          .map(([path, { size }]) => ({ name: basename(path), size, changedAt: changed(path) }))
          .sort((a, b) => (a.name < b.name ? -1 : 1));
      },
      listFolders: async (folder) => {
        await io('list', folder);
        const below = [...this.#names.keys()].flatMap((path) => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : []));
        return [...new Set(below.flatMap((path) => (path.includes('/') ? [path.split('/')[0]!] : [])))].sort();
      },
      makeFolder: (path) => io('makeFolder', path),
      syncFolder: (folder) =>
        io('syncFolder', folder, () => {
          for (const path of this.#changedNames) {
            if (dirname(path) !== folder) continue;
            const content = this.#names.get(path);
            if (content) this.#durableNames.set(path, content);
            else this.#durableNames.delete(path);
            this.#changedNames.delete(path);
          }
        }),
    };
  }

  /** Gives a file a name, or removes the name. */
  #name(path: string, content: Content | undefined): void {
    if (content) this.#names.set(path, content);
    else this.#names.delete(path);
    this.#changedNames.add(path);
  }

  /** Runs a function in the middle of an operation that changes something, after some others. @param what only operations of this kind count */
  strikeAfter(operations: number, run: () => void, what?: 'remove'): void {
    this.#strike = { operations, what, run };
  }

  /** Nothing runs any more in the middle of an operation. */
  strikeNoMore(): void {
    this.#strike = undefined;
  }

  /** Changes the disk to the one that the next process finds. The lock of the folder is gone, as after a restart of the machine. */
  crash(how: Crash): void {
    for (const content of new Set([...this.#names.values(), ...this.#durableNames.values()])) this.#cut(content, how);
    const survivors = new Map<string, Content>();
    for (const path of new Set([...this.#names.keys(), ...this.#durableNames.keys()])) {
      const [now, durable] = [this.#names.get(path), this.#durableNames.get(path)];
      const content = how === 'process' || now === durable || this.#random.chance(0.5) ? now : durable;
      if (content && !basename(path).startsWith('lock')) survivors.set(path, content);
    }
    this.#changedNames = new Set([...this.#names.keys(), ...this.#durableNames.keys()]);
    this.#names = survivors;
    if (how === 'power') this.#durableNames = new Map(survivors);
    this.state.failing = undefined;
    this.#strike = undefined;
  }

  /** Changes one bit of a file, as hardware does. @returns the file; undefined if no file has content */
  rot(): string | undefined {
    const files = [...this.#names].filter(([, { size }]) => size > 0);
    if (files.length === 0) return undefined;
    const [path, content] = this.#random.pick(files);
    const at = this.#random.below(content.size);
    content.bytes.writeUInt8(content.bytes.readUInt8(at) ^ (1 << this.#random.below(8)), at);
    return path;
  }

  /** The files and their sizes. */
  get files(): readonly { readonly path: string; readonly size: number }[] {
    return [...this.#names].map(([path, { size }]) => ({ path, size }));
  }

  /** Leaves what a crash leaves of a file: some of the bytes of a write in progress, and after a power failure some of those that were not synced. */
  #cut(content: Content, how: Crash): void {
    if (content.writing) content.append(content.writing.subarray(0, this.#random.below(content.writing.length + 1)));
    content.writing = undefined;
    if (how === 'process') return;
    if (content.longer && this.#random.chance(0.5)) {
      content.bytes = content.longer;
      content.size = content.longer.length;
    }
    content.size = content.synced + this.#random.below(Math.max(content.size - content.synced, 0) + 1);
    content.synced = content.size;
    content.longer = undefined;
  }

  #open(
    path: string,
    how: 'read' | 'append' | 'create' | 'replace',
    io: (what: string, path: string, apply?: () => void) => Promise<void>,
  ): OpenFile {
    const there = this.#names.get(path);
    if (how === 'read' && !there) throw failure('ENOENT', path);
    if (how === 'create' && there) throw failure('EEXIST', path);
    const content = there ?? new Content();
    if (how !== 'read') {
      this.#name(path, content);
      this.#times.set(path, this.#world.now);
    }
    if (how === 'replace') content.truncate(0);
    const isDurable = how === 'append' && this.appendsDurably;
    return {
      writesDurably: isDurable,
      read: async (into, position) => {
        await io('read', path);
        return content.all.copy(into, 0, position, position + into.length);
      },
      write: async (bytes) => {
        content.writing = Buffer.from(bytes);
        try {
          await io('write', path);
        } catch (error) {
          // A full disk writes some of the bytes before it fails.
          content.append(content.writing.subarray(0, this.#random.below(content.writing.length)));
          content.writing = undefined;
          throw error;
        }
        content.append(content.writing);
        content.writing = undefined;
        if (isDurable) content.sync(content.size);
      },
      truncate: (size) => io('truncate', path, () => content.truncate(size)),
      sync: () => {
        const { size } = content;
        return io('sync', path, () => content.sync(size));
      },
      close: async () => undefined,
    };
  }

  async #operate(process: Process, what: string, path: string, apply: () => void): Promise<void> {
    const { latencyMs, failing } = this.state;
    const fails = failing && what !== 'read' && what !== 'open read' && this.#random.chance(failing.probability);
    const ms = this.#random.between(latencyMs.min, latencyMs.max);
    const isReading = what === 'read' || what === 'open read' || what === 'list';
    const counts = this.#strike && !isReading && (this.#strike.what ?? what) === what;
    if (this.#strike && counts && this.#strike.operations-- <= 0) {
      this.#world.schedule(this.#world.outside, ms * this.#random.unit(), this.#strike.run);
      this.#strike = undefined;
    }
    await new Promise<void>((resolve, reject) => {
      this.#world.schedule(process, ms, () => {
        this.#world.trace(what, path);
        if (fails) return reject(failure(failing.code, path));
        try {
          apply();
          resolve();
        } catch (error) {
          reject(error);
        }
      });
    });
  }
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
