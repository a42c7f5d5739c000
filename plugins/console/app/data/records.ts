import type { AttemptRecord, DeliveryRecord, NumberRecord, WebhookRecord } from '#core';

export type { AttemptRecord, DeliveryRecord, NumberRecord };

/** A webhook as the admin API shows it: subscriptions have the names of the API. */
export type ShownWebhook = Omit<WebhookRecord, 'subscriptions' | 'connector'> & {
  readonly subscriptions: readonly string[];
  readonly blocked?: { readonly conversations: number; readonly deliveries: number };
};

/** The connection of a number to a service. */
export interface Connection {
  readonly number: NumberRecord;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly connected_at: string;
  readonly stopped: { readonly at: string; readonly code: number; readonly title: string } | null;
  /** The state of the loop that receives for the number; null if the service calls the platform. */
  readonly receiving: { readonly failures: number; readonly last_error: string | null; readonly next_at: string | null } | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface ShownChannel {
  readonly number: NumberRecord;
  /** Those that receive the messages of the channel; the connector is the first. */
  readonly webhooks: readonly { readonly uuid: string; readonly url: string }[];
}
