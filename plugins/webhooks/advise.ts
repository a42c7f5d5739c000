import {
  advice,
  beforeCommit,
  type DeliverySettled,
  deliverySettled,
  type NumberRecord,
  type PluginContext,
  type Subscription,
  type SubscriptionKind,
  type Transaction,
  type WebhookRecord,
} from '#core';
import { adviceOnce } from '#core/areas';
import { issuedAdvice } from './records.js';

/** Statuses with which receivers reject a signature. */
const REJECTIONS = [400, 401, 403];
const LOOKBACK = 20;

export type Advisor = ReturnType<typeof createAdvisor>;

/** Issues advice on common mistakes with webhooks. Advice on subscriptions is issued on every change, other advice at most once a month. */
export function createAdvisor({ webhooks, deliveries, dialect, clock }: PluginContext) {
  const once = adviceOnce(issuedAdvice, clock);
  const names = dialect.subscriptions;

  return {
    /** Advises if the subscriptions of a webhook do not suit the kind of its number. */
    subscribed(tx: Transaction, number: NumberRecord, webhook: WebhookRecord): void {
      const about = { webhook: webhook.uuid };
      const has = (kind: SubscriptionKind): boolean => webhook.subscriptions.includes(kind);
      if (number.kind === 'channel') {
        if (has('service')) {
          emit(tx, {
            name: 'subscription_never_fires',
            number: number.uuid,
            message: `Webhook '${webhook.name}' subscribes to ${names.service}, which never fires on channels.`,
            fix: `Subscribe to ${names.channel} to receive messages to contacts, or create the webhook on a number of the network.`,
            about,
          });
        }
        const unsuitable = (['network', 'journey_outbound'] as const).filter(has).map((kind) => names[kind]);
        if (unsuitable.length > 0) {
          emit(tx, {
            name: 'subscription_not_for_connectors',
            number: number.uuid,
            message: `Webhook '${webhook.name}' of a channel subscribes to ${unsuitable.join(' and ')}, to which the webhook of a connector must not subscribe.`,
            fix: `If this webhook belongs to a connector, subscribe it to ${names.channel} only. Otherwise ignore this advice.`,
            about,
          });
        }
      } else if (has('channel')) {
        emit(tx, {
          name: 'subscription_never_fires',
          number: number.uuid,
          message: `Webhook '${webhook.name}' subscribes to ${names.channel}, which fires only on channels; this number is of kind '${number.kind}'.`,
          fix: `Subscribe to ${names.network}, ${names.service} or ${names.journey_outbound}.`,
          about,
        });
      }
    },

    /** A webhook was enabled: advise again if it is disabled later. */
    enabled: (tx: Transaction, webhook: string): void => once.reset(tx, `muted:${webhook}`),

    /** Advises if webhooks would have received a reaction that is not enabled for the number. */
    async reactionNotEnabled(tx: Transaction, number: NumberRecord): Promise<void> {
      if ((await webhooks.listening(tx, number.uuid, 'network')).length === 0) return;
      await once.issue(tx, `reaction:${number.uuid}`, {
        name: 'reactions_not_enabled',
        number: number.uuid,
        message: `A contact reacted to a message, but no webhook was notified: reactions are disabled for number '${number.name}'.`,
        fix: `To enable reactions: PATCH /admin/v1/numbers/${number.uuid} with {"reactions": true}.`,
      });
    },

    settled: beforeCommit(deliverySettled, async ({ delivery }: DeliverySettled, tx: Transaction) => {
      // A replay may be edited to be rejected.
      if (delivery.state !== 'cancelled' || delivery.replay_of !== undefined) return;
      const webhook = await webhooks.get(delivery.webhook);
      if (!webhook) return;
      const about = { webhook: webhook.uuid, delivery: delivery.uuid };
      if (delivery.reason === 'webhook_disabled') {
        await once.issue(tx, `muted:${webhook.uuid}`, {
          name: 'webhook_muted',
          number: webhook.number,
          message: `Webhook '${webhook.name}' is disabled, so its deliveries are cancelled.`,
          fix: `Enable it (PATCH /admin/v1/webhooks/${webhook.uuid} with {"enabled": true}), then redeliver the cancelled deliveries (POST /admin/v1/deliveries/redeliver).`,
          about,
        });
      }
      if (!REJECTIONS.includes(delivery.last_status ?? 0)) return;
      if (await once.wasIssued(tx, `rejected:${webhook.uuid}`)) return;
      const earlier = await deliveries.list({ webhook: webhook.uuid, limit: LOOKBACK });
      for (const { uuid, state, run } of earlier) {
        // For a redelivered delivery, only its attempts show whether an earlier run was delivered.
        if (state === 'delivered') return;
        if (run > 1 && (await deliveries.show(uuid)).attempts.some(({ result }) => result === 'delivered')) return;
      }
      await once.issue(tx, `rejected:${webhook.uuid}`, {
        name: 'signature_never_verified',
        number: webhook.number,
        message: `Webhook '${webhook.name}' responded with ${delivery.last_status} and has never accepted a delivery: it probably verifies signatures with another secret.`,
        fix: `Compute the HMAC-SHA256 of the raw body with the hmac_secret of this webhook, and compare the result in base64 with the header ${dialect.headers.signature}.`,
        about,
      });
    }) as Subscription,
  };
}

const emit = (tx: Transaction, payload: { name: string; number: string; message: string; fix: string; about?: Record<string, string> }) =>
  tx.emit(advice, payload);
