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

/** Statuses with which receivers refuse a signature. */
const REJECTIONS = [400, 401, 403];
const LOOKBACK = 20;

export type Advisor = ReturnType<typeof createAdvisor>;

/** Says what is allowed and probably not meant: the mistakes that cost people a day. Each is said once a month. */
export function createAdvisor({ webhooks, deliveries, dialect, clock }: PluginContext) {
  const once = adviceOnce(issuedAdvice, clock);
  const words = dialect.subscriptions;

  return {
    /** What a webhook subscribes to does not go with its number. */
    subscribed(tx: Transaction, number: NumberRecord, webhook: WebhookRecord): void {
      const about = { webhook: webhook.uuid };
      const has = (kind: SubscriptionKind): boolean => webhook.subscriptions.includes(kind);
      if (number.kind === 'channel') {
        if (has('service')) {
          emit(tx, {
            name: 'subscription_never_fires',
            number: number.uuid,
            message: `Webhook '${webhook.name}' subscribes to ${words.service}, which never fires on a channel.`,
            fix: `Subscribe to ${words.channel} for what is sent to contacts, or move the webhook to a number of the network.`,
            about,
          });
        }
        const unfit = (['network', 'journey_outbound'] as const).filter(has).map((kind) => words[kind]);
        if (unfit.length > 0) {
          emit(tx, {
            name: 'subscription_not_for_connectors',
            number: number.uuid,
            message: `Webhook '${webhook.name}' of a channel subscribes to ${unfit.join(' and ')}, ${unfit.length > 1 ? 'which fire but are' : 'which fires but is'} not for its connector.`,
            fix: `Keep it if it only listens in; a connector subscribes to ${words.channel} and to nothing else.`,
            about,
          });
        }
      } else if (has('channel')) {
        emit(tx, {
          name: 'subscription_never_fires',
          number: number.uuid,
          message: `Webhook '${webhook.name}' subscribes to ${words.channel}, which fires on channels only; this number is of kind '${number.kind}'.`,
          fix: `Subscribe to ${words.network}, ${words.service} or ${words.journey_outbound}.`,
          about,
        });
      }
    },

    /** A webhook is heard of again, so that its next silence is said again. */
    enabled: (tx: Transaction, webhook: string): void => once.forget(tx, `muted:${webhook}`),

    async reactionUnheard(tx: Transaction, number: NumberRecord): Promise<void> {
      if ((await webhooks.listening(tx, number.uuid, 'network')).length === 0) return;
      await once.say(tx, `reaction:${number.uuid}`, {
        name: 'reactions_not_enabled',
        number: number.uuid,
        message: `A contact reacted to a message, and no webhook was told: reactions are switched off for number '${number.name}'.`,
        fix: 'Switch them on: PATCH /admin/v1/numbers/<uuid> with {"reactions": true}.',
      });
    },

    settled: beforeCommit(deliverySettled, async ({ delivery }: DeliverySettled, tx: Transaction) => {
      if (delivery.state !== 'cancelled') return;
      const webhook = await webhooks.get(delivery.webhook);
      if (!webhook) return;
      const about = { webhook: webhook.uuid, delivery: delivery.uuid };
      if (delivery.reason === 'webhook_disabled') {
        await once.say(tx, `muted:${webhook.uuid}`, {
          name: 'webhook_muted',
          number: webhook.number,
          message: `Webhook '${webhook.name}' is switched off, so it hears nothing of what happens.`,
          fix: `Switch it on (PATCH /admin/v1/webhooks/${webhook.uuid} with {"enabled": true}) and redeliver what it missed.`,
          about,
        });
      }
      if (!REJECTIONS.includes(delivery.last_status ?? 0)) return;
      if (await once.isSent(tx, `rejected:${webhook.uuid}`)) return;
      const earlier = await deliveries.list({ webhook: webhook.uuid, limit: LOOKBACK });
      for (const { uuid, state, run } of earlier) {
        // One that was started again has its earlier runs in its attempts only.
        if (state === 'delivered') return;
        if (run > 1 && (await deliveries.show(uuid)).attempts.some(({ result }) => result === 'delivered')) return;
      }
      await once.say(tx, `rejected:${webhook.uuid}`, {
        name: 'signature_never_verified',
        number: webhook.number,
        message: `Webhook '${webhook.name}' answered ${delivery.last_status}, and has never taken a delivery: it probably checks signatures with another secret.`,
        fix: `Use the hmac_secret of this webhook over the raw bytes of the body, and compare the base64 of it with ${dialect.headers.signature}.`,
        about,
      });
    }) as Subscription,
  };
}

const emit = (tx: Transaction, payload: { name: string; number: string; message: string; fix: string; about?: Record<string, string> }) =>
  tx.emit(advice, payload);
