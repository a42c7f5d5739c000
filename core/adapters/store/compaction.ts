import { task } from '../../ports/workers.js';
import type { Encryption } from '../encryption/file-cipher.js';
import type { Placing } from './files/part-index.js';

/** Input of the compaction task, which works on files only. */
export interface CompactionInput {
  readonly folder: string;
  /** Names of sealed journal segments, in order. */
  readonly segments: readonly string[];
  /** By collection. A start parses the documents of collections that are missing here. */
  readonly placing?: Readonly<Record<string, Placing>>;
  /** By collection, the numbers of parts of which the process has no document. */
  readonly lost?: Readonly<Record<string, readonly number[]>>;
  /** The size from which documents move into parts; `PART_BYTES` if not given. */
  readonly partBytes?: number | undefined;
  /** Rewrites every part with superseded rows, also of collections that have not changed; at most 32 MiB of each collection. */
  readonly purge?: boolean;
  readonly encryption?: Encryption | undefined;
}

/** The snapshots that were written: durable, with every change of the segments. */
export interface CompactionOutput {
  readonly collections: readonly string[];
  /** The last transaction in them. */
  readonly through: number;
  /** Collections without changes whose parts were rewritten. */
  readonly purged?: readonly string[];
  /** Whether more parts have superseded rows. */
  readonly isLimited?: boolean;
}

const LIMIT_MS = 15 * 60 * 1000;

/** Merges sealed journal segments into the snapshots. */
export const compaction = task<CompactionInput, CompactionOutput>('store.compaction', new URL('./compaction.task.js', import.meta.url), {
  limitMs: LIMIT_MS,
});
