import {
  array,
  boolean,
  Conflict,
  type Dialect,
  InvalidRequest,
  object,
  owned,
  type PluginContext,
  type Route,
  route,
  type SubscriptionKind,
  string,
  subscriptionName,
  type Transaction,
  type WebhookRecord,
  withoutUndefined,
} from '#core';
import type { Advisor } from './advise.js';
import { isFreeHeader, secretRotationSchema, webhookSchemas } from './schemas.js';

const HOUR_MS = 60 * 60 * 1000;

const params = object({ uuid: string() });

/** A kind of subscription, and its name in the API. */
const listedSubscription = object({ kind: string(), name: string() });

/** The default subscription of a webhook (Events). */
const DEFAULT_SUBSCRIPTION: SubscriptionKind = 'network';

/** Admin routes that configure webhooks, which the API specification does in a user interface (Events). */
export function webhookAdminRoutes(
  { store, numbers, webhooks, deliveries, dialect, webhookClaims }: PluginContext,
  advisor: Advisor,
): Route[] {
  const { shown, newWebhook, webhookChange } = webhookSchemas(dialect);
  const oneWebhook = object({ webhook: shown });

  /** @throws Conflict when webhooks cannot claim contacts, or another webhook of the number does */
  async function requireClaimFree(tx: Transaction, number: string, own?: string): Promise<void> {
    if (!webhookClaims())
      throw new Conflict(
        'claims_off',
        'Webhooks cannot claim contacts on this platform; switch that on with the option `claims` of the plugin `messages`',
      );
    const other = (await webhooks.listening(tx, number, 'network')).find((webhook) => webhook.claims && webhook.uuid !== own);
    if (other)
      throw new Conflict(
        'claimed_by_other',
        `The webhook ${other.uuid} claims the contacts of this number; set its \`claims\` to false first`,
      );
  }

  return [
    route({
      method: 'GET',
      path: '/webhooks',
      permission: 'webhooks.read',
      accounts: { number: owned.number },
      shards: { list: 'webhooks', by: ['created_at', 'uuid'], order: 'ascending' },
      summary: 'Lists the webhooks of a number, or of all numbers, oldest first, and the subscriptions that a webhook can have.',
      request: { query: object({}, { number: string() }) },
      responses: { 200: object({ webhooks: array(shown), subscriptions: array(listedSubscription) }) },
      async handler({ query: { number } }) {
        if (number !== undefined) await numbers.require(number);
        const owners = number === undefined ? (await numbers.list()).map(({ uuid }) => uuid) : [number];
        const found = (await Promise.all(owners.map((owner) => webhooks.ofNumber(owner)))).flat();
        return {
          webhooks: found.map((webhook) => inDialect(dialect, webhook)),
          subscriptions: webhooks.subscriptions(),
        };
      },
    }),
    route({
      method: 'POST',
      path: '/webhooks',
      permission: 'webhooks.write',
      accounts: { number: owned.number },
      summary: 'Creates a webhook. Only this response contains its secret.',
      request: { payload: newWebhook },
      responses: { 201: object({ webhook: shown, hmac_secret: string() }) },
      async handler({ payload: { hmac_digest: _, name = 'Webhook', subscriptions: chosen, headers = {}, enabled = true, ...about } }, h) {
        const number = await numbers.require(about.number);
        checkHeaders(headers);
        const kinds = chosen ? kindsOf(webhooks, chosen) : [DEFAULT_SUBSCRIPTION];
        const { webhook, secret } = await store.transaction(async (tx) => {
          await webhooks.requireBelowLimit(tx, about.number);
          if (about.claims === true) await requireClaimFree(tx, about.number);
          const created = webhooks.create(tx, { ...withoutUndefined(about), name, headers, enabled, subscriptions: kinds });
          advisor.subscribed(tx, number, created.webhook);
          return created;
        });
        return h.response({ webhook: inDialect(dialect, webhook), hmac_secret: secret }).code(201);
      },
    }),
    route({
      method: 'GET',
      path: '/webhooks/{uuid}',
      permission: 'webhooks.read',
      accounts: { uuid: owned.webhook },
      summary: 'Shows a webhook, without its secret.',
      request: { params },
      responses: { 200: oneWebhook },
      async handler({ params: { uuid } }) {
        const webhook = await webhooks.require(uuid);
        return { webhook: { ...inDialect(dialect, webhook), ...(webhook.order === 'strict' && { blocked: deliveries.blocked(uuid) }) } };
      },
    }),
    route({
      method: 'PATCH',
      path: '/webhooks/{uuid}',
      permission: 'webhooks.write',
      accounts: { uuid: owned.webhook },
      summary: 'Changes a webhook. Deliveries that were cancelled while it was disabled can be redelivered.',
      request: { params, payload: webhookChange },
      responses: { 200: oneWebhook },
      async handler({ params: { uuid }, payload: { subscriptions: chosen, ...rest } }) {
        checkHeaders(rest.headers ?? {});
        const change = withoutUndefined(rest);
        const kinds = chosen && { subscriptions: kindsOf(webhooks, chosen) };
        if (kinds && (await webhooks.require(uuid)).connector && kinds.subscriptions.join() !== 'channel') {
          throw new Conflict(
            'connector_webhook',
            'The webhook of a connector can subscribe only to the channel; create another webhook for other subscriptions',
          );
        }
        const changed = await store.transaction(async (tx) => {
          const webhook = await webhooks.update(tx, uuid, { ...change, ...kinds });
          if (change.claims === true) await requireClaimFree(tx, webhook.number, uuid);
          if (kinds) advisor.subscribed(tx, await numbers.require(webhook.number), webhook);
          if (change.enabled === true) await advisor.enabled(tx, uuid);
          return webhook;
        });
        return { webhook: inDialect(dialect, changed) };
      },
    }),
    route({
      method: 'POST',
      path: '/webhooks/{uuid}/pause',
      permission: 'webhooks.pause',
      accounts: { uuid: owned.webhook },
      summary: 'Pauses a webhook until it is resumed. Deliveries are stored meanwhile.',
      keepsNothing: true,
      request: { params },
      responses: { 200: oneWebhook },
      handler: async ({ params: { uuid } }) => ({
        webhook: inDialect(dialect, await store.transaction((tx) => webhooks.pause(tx, uuid))),
      }),
    }),
    route({
      method: 'POST',
      path: '/webhooks/{uuid}/resume',
      permission: 'webhooks.pause',
      accounts: { uuid: owned.webhook },
      summary: 'Resumes a webhook: sends the paused deliveries in order, then newer deliveries.',
      keepsNothing: true,
      request: { params },
      responses: { 200: oneWebhook },
      handler: async ({ params: { uuid } }) => ({
        webhook: inDialect(dialect, await store.transaction((tx) => webhooks.resume(tx, uuid))),
      }),
    }),
    route({
      method: 'POST',
      path: '/webhooks/{uuid}/rotate-secret',
      permission: 'webhooks.secrets',
      accounts: { uuid: owned.webhook },
      summary:
        'Replaces the secret of a webhook. Only this response contains the new secret. For `overlap_hours` a second header has the signature by the old secret.',
      request: { params, payload: secretRotationSchema },
      responses: { 200: object({ webhook: shown, hmac_secret: string() }) },
      async handler({ params: { uuid }, payload }) {
        const { overlap_hours: hours = 0 } = payload ?? {};
        const { webhook, secret } = await store.transaction((tx) => webhooks.rotateSecret(tx, uuid, { overlapMs: hours * HOUR_MS }));
        return { webhook: inDialect(dialect, webhook), hmac_secret: secret };
      },
    }),
    route({
      method: 'DELETE',
      path: '/webhooks/{uuid}',
      permission: 'webhooks.write',
      accounts: { uuid: owned.webhook },
      summary: 'Deletes a webhook, and cancels its pending deliveries.',
      request: { params },
      responses: { 200: object({ success: boolean() }) },
      async handler({ params: { uuid } }) {
        if ((await webhooks.require(uuid)).connector) {
          throw new Conflict(
            'connector_webhook',
            'The webhook of a connector cannot be deleted, because its channel needs it; change the url of the webhook, or remove the channel',
          );
        }
        await store.transaction((tx) => webhooks.delete(tx, uuid));
        return { success: true };
      },
    }),
  ];
}

const inDialect = (
  dialect: Dialect,
  { connector: _connector, releasing: _releasing, sealed_headers: _sealed, ...webhook }: WebhookRecord,
) => ({
  ...webhook,
  subscriptions: webhook.subscriptions.map((kind) => subscriptionName(dialect, kind)),
});

/** @throws InvalidRequest for a subscription that no loaded plugin contributes */
const kindsOf = (webhooks: PluginContext['webhooks'], names: readonly string[]): SubscriptionKind[] =>
  names.map((name, i) => {
    const kind = webhooks.subscriptionNamed(name);
    if (kind !== undefined) return kind;
    const known = webhooks.subscriptions().map((one) => one.name);
    const message = `subscriptions[${i}] must be one of [${known.join(', ')}]`;
    throw new InvalidRequest([{ path: ['subscriptions', i], rule: 'any.only', message }]);
  });

function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(headers)) {
    if (!isFreeHeader(name)) {
      throw new InvalidRequest([
        {
          path: ['headers', name],
          rule: 'any.invalid',
          message: `headers.${name} cannot be set: it is reserved or not a valid header name`,
        },
      ]);
    }
  }
}
