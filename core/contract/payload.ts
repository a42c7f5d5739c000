import type Joi from 'joi';
import type { WebhookSubscription } from '../delivery/webhook-subscription.js';
import type { SubscriptionKind } from '../dialect.js';

/**
 * Declares one kind of outgoing request that the platform sends to an endpoint of a customer: its headers, query, body and the possible
 * responses. The OpenAPI document lists it under `webhooks`. The request is a POST with a JSON body, signed with the secret of the
 * receiver.
 */
export interface Payload {
  /** The name of the payload in camelCase, unique on a platform. */
  readonly name: string;
  /** One sentence that says when the platform sends the request. */
  readonly summary: string;
  /** Further details for developers of receivers, in Markdown. */
  readonly description?: string;
  /**
   * The subscription whose webhooks receive the request, as a delivery with retries. Without a subscription the plugin sends the request
   * itself, to an endpoint from its own configuration.
   */
  readonly subscription?: SubscriptionKind;
  /** Descriptions of further headers, by header name. The headers of the signature and the subscription are added. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The schema of the query string. */
  readonly query?: Joi.ObjectSchema;
  /** The schema of the JSON body. */
  readonly body: Joi.Schema;
  /** Whether the OpenAPI document omits the payload, because its receiver is a service with an API of its own. Deliveries are still checked. */
  readonly isUnlisted?: boolean;
  /** Responses that the platform distinguishes, by status (`200`, `4XX`); `deliveryAnswers` if not given. */
  readonly answers?: Readonly<Record<string, PayloadAnswer>>;
}

/** A response of the receiver, and its effect. */
export interface PayloadAnswer {
  readonly description: string;
  readonly body?: Joi.Schema;
  /** Descriptions of the response headers that the platform reads, by header name. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Responses to a delivery, and their effects (Limits, "Webhook timing and retries"). */
export const deliveryAnswers = {
  '2XX': { description: 'Delivered. The body has no effect; its first 4 KB are recorded.' },
  '3XX': { description: 'The platform retries: it does not follow redirects.' },
  '4XX': { description: 'The delivery fails without a retry, unless `retry_also` of the webhook names the status.' },
  '5XX': {
    description:
      'The platform retries, up to 5 times within 140 seconds. A 502 cancels the delivery, unless `retry_also` of the webhook names it.',
  },
} as const satisfies Readonly<Record<string, PayloadAnswer>>;

/** The payload of a subscription that a plugin contributes; `surveys.answer` becomes `surveysAnswer`. */
export const subscriptionPayload = ({ name, summary, description, body }: WebhookSubscription): Payload => ({
  name: name.replaceAll(/[^a-zA-Z0-9]+(.)/g, (_, letter: string) => letter.toUpperCase()),
  summary,
  body,
  subscription: name as SubscriptionKind,
  ...(description !== undefined && { description }),
});
