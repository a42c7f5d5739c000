import { join } from 'node:path';
import type { FileSystem, OpenFile } from '../file-system.js';
import type { Commit } from './commit.js';
import type { Synced } from './files/contents-file.js';
import { addCommit, segmentName } from './files/journal-file.js';
import { SealedLines } from './files/sealed.js';

/** A file of the journal that is not written to any more. */
export interface SealedSegment {
  readonly name: string;
  readonly size: number;
}

export interface JournalOptions {
  readonly fs: FileSystem;
  readonly folder: string;
  /** Everything up to this transaction is durable. */
  readonly onDurable: (tx: number) => void;
  /** What came after the transaction `lastDurable` is not, and never will be. */
  readonly onFailure: (error: unknown, lastDurable: number) => void;
  readonly onSealed: (segment: SealedSegment) => void;
  /** A segment is about to be written to; nothing is before this is done. */
  readonly onSegmentStarted: (name: string) => Promise<void>;
  /** What to wait for before more is written. */
  readonly backpressure?: () => Promise<unknown> | undefined;
}

/** Bytes that are written at once at most, about, unless one transaction is larger. */
const BATCH_BYTES = 4 << 20;
/** A batch that took more memory than this is not kept for the next one. */
const KEPT_BYTES = 1 << 20;

/** Commits that are written and synced together. */
interface Batch {
  lines: SealedLines;
  lastTx: number;
}

/**
 * Appends commits to a file, one line each. Those that arrive while others are written and synced share the next write
 * and the next sync.
 */
export class Journal {
  readonly #options: JournalOptions;
  #file: OpenFile | undefined;
  #segment = '';
  #waiting: Batch[] = [];
  /** The memory of a batch that was written, for the next one. */
  #spare: SealedLines | undefined;
  #working: Promise<void> | undefined;
  #rotations: ((outcome: unknown) => void)[] = [];
  #failed = false;
  #abandoned: Error | undefined;
  #lastDurable = 0;
  #size = 0;

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  /** The name of the segment that is written to. */
  get segment(): string {
    return this.#segment;
  }

  /** Bytes in the segment that is written to. */
  get size(): number {
    return this.#size;
  }

  /** How far it is synced. */
  get synced(): Synced {
    return { segment: this.#segment, bytes: this.#size, through: this.#lastDurable };
  }

  /** Starts a new segment, after the transaction `lastTx`. */
  async open(lastTx: number): Promise<void> {
    const { fs, folder, onSealed, onSegmentStarted } = this.#options;
    const name = segmentName(lastTx + 1);
    const file = await fs.open(join(folder, name), 'append');
    try {
      await fs.syncFolder(folder);
      await onSegmentStarted(name);
    } catch (error) {
      await file.close();
      throw error;
    }
    await this.#file?.close();
    if (this.#size > 0) onSealed({ name: this.#segment, size: this.#size });
    this.#file = file;
    this.#segment = name;
    this.#size = 0;
    this.#lastDurable = lastTx;
  }

  /**
   * Encodes a commit, runs `apply`, and writes the commit with the next batch. When the encoding or `apply` throws, nothing of the
   * commit is written.
   * @throws what the encoding or `apply` throws
   */
  append(commit: Commit, apply: () => void): void {
    const last = this.#waiting.at(-1);
    const batch = last && last.lines.size + lengthOf(commit) <= BATCH_BYTES ? last : { lines: this.#spare ?? new SealedLines(), lastTx: 0 };
    const { size } = batch.lines;
    addCommit(batch.lines, commit);
    batch.lastTx = commit.tx;
    try {
      if (batch !== last) {
        this.#spare = undefined;
        this.#waiting.push(batch);
      }
      // The write begins in a later turn. `apply` comes last, so that no other throw can follow it.
      this.#work();
      apply();
    } catch (error) {
      batch.lines.cut(size);
      batch.lastTx = commit.tx - 1;
      // Only this batch: when it could not be queued, the last one belongs to other commits.
      if (size === 0 && this.#waiting.at(-1) === batch) this.#waiting.pop();
      throw error;
    }
  }

  /** Leaves the segment as it is and goes on in a new one, unless it is empty. Resolves when that is done. */
  async rotate(): Promise<void> {
    const error = await new Promise((resolve) => {
      this.#rotations.push(resolve);
      this.#work();
    });
    if (error) throw error;
  }

  /** Waits until all is written. */
  async close(): Promise<void> {
    await this.#working;
    await this.#file?.close();
    this.#file = undefined;
  }

  /** Writes nothing more, for good: the files belong to somebody else. */
  abandon(reason: Error): void {
    this.#abandoned = reason;
  }

  /** After a failure: cuts off what is not durable, and goes on in a new segment. */
  async recover(): Promise<void> {
    await this.#working;
    if (this.#abandoned) throw this.#abandoned;
    await this.#cutOff();
    if (this.#size > 0) await this.open(this.#lastDurable);
    this.#failed = false;
  }

  #work(): void {
    this.#working ??= this.#run();
  }

  async #run(): Promise<void> {
    // One turn later, so that commits of this turn share one write.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0 || this.#rotations.length > 0) {
      if (this.#waiting.length > 0) await this.#flush().catch((error) => this.#fail(error));
      if (this.#rotations.length > 0) await this.#rotate();
    }
    // In the same turn as the last look at `#waiting`: a commit that arrives later has to start another run.
    this.#working = undefined;
  }

  async #flush(): Promise<void> {
    await this.#options.backpressure?.();
    const { lines, lastTx } = this.#waiting[0]!;
    // Taken before the sync: nothing between the sync and the acknowledgement may throw.
    const { bytes, size } = lines;
    if (this.#abandoned) throw this.#abandoned;
    // The batch is full: commits that arrive while it is written go into the next one.
    this.#waiting.shift();
    await this.#file!.write(bytes);
    await this.#file!.sync();
    this.#size += size;
    this.#lastDurable = lastTx;
    this.#options.onDurable(lastTx);
    if (size <= KEPT_BYTES) {
      lines.cut(0);
      this.#spare = lines;
    }
  }

  /** Refuses everything that is not durable. */
  async #fail(error: unknown): Promise<void> {
    this.#failed = true;
    this.#waiting = [];
    this.#options.onFailure(error, this.#lastDurable);
    // A transaction that was refused should not come back after a restart. When this fails too, `recover` tries again.
    await this.#cutOff().catch(() => {});
  }

  async #rotate(): Promise<void> {
    const rotations = this.#rotations;
    this.#rotations = [];
    let outcome: unknown;
    try {
      if (this.#abandoned) throw this.#abandoned;
      if (this.#failed) throw new Error('the journal has failed');
      if (this.#size > 0) await this.open(this.#lastDurable);
    } catch (error) {
      outcome = error;
    }
    for (const done of rotations) done(outcome);
  }

  async #cutOff(): Promise<void> {
    if (this.#abandoned) return;
    await this.#file!.truncate(this.#size);
    await this.#file!.sync();
  }
}

/** About the bytes of a commit. */
const lengthOf = ({ changes }: Commit): number => changes.reduce((sum, { key, json = '' }) => sum + key.length + json.length, 0);
