import Joi from 'joi';
import { type RetrySwitch, retrySwitches } from './retry.js';
import type { RetryPolicy } from './retry-policy.js';

/** Options for deliveries to webhooks. The defaults behave as the interface says (Limits, "Webhook timing and retries"). */
export interface DeliveryOptions {
  /**
   * Outcomes to retry although the interface cancels them: `http_408`, `http_429`, `http_502` (a proxy responds with it while the
   * service behind it is replaced), `unknown_host`. None if not given. A webhook's own `retry_also` overrides it.
   */
  readonly retryAlso?: readonly RetrySwitch[];
  /** Whether a connector's 2XX response without a message id is a failure and retried; false if not given. */
  readonly strictAnswers?: boolean;
  /** Maximum of concurrent attempts; 64 if not given. */
  readonly slots?: number;
  /** Maximum of unsettled deliveries: above it, requests that would create more get 503. 100,000 if not given. */
  readonly maxWaiting?: number;
  /** Maximum bytes of their bodies together, with the same effect; 256 MiB if not given. */
  readonly maxWaitingBytes?: number;
  /** Pauses a webhook after this many failed attempts in a row and emits `webhook.paused`. Never if not given. */
  readonly pauseAfterFailures?: number;
  /** How many settled deliveries are stored for inspection, at most for 30 days; 100,000 if not given. The oldest are evicted first. */
  readonly kept?: number;
  /** Maximum bytes of settled deliveries with their bodies and responses; an eighth of Node's heap limit if not given. */
  readonly keptBytes?: number;
}

type Optional = 'pauseAfterFailures' | 'keptBytes';

export type DeliverySettings = Required<Omit<DeliveryOptions, Optional>> &
  Pick<DeliveryOptions, Optional> & { readonly policy: RetryPolicy };

const count = Joi.number().integer().min(1);

export const deliveryOptionsSchema = Joi.object({
  retryAlso: Joi.array()
    .items(Joi.valid(...retrySwitches))
    .default([]),
  strictAnswers: Joi.boolean().default(false),
  slots: count.default(64),
  maxWaiting: count.default(100_000),
  maxWaitingBytes: count.default(256 * 1024 * 1024),
  pauseAfterFailures: count,
  kept: Joi.number().integer().min(0).default(100_000),
  keptBytes: Joi.number().integer().min(0),
}).default();
