import { task } from '../../ports/workers.js';

/** Work on files alone: what to merge, and where. */
export interface CompactionInput {
  readonly folder: string;
  /** Names of journal segments that nobody writes to any more, in their order. */
  readonly segments: readonly string[];
}

/** The snapshots that were written. They hold everything of the segments, and are durable. */
export interface CompactionOutput {
  readonly collections: readonly string[];
  /** The last transaction they hold. */
  readonly through: number;
}

const LIMIT_MS = 15 * 60 * 1000;

/** Merges sealed segments of the journal into the snapshots. */
export const compaction = task<CompactionInput, CompactionOutput>('store.compaction', new URL('./compaction.task.js', import.meta.url), {
  limitMs: LIMIT_MS,
});
