import type { HttpOutcome } from '../ports/http-client.js';
import type { ServiceUnreachable } from './service-calls.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The reason of a delivery that the service may have received, without an answer that says so. */
export const UNKNOWN_OUTCOME = 'unknown_outcome';

interface AttemptLimits {
  readonly attempts: number;
  /** Milliseconds after an attempt that the platform could not begin. */
  readonly everyMs: number;
  readonly deadlineMs: number;
  /** Milliseconds after the first failure; a day if not given. */
  readonly windowMs?: number;
}

/** The policy of a sender whose `read` says when an attempt is repeated, up to a number of attempts. */
export const attemptPolicy = ({ attempts, everyMs, deadlineMs, windowMs = DAY_MS }: AttemptLimits) => ({
  gapsMs: Array.from({ length: attempts }, () => everyMs),
  jitter: { shortest: 0, span: 0 },
  minGapMs: 0,
  deadlineMs,
  windowMs,
  graceMs: DAY_MS,
});

/** Milliseconds before an attempt is repeated: 1, 2, 4 … seconds up to `maxMs`, and up to a fifth more. @param random from 0 to 1 */
export const attemptDelay = ({ attempts }: { readonly attempts: number }, random: number, maxMs: number): number =>
  Math.round(Math.min(maxMs, 1_000 * 2 ** attempts) * (1 + 0.2 * random));

/**
 * Decides what an attempt without an answer means, for `read` of a sender.
 * @param unknownOutcome what to do if the service may have received the request: `resend` can send it twice, and `fail` can lose it
 */
export function unansweredAttempt(
  { isPermanent, isSent, message: error }: ServiceUnreachable,
  outcome: HttpOutcome,
  { unknownOutcome, afterMs }: { readonly unknownOutcome: 'resend' | 'fail'; readonly afterMs: number },
) {
  const status = outcome.kind === 'response' ? outcome.status : 504;
  if (isPermanent) return { kind: 'cancel' as const, status: 502, reason: 'address', error };
  if (isSent && unknownOutcome === 'fail') return { kind: 'cancel' as const, status, reason: UNKNOWN_OUTCOME, error };
  return { kind: 'retry' as const, status, reason: isSent ? UNKNOWN_OUTCOME : 'network_error', error, afterMs };
}
