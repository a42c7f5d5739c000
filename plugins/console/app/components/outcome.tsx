import { Link } from 'wouter-preact';
import { reasonText } from '../../../../core/events/failure-text.js';
import { outcomeText } from '../../../../core/events/outcome-text.js';
import type { Outcome } from '../data/outcomes.js';
import type { AttemptRecord, DeliveryRecord } from '../data/records.js';
import type { Tone } from './status.js';
import { texts } from './texts.js';
import { duration, Time } from './time.js';

export const toneOfAttempt = ({ result }: Pick<AttemptRecord, 'result'>): Tone =>
  result === 'delivered' ? 'ok' : result === 'cancel' ? 'bad' : 'warn';

/** The outcome of the newest attempt of a delivery's run; undefined before the first. */
export const outcomeOfDelivery = ({ last_status: status, last_no_response, attempts }: DeliveryRecord): string | undefined =>
  status === undefined || attempts === 0 ? undefined : outcomeText({ status, no_response: last_no_response });

/** The outcomes that an operator may choose to retry. */
const retried: Readonly<Record<string, string>> = {
  http_408: texts.responses408,
  http_429: texts.responses429,
  http_502: texts.responses502,
  unknown_host: texts.unknownHostNames,
};
export const wordsOfRetried = (outcome: string): string => retried[outcome] ?? outcome;

const states: Readonly<Record<string, string>> = {
  queued: texts.queued,
  sending: texts.beingSent,
  retry_wait: texts.retryWait,
  delivered: texts.received,
  cancelled: texts.cancelled,
  dropped: texts.dropped,
};
/** The state of a delivery in words; other texts as they are. */
export const wordOfDeliveryState = (state: string): string => states[state] ?? state;

/** The last result of an endpoint in small print, as a link to the delivery. */
export function LastOutcome({ outcome }: { outcome: Outcome | undefined }) {
  if (!outcome) return null;
  const { delivery, attempt } = outcome;
  const isFine = attempt ? attempt.result === 'delivered' : delivery.state === 'delivered';
  const ended = delivery.state === 'dropped' || delivery.state === 'cancelled';
  return (
    <small class="quiet">
      {texts.lastOutcome(
        <Link href={`/deliveries/${delivery.uuid}`}>
          {attempt ? outcomeText(attempt) : (outcomeOfDelivery(delivery) ?? reasonText(delivery.reason ?? delivery.state))}
        </Link>,
      )}
      {!isFine && ', '}
      {!isFine &&
        (ended || delivery.due_at === undefined
          ? wordOfDeliveryState(delivery.state)
          : texts.retryAt(delivery.attempts, <Time at={delivery.due_at} />))}
    </small>
  );
}

export const isFailing = ({ delivery, attempt }: Outcome): boolean =>
  attempt ? attempt.result !== 'delivered' : delivery.last_error !== undefined && delivery.state !== 'delivered';

/** The latency of the last attempt, or the mean that decided the lane. */
export const latencyOf = (outcome: Outcome | undefined, mean: number | undefined): string =>
  outcome?.attempt?.duration_ms != null ? duration(outcome.attempt.duration_ms) : mean === undefined ? '–' : `⌀ ${duration(mean)}`;
