import Joi from 'joi';
import { type RetrySwitch, retrySwitches } from './retry.js';
import type { RetryPolicy } from './retry-policy.js';

/** Options for deliveries to webhooks. The defaults follow the API specification (Limits, "Webhook timing and retries"). */
export interface DeliveryOptions {
  /**
   * Additional outcomes to retry. By default these cancel the delivery: `http_408`, `http_429`, `http_502` (proxies send it while the
   * service behind them restarts), `unknown_host`. The `retry_also` of a webhook overrides this option.
   */
  readonly retryAlso?: readonly RetrySwitch[];
  /** Whether to treat a connector's 2XX response without a message id as a failure, and retry the delivery; false if not given. */
  readonly strictAnswers?: boolean;
  /** Maximum number of concurrent attempts; 64 if not given. */
  readonly slots?: number;
  /** Maximum number of unsettled deliveries; 100,000 if not given. Above it, calls that would create more get 503. */
  readonly maxWaiting?: number;
  /** Maximum total bytes of the bodies of unsettled deliveries; 256 MiB if not given. Above it, calls that would create more get 503. */
  readonly maxWaitingBytes?: number;
  /** Pauses a webhook after this many failed attempts in a row and emits `webhook.paused`. Never if not given. */
  readonly pauseAfterFailures?: number;
  /**
   * Maximum number of settled deliveries that are stored for inspection; 100,000 if not given. The oldest are evicted first, and all after
   * 30 days.
   */
  readonly kept?: number;
  /** Maximum total bytes of settled deliveries, with their bodies and responses; an eighth of Node's heap limit if not given. */
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
