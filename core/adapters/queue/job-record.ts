import { messageOf } from '../../errors.js';
import { type Lane, lanes, type Placement } from '../../ports/queue.js';
import { collection } from '../../ports/store.js';
import type { WaitingJob } from './job-order.js';

/** A job as it is kept until it is completed. */
export interface JobRecord {
  /** `<queue>/<id>`: pushing an id again puts the new job in the place of the old one. */
  readonly key: string;
  readonly queue: string;
  readonly id: string;
  readonly lane: Lane;
  /** Milliseconds of the platform's wall clock. */
  readonly dueAt: number;
  /** Tells this push from others of the same id. */
  readonly order: number;
  /** How far away that was when it was said: no wait is longer, also when the clock has been set back. */
  readonly delayMs?: number;
  readonly serial?: string;
  readonly group?: string;
  readonly urgent?: boolean;
  /** What caused it, as a traceparent. */
  readonly trace?: string;
  /** Tries that have failed, and what the last one said. */
  readonly attempts: number;
  readonly error?: string;
  readonly payload?: unknown;
  /** When it was given up, as ISO 8601 text. */
  readonly failedAt?: string;
}

export const jobs = collection<JobRecord>({ key: 'key', indexes: { failed: ['failedAt'] } });

const TRIES = 10;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
const ERROR_CHARACTERS = 500;

export const keyOf = (queue: string, id: string): string => `${queue}/${id}`;

/** What no compiler has looked at: a place that the queue does not know would stop it, now or at its next start. @throws TypeError */
export function checkPlace(queue: unknown, placement: Placement): void {
  if (typeof queue !== 'string' || queue === '') throw new TypeError('a job is pushed to a queue, as `queue` declares it');
  const fault = errorTextOf(placement);
  if (fault) throw new TypeError(`a job of queue ${queue} cannot be placed: ${fault}`);
}

const TEXTS = ['serial', 'group', 'id', 'trace'] as const;

function errorTextOf(placement: Placement): string | undefined {
  const { lane, notBefore, urgent } = placement;
  if (lane !== undefined && !isLane(lane)) return `lane is one of ${lanes.join(', ')}`;
  if (notBefore !== undefined && !(notBefore instanceof Date && Number.isFinite(notBefore.getTime()))) return 'notBefore is no valid Date';
  for (const name of TEXTS) if (placement[name] !== undefined && typeof placement[name] !== 'string') return `${name} is a text`;
  return urgent === undefined || typeof urgent === 'boolean' ? undefined : 'urgent is true or false';
}

export const isLane = (lane: unknown): lane is Lane => lanes.includes(lane as Lane);

/** What waits, on a clock that is `aheadMs` ahead of the wall clock. In a lane that there is: one bad job must not stop the others. */
export function waitingOf({ key, lane, dueAt, delayMs = 0, order, serial, group, urgent = false }: JobRecord, aheadMs: number): WaitingJob {
  const known = isLane(lane) ? lane : 'default';
  return { key, lane: known, dueAt: dueAt + aheadMs, delayed: delayMs > 0, order, serial, group, urgent };
}

/** How long to wait after so many failures: 1 s, twice as long each time, at most a minute. */
export const pauseAfter = (failures: number): number => Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS);

/** Whether the next try of a job is its last. */
export const isLastAttempt = ({ attempts }: JobRecord, maxAttempts = TRIES): boolean => attempts + 1 >= maxAttempts;

/** What a job is after a try that failed: due again after a pause, or given up after its last try. */
export function afterFailure(record: JobRecord, error: unknown, now: Date, maxAttempts?: number): JobRecord {
  const attempts = record.attempts + 1;
  const failed = { ...record, attempts, error: messageOf(error).slice(0, ERROR_CHARACTERS) };
  if (isLastAttempt(record, maxAttempts)) return { ...failed, failedAt: now.toISOString() };
  const delayMs = pauseAfter(attempts);
  return { ...failed, dueAt: now.getTime() + delayMs, delayMs };
}
