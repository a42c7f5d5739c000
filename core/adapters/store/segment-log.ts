import { join } from 'node:path';
import type { Appended, Lease, Log, LogLines, LogPosition } from '../../ports/log.js';
import type { FileSystem, OpenFile } from '../file-system.js';
import type { Synced } from './files/contents-file.js';
import { DataDamaged } from './files/data-damaged.js';
import { FolderInUse, lockFolder } from './files/folder-lock.js';
import { firstTxOf, segmentName } from './files/journal-file.js';
import { readLines } from './files/read-lines.js';
import { unseal } from './files/sealed.js';

/** A journal segment that receives no more writes. */
export interface SealedSegment {
  readonly name: string;
  readonly size: number;
}

export interface SegmentLogOptions {
  readonly fs: FileSystem;
  readonly folder: string;
  readonly onSealed?: (segment: SealedSegment) => void;
  /** Called before the first write to a segment; the write waits for it. */
  readonly onSegmentStarted?: (name: string) => Promise<void>;
  /** Real milliseconds between checks that the lock is still that of this process. */
  readonly lockBeatMs?: number;
}

/** A file has one shard, which its lock gives to one process at a time. It needs no epochs. */
const LEASE: Lease = { shard: 'main', epoch: 1 };

/** A log in a data folder: segment files, and a lock file. The folder has one shard. */
export class SegmentLog implements Log {
  readonly #options: SegmentLogOptions;
  #file: OpenFile | undefined;
  #segment = '';
  #size = 0;
  #last = 0;
  #lost: Error | undefined;
  #unlock: (() => Promise<void>) | undefined;

  constructor(options: SegmentLogOptions) {
    this.#options = options;
  }

  /** The name of the current segment. */
  get segment(): string {
    return this.#segment;
  }

  /** Bytes in the current segment. */
  get size(): number {
    return this.#size;
  }

  /** How far the log is synced. */
  get synced(): Synced {
    return { segment: this.#segment, bytes: this.#size, through: this.#last };
  }

  /** Why this process does not own the folder any more. */
  get lost(): Error | undefined {
    return this.#lost;
  }

  start(): Promise<void> {
    return this.#options.fs.makeFolder(this.#options.folder);
  }

  async stop(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  async take(): Promise<Lease | undefined> {
    try {
      await this.lock();
      return LEASE;
    } catch (error) {
      if (error instanceof FolderInUse) return undefined;
      throw error;
    }
  }

  /** As `take`. @throws FolderInUse when another process uses the folder, or may be using it */
  async lock(): Promise<void> {
    const { fs, folder, lockBeatMs } = this.#options;
    const onLost = () => {
      const why = `another process has taken over ${folder} because this one did not refresh its lock in time; restart this process`;
      this.abandon(new FolderInUse(why));
    };
    this.#unlock = await lockFolder(fs, folder, { onLost, ...(lockBeatMs !== undefined && { beatMs: lockBeatMs }) });
  }

  async renew(): Promise<boolean> {
    return !this.#lost;
  }

  async release(): Promise<void> {
    const unlock = this.#unlock;
    this.#unlock = undefined;
    await unlock?.();
  }

  /** Refuses all writes permanently: the files belong to another process. */
  abandon(reason: Error): void {
    this.#lost ??= reason;
  }

  async *read(_shard: string, { tx: after }: LogPosition): AsyncGenerator<readonly LogLines[], void> {
    const { fs, folder } = this.#options;
    const segments = (await fs.list(folder)).flatMap(({ name, size }) => (firstTxOf(name) && size > 0 ? [name] : []));
    let next = after + 1;
    for (const [at, name] of segments.entries()) {
      const path = join(folder, name);
      let tx = firstTxOf(name)!;
      if (tx > next) throw new DataDamaged(path, undefined, `transactions ${next} to ${tx - 1} before it are missing`);
      for await (const batch of readLines(fs, path)) {
        const found: LogLines[] = [];
        for (const { bytes, number, ended } of batch) {
          // A crash leaves an incomplete line at the end, which was not acknowledged.
          if (!ended && at === segments.length - 1) break;
          if (!ended || !unseal(bytes)) throw new DataDamaged(path, number, 'the checksum does not match the transaction');
          if (tx >= next) found.push({ first: tx, last: tx, lines: Buffer.concat([bytes, LINE_END]) });
          tx++;
        }
        if (found.length > 0) yield found;
      }
      next = Math.max(next, tx);
    }
  }

  async begin(lease: Lease, _after: LogPosition, lines: LogLines): Promise<Appended> {
    await this.startSegment(lines.first - 1);
    return this.append(lease, lines);
  }

  async append(_lease: Lease, { last, lines }: LogLines): Promise<Appended> {
    if (this.#lost) return 'fenced';
    const file = this.#file!;
    await file.write(lines);
    if (!file.writesDurably) await file.sync();
    this.#size += lines.length;
    this.#last = last;
    return 'durable';
  }

  /** Starts a new segment after transaction `lastTx`. */
  async startSegment(lastTx: number): Promise<void> {
    const { fs, folder, onSealed, onSegmentStarted } = this.#options;
    const name = segmentName(lastTx + 1);
    const file = await fs.open(join(folder, name), 'append');
    try {
      await fs.syncFolder(folder);
      await onSegmentStarted?.(name);
    } catch (error) {
      await file.close();
      throw error;
    }
    await this.#file?.close();
    if (this.#size > 0) onSealed?.({ name: this.#segment, size: this.#size });
    this.#file = file;
    this.#segment = name;
    this.#size = 0;
    this.#last = lastTx;
  }

  /** Removes what a failed append has left behind the last durable line. */
  async cutOff(): Promise<void> {
    if (this.#lost) return;
    await this.#file!.truncate(this.#size);
    await this.#file!.sync();
  }
}

const LINE_END = Buffer.from('\n');
