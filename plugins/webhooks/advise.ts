import {
  advice,
  beforeCommit,
  type DeliveryRecord,
  type DeliverySettled,
  deliverySettled,
  type MessageRecord,
  type NumberRecord,
  type PluginContext,
  type Subscription,
  type SubscriptionKind,
  type Transaction,
  type WebhookRecord,
} from '#core';
import { adviceOnce } from '#core/messaging';
import { issuedAdvice } from './records.js';

/** Statuses with which receivers reject a signature. */
const REJECTIONS = [400, 401, 403];
const LOOKBACK = 20;
/** Begins the key of advice on rejected deliveries; the webhook follows. */
const REJECTED = 'rejected:';

export type Advisor = ReturnType<typeof createAdvisor>;

/** Issues advice on common mistakes with webhooks. Advice on subscriptions is issued on every change, other advice at most once a month. */
export function createAdvisor({ webhooks, deliveries, dialect, clock, store }: PluginContext) {
  const once = adviceOnce(issuedAdvice, clock);
  const names = dialect.subscriptions;
  /** Webhooks with advice on rejected deliveries. Kept in memory, so that a delivery to any other webhook reads no record. */
  const rejecting = new Set<string>();

  /** When the webhook accepted one of its latest deliveries; undefined if it accepted none of them. */
  async function lastAccepted(webhook: string): Promise<string | undefined> {
    for (const { uuid, state, run, created_at } of await deliveries.list({ webhook, limit: LOOKBACK })) {
      if (state === 'delivered') return created_at;
      // For a redelivered delivery, only its attempts show whether an earlier run was delivered.
      const accepted = run > 1 ? (await deliveries.show(uuid)).attempts.find(({ result }) => result === 'delivered') : undefined;
      if (accepted) return accepted.started_at;
    }
    return undefined;
  }

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
    enabled: (tx: Transaction, webhook: string): Promise<void> => once.reset(tx, `muted:${webhook}`),

    /** Reactions were enabled for a number: advise again if they are disabled later. */
    reactionEnabled: (tx: Transaction, { uuid }: NumberRecord): Promise<void> => once.reset(tx, `reaction:${uuid}`),

    dismissals: once.dismissals,

    /** Loads which webhooks have advice on rejected deliveries. */
    async load(): Promise<void> {
      for (const { key } of await store.open(issuedAdvice).find('at'))
        if (key.startsWith(REJECTED)) rejecting.add(key.slice(REJECTED.length));
    },

    /** Advises if webhooks would have received a reaction that is not enabled for the number. */
    async reactionNotEnabled(tx: Transaction, number: NumberRecord, { uuid }: MessageRecord): Promise<void> {
      if ((await webhooks.listening(tx, number.uuid, 'network')).length === 0) return;
      await once.issue(tx, `reaction:${number.uuid}`, {
        name: 'reactions_not_enabled',
        number: number.uuid,
        message: `A contact reacted to a message, but no webhook was notified: reactions are disabled for number '${number.name}'.`,
        fix: `To enable reactions: PATCH /admin/v1/numbers/${number.uuid} with {"reactions": true}.`,
        about: { message: uuid },
      });
    },

    settled: beforeCommit(deliverySettled, ({ delivery }: DeliverySettled, tx: Transaction) => {
      // A replay may be edited to be rejected.
      if (delivery.replay_of !== undefined) return undefined;
      if (delivery.state === 'cancelled') return adviseOnCancelled(tx, delivery);
      const isFixed = delivery.state === 'delivered' && rejecting.delete(delivery.webhook);
      return isFixed ? once.reset(tx, `${REJECTED}${delivery.webhook}`) : undefined;
    }) as Subscription,
  };

  async function adviseOnCancelled(tx: Transaction, delivery: DeliveryRecord): Promise<void> {
    const webhook = await webhooks.get(delivery.webhook);
    if (!webhook) return;
    const about = { webhook: webhook.uuid, delivery: delivery.uuid };
    if (delivery.reason === 'webhook_disabled') {
      await once.issue(tx, `muted:${webhook.uuid}`, {
        name: 'webhook_muted',
        severity: 'warning',
        number: webhook.number,
        message: `${nameOf(webhook)} is disabled, so its deliveries are cancelled.`,
        fix: `Enable it (PATCH /admin/v1/webhooks/${webhook.uuid} with {"enabled": true}), then redeliver the cancelled deliveries (POST /admin/v1/deliveries/redeliver).`,
        about,
      });
    }
    if (!REJECTIONS.includes(delivery.last_status ?? 0)) return;
    const cause = `${REJECTED}${webhook.uuid}`;
    if (await once.wasIssued(tx, cause)) return;
    const accepted = await lastAccepted(webhook.uuid);
    // A receiver may respond with 400 to one body that it cannot read. Once it has accepted a delivery, only 401 and 403 mean the signature.
    if (accepted !== undefined && delivery.last_status === 400) return;
    rejecting.add(webhook.uuid);
    if (accepted !== undefined) {
      return once.issue(tx, cause, {
        name: 'signature_no_longer_verified',
        severity: 'warning',
        number: webhook.number,
        message: `${nameOf(webhook)} responded with ${delivery.last_status}, although it accepted a delivery at ${accepted}: its secret or its signature check has changed.`,
        fix: `Verify with the hmac_secret of this webhook. ${sandboxPrints(webhook)} Elsewhere, if it is lost, rotate it: POST /admin/v1/webhooks/${webhook.uuid}/rotate-secret. Then redeliver: POST /admin/v1/deliveries/${delivery.uuid}/redeliver.`,
        about,
      });
    }
    await once.issue(tx, cause, {
      name: 'signature_never_verified',
      severity: 'warning',
      number: webhook.number,
      message: `${nameOf(webhook)} responded with ${delivery.last_status} and has never accepted a delivery: it probably verifies signatures with another secret, or its server asks for a login.`,
      fix: `Compute the HMAC-SHA256 of the raw body with the hmac_secret of this webhook, and compare the result in base64 with the header ${dialect.headers.signature}. ${sandboxPrints(webhook)} Exempt the endpoint from the login and the CSRF check of its server; in hapi: auth: false, plugins: { crumb: false }.`,
      about,
    });
  }
}

/** The webhook of a connector has the name of its channel. */
const nameOf = ({ name, subscriptions }: WebhookRecord): string =>
  subscriptions.includes('channel') ? `The connector of channel '${name}'` : `Webhook '${name}'`;

/** The command that prints the secret of a webhook: `env` has that of the connector, and `status` all. */
const sandboxPrints = ({ number, subscriptions }: WebhookRecord): string =>
  `In a sandbox, npx posthorn ${subscriptions.includes('channel') ? `env --number ${number}` : 'status'} prints the secret.`;

const emit = (tx: Transaction, payload: { name: string; number: string; message: string; fix: string; about?: Record<string, string> }) =>
  tx.emit(advice, payload);
