import { reasonText } from '../../../../../core/events/failure-text.js';
import type { Tone } from '../../components/status.js';
import type { AttemptRecord, DeliveryRecord } from './records.js';

interface Words {
  readonly tone: Tone;
  readonly text: string;
}

/** Why a delivery was cancelled, by its reason. */
const cancelled: Readonly<Record<string, string>> = {
  http_4xx: '4XX: retries cancelled',
  http_502: '502: retries cancelled',
  dns_not_found: 'unknown host: retries cancelled',
  by_hand: 'cancelled manually',
  webhook_disabled: 'webhook disabled: cancelled',
  webhook_removed: 'webhook deleted: cancelled',
  blocked_address: 'private address: not sent',
  bad_url: 'invalid URL: not sent',
  bad_request: 'invalid request: not sent',
};

/** The state of a delivery in the words of the retry policy. */
export function wordsOfState(delivery: DeliveryRecord): Words {
  const { state, attempts, reason = '', held_at: heldAt, no_retry: noRetry } = delivery;
  switch (state) {
    case 'delivered':
      return { tone: 'ok', text: attempts > 1 ? `delivered at attempt ${attempts}` : 'delivered' };
    case 'sending':
      return { tone: 'warn', text: attempts === 0 ? 'sending' : `sending retry ${attempts}` };
    case 'queued':
      if (heldAt !== undefined) return { tone: 'warn', text: 'waits: webhook paused' };
      return { tone: 'neutral', text: attempts === 0 ? 'queued' : `retry ${attempts} is due` };
    case 'retry_wait':
      if (heldAt !== undefined) return { tone: 'warn', text: 'waits: webhook paused' };
      return { tone: 'warn', text: attempts === 0 ? 'delayed' : `retry ${attempts} scheduled` };
    case 'cancelled':
      return { tone: 'bad', text: cancelled[reason] ?? `cancelled: ${reasonText(reason)}` };
    case 'dropped':
      if (noRetry === true) return { tone: 'bad', text: 'failed, without retries' };
      if (reason === 'exhausted') return { tone: 'bad', text: `dropped after ${attempts} attempts` };
      return { tone: 'bad', text: reason.startsWith('expired') ? 'offline too long: dropped' : `dropped: ${reasonText(reason)}` };
  }
}

export const toneOfAttempt = ({ result }: AttemptRecord): Tone =>
  result === 'delivered' ? 'ok' : result === 'interrupted' ? 'warn' : 'bad';

/** The consequence of an attempt for its delivery. */
export function consequence(attempt: AttemptRecord, delivery: DeliveryRecord, isLast: boolean): string {
  const { result, error_code: code } = attempt;
  if (result === 'delivered') return 'delivered';
  if (result === 'interrupted') return 'repeated';
  if (result === 'cancel') return cancelled[code ?? ''] ?? 'retries cancelled';
  if (isLast && delivery.state === 'dropped') return wordsOfState(delivery).text;
  if (isLast && delivery.state === 'cancelled') return wordsOfState(delivery).text;
  return delivery.run === attempt.run && delivery.state === 'retry_wait' && isLast ? 'retry scheduled' : 'retried';
}

/** The kind of an event, from its idempotency key. */
export function kindOfEvent({ event, kind }: Pick<DeliveryRecord, 'event' | 'kind'>): string {
  const [what, , third] = event.split('#')[0]!.split(':');
  if (what === 'status') return `status ${third ?? ''}`.trim();
  if (what === 'sent') return 'sent message';
  if (what === 'message') return kind === 'channel' ? 'message to a contact' : 'message of a contact';
  return what ?? 'event';
}
