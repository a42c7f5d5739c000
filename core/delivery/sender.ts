import type { HttpOutcome } from '../ports/http-client.js';
import type { OutboundRequest } from '../ports/outbound.js';
import type { Lane } from '../ports/queue.js';
import type { Transaction } from '../ports/transaction.js';
import type { DeliveryEntry } from './delivery.js';
import type { AttemptResult, RetrySwitch } from './retry.js';
import type { RetryPolicy } from './retry-policy.js';

/** A receiver of deliveries: an endpoint with its own order, lane, limits of concurrency and pauses. */
export interface Destination {
  readonly uuid: string;
  readonly number: string;
  readonly enabled: boolean;
  /** The lane of its next deliveries. */
  readonly lane: Lane;
  /** Since when it is paused. Its deliveries are stored, and not sent, until it is resumed. */
  readonly paused_at?: string | undefined;
  /** True after a resume until all paused deliveries are queued again. Newer deliveries wait behind them. */
  readonly releasing?: boolean | undefined;
  readonly retry_also?: readonly RetrySwitch[] | undefined;
  /**
   * `strict`: the next delivery of a conversation starts when the previous one is settled. Otherwise only first attempts keep their order, and a
   * retry blocks nothing. Each delivery keeps the order that its destination had when it was posted.
   */
  readonly order?: 'first_attempts' | 'strict' | undefined;
}

/** The result of an attempt that sends nothing. */
export type NotSent = Omit<Exclude<AttemptResult, { readonly kind: 'delivered' | 'next' }>, 'status'>;

/** An attempt as its sender reads it. */
export interface SentAttempt<D extends Destination> {
  readonly entry: DeliveryEntry;
  readonly destination: D;
  /** Whether links to media files are to be expired ones, because a fault asks for that. */
  readonly linksExpired?: boolean;
}

/**
 * Builds the requests of deliveries and reads the responses. Webhooks are one kind of receiver; a plugin can register a sender for
 * others. The outbox keeps order, retries and records for all of them.
 */
export interface DeliverySender<D extends Destination = Destination> {
  /** Unique on a platform; stored with each of its deliveries. */
  readonly name: string;
  /** When failed attempts are repeated. A plugin gives the changes of the policy of webhooks. */
  readonly policy: RetryPolicy;
  /** The destination as the transaction sees it; undefined when it was deleted. */
  destination(tx: Transaction, uuid: string): Promise<D | undefined> | D | undefined;
  /**
   * Builds the request of one attempt, or returns the result of an attempt that must not send it: `cancel` refuses the message, such as one whose
   * file was deleted.
   * @throws Error to count an interruption, when the platform cannot build it
   */
  request(attempt: SentAttempt<D>): OutboundRequest | NotSent | Promise<OutboundRequest | NotSent>;
  /**
   * Decides what an outcome means; the table of the API specification for webhooks decides if this is not given. A result of kind `retry`
   * is retried by `policy`. After one of kind `next`, `request` makes the next call.
   */
  read?(attempt: SentAttempt<D>, outcome: HttpOutcome): AttemptResult | Promise<AttemptResult>;
  /**
   * Milliseconds that a due delivery must wait before its attempt, for example because of a limit of the receiver; 0 starts it now. The wait
   * does not count as an attempt. It runs in the transaction that starts attempts, and may run again after a conflict. None if not given.
   */
  waitMs?(tx: Transaction, entry: DeliveryEntry, destination: D): number | Promise<number>;
}

/** A sender as a plugin registers it. `policy` has the changes of the retry policy of webhooks. */
export type ContributedSender<D extends Destination = Destination> = Omit<DeliverySender<D>, 'policy'> & {
  readonly policy?: Partial<RetryPolicy>;
};

/** The name of the sender of webhooks, which deliveries do not state. */
export const WEBHOOK_SENDER = 'webhook';
