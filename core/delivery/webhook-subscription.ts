import type Joi from 'joi';
import type { SubscriptionKind } from '../dialect.js';
import type { Subscription } from '../ports/subscription.js';
import type { Transaction } from '../ports/transaction.js';

/** An event for the webhooks of a number that have the subscription of a plugin. */
export interface SubscribedEvent {
  /** The uuid of the number whose webhooks receive it. */
  readonly number: string;
  /** Idempotency key of the subscription: posting it again changes nothing. */
  readonly event: string;
  readonly body: object;
  /** The uuid of the conversation: first attempts of deliveries with the same one are in order. */
  readonly conversation?: string;
  /** The uuid of the message that the event is about. */
  readonly message?: string;
}

/** A subscription that webhooks can have besides those of the platform. Its deliveries have the same order, retries and signature. */
export interface WebhookSubscription {
  /** The name that webhooks subscribe to, and the value of the subscription header: `<plugin>.<name>`. */
  readonly name: string;
  /** One sentence that says when webhooks receive it. */
  readonly summary: string;
  /** Further details for developers of receivers, in Markdown. */
  readonly description?: string;
  /** The schema of the bodies. The OpenAPI document shows it, and in a test platform a delivery with another body fails. */
  readonly body: Joi.Schema;
  /** Returns listeners made with `beforeCommit`, which call `post` in the transaction of their event. */
  on(post: (tx: Transaction, event: SubscribedEvent) => Promise<void>): readonly Subscription[];
}

/** A delivery before it is queued. */
export interface DeliveryDraft {
  readonly number: string;
  readonly body: object;
  /** The uuids of the message and conversation that it is about. */
  readonly message?: string | undefined;
  readonly conversation?: string | undefined;
}

/** A field that a plugin adds to the bodies of a subscription, under the name of the plugin. It never replaces another field. */
export interface PayloadField {
  readonly subscription: SubscriptionKind;
  /** One sentence about the field. */
  readonly summary: string;
  /** The schema of the value. The OpenAPI document shows it, and in a test platform a delivery with another value fails. */
  readonly schema: Joi.Schema;
  /** Returns the value, as JSON; undefined adds no field. It runs in the transaction that queues the delivery, once for each webhook. */
  value(tx: Transaction, delivery: DeliveryDraft): unknown;
}

/** A field with the plugin that adds it. */
export interface OwnedField extends PayloadField {
  readonly plugin: string;
}

/** The body of a delivery with the fields that plugins add to it. The fields of the body remain as they are. */
export async function withFields(tx: Transaction, fields: readonly OwnedField[], draft: DeliveryDraft): Promise<object> {
  const { number, body, message, conversation } = draft;
  const added: Record<string, unknown> = {};
  for (const field of fields) {
    const value = await field.value(tx, { number, body, message, conversation });
    if (value !== undefined) added[field.plugin] = value;
  }
  return { ...body, ...added, ...body };
}
