import { compareKeys } from '../../ports/index-order.js';
import type { Lane } from '../../ports/queue.js';
import { BTree } from './b-tree.js';

/** The part of a queued job that the queue keeps in memory for ordering. */
export interface WaitingJob {
  readonly key: string;
  readonly lane: Lane;
  /** Milliseconds of the queue's time. */
  readonly dueAt: number;
  /** Whether the job was pushed with a delay. The lane of its group may have changed during the delay. */
  readonly delayed: boolean;
  /** Push counter. Folders of 0.1.0 may contain two jobs with the same value. */
  readonly order: number;
  readonly serial: string | undefined;
  /** Whether the jobs behind it in its serial key wait while it is delayed, too: strictly in the order of their pushes. */
  readonly strict?: boolean;
  readonly group: string | undefined;
  readonly urgent: boolean;
  /** When the job became ready, in the queue's time; undefined until then. */
  readyAt?: number;
}

export type InOrder = InstanceType<typeof BTree<WaitingJob, undefined>>;
type Compare = (a: WaitingJob, b: WaitingJob) => number;

/** By due time. A total order: the tree would drop one of two jobs that compare as equal. */
export const byTime: Compare = (a, b) => a.dueAt - b.dueAt || a.order - b.order || compareKeys(a.key, b.key);
/** By the order of their pushes, for jobs that keep it whenever they are due. */
export const byPush: Compare = (a, b) => a.order - b.order || compareKeys(a.key, b.key);
/** Urgent jobs first. */
export const byUrgency: Compare = (a, b) => Number(b.urgent) - Number(a.urgent) || byTime(a, b);

export const inOrder = (compare: Compare): InOrder => new BTree<WaitingJob, undefined>(undefined, compare);
