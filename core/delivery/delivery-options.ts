import Joi from 'joi';
import { type RetrySwitch, retrySwitches } from './retry.js';
import type { RetryPolicy } from './retry-policy.js';

/** What an operator may choose of how webhooks are delivered. Everything is as the interface says if nothing is chosen. */
export interface DeliveryOptions {
  /**
   * What is tried again although the interface ends retries: `http_408`, `http_429`, `http_502` (which a proxy answers while
   * the service behind it is replaced), `unknown_host`. Nothing if not given. A webhook may have its own list.
   */
  readonly retryAlso?: readonly RetrySwitch[];
  /** Whether a connector's answer of status 2XX that does not name the message is a failure, and tried again. Not if not given. */
  readonly strictAnswers?: boolean;
  /** Attempts at a time; 64 if not given. */
  readonly slots?: number;
  /** Deliveries that may wait before requests that make more of them are answered 503; 100,000 if not given. */
  readonly maxWaiting?: number;
  /** Bytes of their bodies; 256 MiB if not given. */
  readonly maxWaitingBytes?: number;
  /** Pauses a webhook after so many attempts in a row that did not deliver; an event says so and how to resume it. Never if not given. */
  readonly pauseAfterFailures?: number;
  /** How many settled deliveries are kept to look into, at most for 30 days; 100,000 if not given. The oldest are evicted first. */
  readonly kept?: number;
  /** Bytes that they may take together with their bodies and the answers to them; an eighth of the heap that Node may use if not given. */
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
