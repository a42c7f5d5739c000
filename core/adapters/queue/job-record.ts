import { messageOf } from '../../errors.js';
import { type Lane, lanes, type Placement } from '../../ports/queue.js';
import { collection } from '../../ports/store.js';
import type { WaitingJob } from './job-order.js';

/** A stored job, until it is completed. */
export interface JobRecord {
  /** `<queue>/<id>`: pushing an id again replaces the job. */
  readonly key: string;
  readonly queue: string;
  readonly id: string;
  readonly lane: Lane;
  /** Milliseconds of the platform's wall clock. */
  readonly dueAt: number;
  /** Distinguishes this push from others of the same id. */
  readonly order: number;
  /** The delay in milliseconds from the push. The delay after a restart is never longer, even if the clock was set back. */
  readonly delayMs?: number;
  readonly serial?: string;
  readonly group?: string;
  readonly urgent?: boolean;
  /** The `traceparent` of the code that pushed the job. */
  readonly trace?: string;
  /** Number of failed attempts, and the message of the last error. */
  readonly attempts: number;
  readonly error?: string;
  readonly payload?: unknown;
  /** When the job failed permanently, as ISO 8601 text. */
  readonly failedAt?: string;
}

export const jobs = collection<JobRecord>({ key: 'key', tenant: { mentions: 'payload' }, indexes: { failed: ['failedAt'] } });

const MAX_ATTEMPTS = 10;
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;
const ERROR_CHARACTERS = 500;

export const keyOf = (queue: string, id: string): string => `${queue}/${id}`;

/** Checks a placement at runtime. An invalid placement would stop the queue, now or at its next start. @throws TypeError */
export function checkPlace(queue: unknown, placement: Placement): void {
  if (typeof queue !== 'string' || queue === '') throw new TypeError('push needs a queue that was declared with `queue`');
  const fault = errorTextOf(placement);
  if (fault) throw new TypeError(`cannot enqueue a job on queue ${queue}: ${fault}`);
}

const TEXTS = ['serial', 'group', 'id', 'trace'] as const;

function errorTextOf(placement: Placement): string | undefined {
  const { lane, notBefore, urgent } = placement;
  if (lane !== undefined && !isLane(lane)) return `lane must be one of ${lanes.join(', ')}`;
  if (notBefore !== undefined && !(notBefore instanceof Date && Number.isFinite(notBefore.getTime())))
    return 'notBefore must be a valid Date';
  for (const name of TEXTS) if (placement[name] !== undefined && typeof placement[name] !== 'string') return `${name} must be a string`;
  return urgent === undefined || typeof urgent === 'boolean' ? undefined : 'urgent must be true or false';
}

export const isLane = (lane: unknown): lane is Lane => lanes.includes(lane as Lane);

/**
 * The in-memory part of a record, on a clock that is `aheadMs` ahead of the wall clock. An unknown lane becomes `default`: one
 * bad record must not stop the queue.
 */
export function waitingOf({ key, lane, dueAt, delayMs = 0, order, serial, group, urgent = false }: JobRecord, aheadMs: number): WaitingJob {
  const known = isLane(lane) ? lane : 'default';
  return { key, lane: known, dueAt: dueAt + aheadMs, delayed: delayMs > 0, order, serial, group, urgent };
}

/** Milliseconds to wait after N failures: 1 s, doubled each time, at most a minute. */
export const delayAfter = (failures: number): number => Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), MAX_DELAY_MS);

/** Whether the next attempt of a job is its last. */
export const isLastAttempt = ({ attempts }: JobRecord, maxAttempts = MAX_ATTEMPTS): boolean => attempts + 1 >= maxAttempts;

/** A job after a failed attempt: due again after a delay, or permanently failed after the last attempt. */
export function afterFailure(record: JobRecord, error: unknown, now: Date, maxAttempts?: number): JobRecord {
  const attempts = record.attempts + 1;
  const failed = { ...record, attempts, error: messageOf(error).slice(0, ERROR_CHARACTERS) };
  if (isLastAttempt(record, maxAttempts)) return { ...failed, failedAt: now.toISOString() };
  const delayMs = delayAfter(attempts);
  return { ...failed, dueAt: now.getTime() + delayMs, delayMs };
}
