import type { SubscriptionKind } from '../dialect.js';
import type { Subscription } from '../ports/subscription.js';
import type { Deliveries } from './deliveries.js';
import type { WebhookSubscription } from './webhook-subscription.js';
import type { Webhooks } from './webhooks.js';

/** The listeners of a subscription that a plugin contributes: they queue deliveries to the webhooks that have it. */
export function subscriptionListeners(
  { name, on }: WebhookSubscription,
  services: () => { readonly webhooks: Pick<Webhooks, 'listening'>; readonly deliveries: Pick<Deliveries, 'post'> },
): readonly Subscription[] {
  const kind = name as SubscriptionKind;
  return on(async (tx, { number, event, ...about }) => {
    const missing = Object.entries({ number, event }).find(([, value]) => typeof value !== 'string' || value === '')?.[0];
    if (missing) throw new TypeError(`the subscription '${name}' posts a delivery without its ${missing}`);
    if (typeof about.body !== 'object' || about.body === null)
      throw new TypeError(`the subscription '${name}' posts a delivery whose body is not an object`);
    const { webhooks, deliveries } = services();
    for (const webhook of await webhooks.listening(tx, number, kind))
      await deliveries.post(tx, { ...about, event: `${event}:${name}`, webhook, kind });
  });
}
