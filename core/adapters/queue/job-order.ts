import sortedBtree from 'sorted-btree';
import { compareKeys } from '../../ports/index-order.js';
import type { Lane } from '../../ports/queue.js';

/** What is known in memory of a job that waits: enough to say when its turn is. */
export interface WaitingJob {
  readonly key: string;
  readonly lane: Lane;
  /** Milliseconds of the queue's time. */
  readonly dueAt: number;
  /** It had to wait for its time, so its lane may have changed since. */
  readonly delayed: boolean;
  /** Counts the pushes. Folders of 0.1.0 may have two jobs with the same. */
  readonly order: number;
  readonly serial: string | undefined;
  readonly group: string | undefined;
  readonly urgent: boolean;
  /** Since when it could run, in the queue's time; undefined until then. */
  readyAt?: number;
}

// The package is CommonJS: its class is a property of what is imported.
const BTree = sortedBtree.default;
export type InOrder = InstanceType<typeof BTree<WaitingJob, undefined>>;
type Compare = (a: WaitingJob, b: WaitingJob) => number;

/** As they become due. Total: of two jobs that compare as equal the queue would know only one. */
export const byTime: Compare = (a, b) => a.dueAt - b.dueAt || a.order - b.order || compareKeys(a.key, b.key);
/** The urgent ones first. */
export const byUrgency: Compare = (a, b) => Number(b.urgent) - Number(a.urgent) || byTime(a, b);

export const inOrder = (compare: Compare): InOrder => new BTree<WaitingJob, undefined>(undefined, compare);
