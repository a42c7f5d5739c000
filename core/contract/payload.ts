import type Joi from 'joi';
import type { SubscriptionKind } from '../dialect.js';

/**
 * A request that the platform sends to an endpoint of a customer: what the OpenAPI document lists under `webhooks`. Every such request is a
 * POST with a JSON body, signed with the secret that its receiver has.
 */
export interface Payload {
  /** camelCase, unique on a platform. */
  readonly name: string;
  /** One sentence: when it is sent. */
  readonly summary: string;
  /** More for the developer of the receiver, in Markdown. */
  readonly description?: string;
  /**
   * The subscription whose webhooks receive it, as a delivery with retries. Without one it goes to an endpoint that is configured
   * otherwise, and the plugin sends it itself.
   */
  readonly subscription?: SubscriptionKind;
  /** Its headers besides those of the signature and the subscription: their descriptions by their names. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Joi.ObjectSchema;
  readonly body: Joi.Schema;
  /** Every answer that matters to the platform, by its status (`200`, `4XX`); the answers of deliveries if not given. */
  readonly answers?: Readonly<Record<string, PayloadAnswer>>;
}

/** How the receiver may answer, and what follows. */
export interface PayloadAnswer {
  readonly description: string;
  readonly body?: Joi.Schema;
  /** Headers that the platform reads: their descriptions by their names. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The consequences of each response to a delivery (Limits, "Webhook timing and retries"). */
export const deliveryAnswers = {
  '2XX': { description: 'Delivered. The body is not read.' },
  '4XX': { description: 'The delivery fails without a retry, unless `retry_also` of the webhook names the status.' },
  '5XX': {
    description: 'The platform retries, up to 5 times within 140 seconds. A 502 ends retries, unless `retry_also` of the webhook names it.',
  },
} as const satisfies Readonly<Record<string, PayloadAnswer>>;
