import type { Lease } from '../../ports/log.js';
import type { FileSystem } from '../file-system.js';
import type { Commit } from './commit.js';
import type { Synced } from './files/contents-file.js';
import { GroupCommit } from './group-commit.js';
import { type SealedSegment, SegmentLog } from './segment-log.js';

export interface JournalOptions {
  readonly fs: FileSystem;
  readonly folder: string;
  /** Every transaction up to `tx` is durable. */
  readonly onDurable: (tx: number) => void;
  /** Transactions after `lastDurable` are lost: they will never become durable. */
  readonly onFailure: (error: unknown, lastDurable: number) => void;
  readonly onSealed: (segment: SealedSegment) => void;
  /** Called before the first write to a segment; the write waits for it. */
  readonly onSegmentStarted: (name: string) => Promise<void>;
  /** The next write waits for this promise, if there is one. */
  readonly backpressure?: () => Promise<unknown> | undefined;
}

/** The lock of the folder is the lease. */
const LEASE: Lease = { shard: 'main', epoch: 1 };

/** Appends commits to the segments of a data folder. Commits that arrive during a write and sync share the next one. */
export class Journal {
  readonly #log: SegmentLog;
  readonly #commits: GroupCommit;
  #failed = false;

  constructor({ fs, folder, onDurable, onFailure, onSealed, onSegmentStarted, backpressure }: JournalOptions) {
    this.#log = new SegmentLog({ fs, folder, onSealed, onSegmentStarted });
    this.#commits = new GroupCommit({
      backpressure,
      onDurable,
      write: async (lines) => {
        if ((await this.#log.append(LEASE, lines)) === 'fenced') throw this.#log.lost;
      },
      onFailure: async (error) => {
        this.#failed = true;
        onFailure(error, this.#log.synced.through);
        // A refused transaction must not reappear after a restart. If this fails too, `recover` retries it.
        await this.#log.cutOff().catch(() => {});
      },
    });
  }

  /** The name of the current segment. */
  get segment(): string {
    return this.#log.segment;
  }

  /** Bytes in the current segment. */
  get size(): number {
    return this.#log.size;
  }

  /** How far the journal is synced. */
  get synced(): Synced {
    return this.#log.synced;
  }

  /** Why this process does not own the folder any more. */
  get lost(): Error | undefined {
    return this.#log.lost;
  }

  /** Creates the folder and locks it. @throws FolderInUse */
  async lock(): Promise<void> {
    await this.#log.start();
    await this.#log.lock();
  }

  unlock(): Promise<void> {
    return this.#log.release();
  }

  /** Starts a new segment after transaction `lastTx`. */
  open(lastTx: number): Promise<void> {
    return this.#log.startSegment(lastTx);
  }

  /**
   * Encodes a commit, runs `apply`, and writes the commit with the next batch. If the encoding or `apply` throws, nothing of
   * the commit is written.
   * @throws the error of the encoding or of `apply`
   */
  append(commit: Commit, apply: () => void): void {
    this.#commits.append(commit, apply);
  }

  /** Seals the current segment and starts a new one, unless it is empty. Resolves when done. */
  rotate(): Promise<void> {
    return this.#commits.between(async () => {
      if (this.#log.lost) throw this.#log.lost;
      if (this.#failed) throw new Error('the journal has failed');
      if (this.#log.size > 0) await this.open(this.#log.synced.through);
    });
  }

  /** Waits until everything is written. */
  async close(): Promise<void> {
    await this.#commits.idle();
    await this.#log.stop();
  }

  /** Stops all writes permanently: the files now belong to another process. */
  abandon(reason: Error): void {
    this.#log.abandon(reason);
  }

  /** After a failure: cuts off what is not durable, and continues in a new segment. */
  async recover(): Promise<void> {
    await this.#commits.idle();
    if (this.#log.lost) throw this.#log.lost;
    await this.#log.cutOff();
    if (this.#log.size > 0) await this.open(this.#log.synced.through);
    this.#failed = false;
  }
}
