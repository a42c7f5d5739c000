import type { AttemptRecord, DeliveryRecord, NumberRecord, WebhookRecord } from '#core';

export type { AttemptRecord, DeliveryRecord, NumberRecord };

/** A webhook as the admin API shows it: subscriptions have the names of the API. */
export type ShownWebhook = Omit<WebhookRecord, 'subscriptions' | 'connector'> & {
  readonly subscriptions: readonly string[];
  readonly blocked?: { readonly conversations: number; readonly deliveries: number };
};

export interface ShownChannel {
  readonly number: NumberRecord;
  /** Those that receive the messages of the channel; the connector is the first. */
  readonly webhooks: readonly { readonly uuid: string; readonly url: string }[];
}
