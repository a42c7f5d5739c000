import { reasonText } from '../../../../../core/events/failure-text.js';
import type { Tone } from '../../components/status.js';
import type { AttemptRecord, DeliveryRecord } from './records.js';
import { texts } from './word-texts.js';

interface Words {
  readonly tone: Tone;
  readonly text: string;
}

/** Why a delivery was cancelled, by its reason. */
const cancelled: Readonly<Record<string, string>> = {
  http_4xx: texts.http4xx,
  http_502: texts.http502,
  dns_not_found: texts.unknownHost,
  by_hand: texts.byHand,
  webhook_disabled: texts.webhookDisabled,
  webhook_removed: texts.webhookDeleted,
  blocked_address: texts.privateAddress,
  bad_url: texts.badUrl,
  bad_request: texts.badRequest,
};

const receivedBy = ({ sender, kind }: DeliveryRecord): string =>
  sender !== undefined ? texts.received : kind === 'channel' ? texts.receivedByConnector : texts.receivedByWebhook;

/** The state of a delivery in the words of the retry policy. */
export function wordsOfState(delivery: DeliveryRecord): Words {
  const { state, attempts, reason = '', held_at: heldAt, no_retry: noRetry } = delivery;
  switch (state) {
    case 'delivered':
      return { tone: 'ok', text: attempts > 1 ? texts.receivedAtAttempt(attempts) : receivedBy(delivery) };
    case 'sending':
      return { tone: 'warn', text: attempts === 0 ? texts.sending : texts.sendingRetry(attempts) };
    case 'queued':
      if (heldAt !== undefined) return { tone: 'warn', text: texts.waitsWebhookPaused };
      return { tone: 'neutral', text: attempts === 0 ? texts.queued : texts.retryIsDue(attempts) };
    case 'retry_wait':
      if (heldAt !== undefined) return { tone: 'warn', text: texts.waitsWebhookPaused };
      return { tone: 'warn', text: attempts === 0 ? texts.delayed : texts.retryScheduled(attempts) };
    case 'cancelled':
      return { tone: 'bad', text: cancelled[reason] ?? texts.cancelled(reasonText(reason)) };
    case 'dropped':
      if (noRetry === true) return { tone: 'bad', text: texts.failedWithoutRetries };
      if (reason === 'exhausted') return { tone: 'bad', text: texts.droppedAfterAttempts(attempts) };
      return { tone: 'bad', text: reason.startsWith('expired') ? texts.offlineTooLongDropped : texts.dropped(reasonText(reason)) };
  }
}

export const toneOfAttempt = ({ result }: AttemptRecord): Tone =>
  result === 'delivered' ? 'ok' : result === 'interrupted' ? 'warn' : 'bad';

/** The consequence of an attempt for its delivery. */
export function consequence(attempt: AttemptRecord, delivery: DeliveryRecord, isLast: boolean): string {
  const { result, error_code: code } = attempt;
  if (result === 'delivered') return texts.received;
  if (result === 'interrupted') return texts.repeated;
  if (result === 'cancel') return cancelled[code ?? ''] ?? texts.retriesCancelled;
  if (isLast && delivery.state === 'dropped') return wordsOfState(delivery).text;
  if (isLast && delivery.state === 'cancelled') return wordsOfState(delivery).text;
  return delivery.run === attempt.run && delivery.state === 'retry_wait' && isLast ? texts.retryIsScheduled : texts.retried;
}

/** The kind of an event, from its idempotency key. */
export function kindOfEvent({ event, kind }: Pick<DeliveryRecord, 'event' | 'kind'>): string {
  const [what, , third] = event.split('#')[0]!.split(':');
  if (what === 'status') return texts.status(third ?? '');
  if (what === 'send') return texts.messageToAContact;
  if (what === 'sent') return texts.sentMessage;
  if (what === 'message') return kind === 'channel' ? texts.messageToAContact : texts.messageOfAContact;
  return what ?? texts.event;
}
