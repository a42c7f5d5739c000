import { type Dialect, type SubscriptionKind, subscriptionKind, subscriptionKinds } from '../dialect.js';
import { Conflict, InvalidRequest, NotFound } from '../errors.js';
import { adviceDismissed } from '../messaging/events.js';
import type { Clock } from '../ports/clock.js';
import type { HttpClient } from '../ports/http-client.js';
import type { Ids } from '../ports/ids.js';
import type { Logger } from '../ports/logger.js';
import type { SigningKey } from '../ports/outbound.js';
import { type Consumer, consume } from '../ports/queue.js';
import type { Secrets } from '../ports/secrets.js';
import { promiseOf, type Steps, wait } from '../ports/steps.js';
import { peekAll } from '../ports/store.js';
import type { Database, Transaction } from '../ports/transaction.js';
import type { Lanes } from './lanes.js';
import {
  type pauseReasons,
  secretExpiries,
  secretRotated,
  type WebhookRecord,
  webhookPaused,
  webhookReleases,
  webhookResumed,
  webhooks,
} from './webhook.js';
import { createWebhookHeaders } from './webhook-headers.js';

const SECRET_BYTES = 32;
const MAX_PER_NUMBER = 20;
/** Keys in memory: those of webhooks that no longer exist are dropped from time to time. */
const MAX_KEYS = 10_000;
const secretName = (uuid: string): string => `webhook:${uuid}`;
const previousSecretName = (uuid: string): string => `webhook:${uuid}:previous`;

/** The cause of the alert that a webhook is paused, for the case that the webhook is deleted. */
export const pausedCause = (uuid: string): string => `webhook_paused:${uuid}`;

/** Stops sending to a webhook and emits `webhook.paused`. Deliveries posted meanwhile are stored until it is resumed. */
export function pauseWebhook(
  tx: Transaction,
  webhook: WebhookRecord,
  { because, now }: { because: (typeof pauseReasons)[number]; now: Date },
): WebhookRecord {
  const paused: WebhookRecord = { ...webhook, paused_at: now.toISOString(), paused_because: because };
  tx.in(webhooks).put(paused);
  const resume = `POST /admin/v1/webhooks/${webhook.uuid}/resume`;
  const { uuid, number, failures_in_a_row: failures = 0 } = webhook;
  tx.emit(webhookPaused, { webhook: uuid, number, because, failures, resume });
  return paused;
}

/**
 * The webhook service: stores webhooks (the endpoints that receive deliveries) and their secrets. The plugin `webhooks` decides which
 * events
 * become deliveries.
 */
export type Webhooks = ReturnType<typeof createWebhooks>;

export interface WebhookPorts {
  readonly store: Database;
  readonly secrets: Secrets;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly http: Pick<HttpClient, 'refusal'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly isMixed: () => boolean;
  readonly dialect: Dialect;
  /** The names of the subscriptions that plugins contribute. */
  readonly contributed: () => readonly string[];
  readonly lanes: Pick<Lanes, 'limit'>;
}

/** A change of a webhook; `max_per_second: null` removes the limit. */
type WebhookChange = Omit<Partial<WebhookRecord>, 'max_per_second'> & { readonly max_per_second?: number | null };

export function createWebhooks({ store, secrets, ids, clock, http, log, isMixed, dialect, contributed, lanes }: WebhookPorts) {
  const records = store.open(webhooks);
  const ownHeaders = createWebhookHeaders({ store, secrets, ids, log, isMixed });
  const keys = new Map<string, SigningKey>();
  let keysMade = 0;

  return {
    /** The webhook with this uuid; undefined if there is none. */
    get: (uuid: string): Promise<WebhookRecord | undefined> => records.get(uuid),

    /** The webhooks of a number. */
    ofNumber: (number: string): Promise<WebhookRecord[]> => records.find('number', { equals: [number] }),

    /** At most `limit` webhooks of all numbers. */
    list: (limit: number): Promise<WebhookRecord[]> => records.find('number', { limit }),

    /** @throws NotFound */
    async require(uuid: string): Promise<WebhookRecord> {
      const webhook = await records.get(uuid);
      if (!webhook) throw new NotFound('webhook', uuid);
      return webhook;
    },

    /** Every subscription that a webhook can have: its internal kind, and its name in the API. Complete when all plugins are registered. */
    subscriptions: (): { kind: SubscriptionKind; name: string }[] => [
      ...subscriptionKinds.map((kind) => ({ kind, name: dialect.subscriptions[kind] })),
      ...contributed().map((name) => ({ kind: name as SubscriptionKind, name })),
    ],

    /** The subscription with this name in the API; undefined if there is none. */
    subscriptionNamed: (name: string): SubscriptionKind | undefined =>
      subscriptionKind(dialect, name) ?? (contributed().includes(name) ? (name as SubscriptionKind) : undefined),

    /** The webhooks of a number that subscribe to a kind of event, including changes of the transaction. */
    listening: (tx: Transaction, number: string, kind: SubscriptionKind): Promise<WebhookRecord[]> =>
      promiseOf(listening(tx, number, kind)),

    /** Methods of the same names for work in steps. */
    inSteps: { listening },

    /** Limits the deliveries that one event can cause. @throws Conflict when the number has the maximum of webhooks */
    async requireBelowLimit(tx: Transaction, number: string): Promise<void> {
      const existing = await tx.in(webhooks).find('number', { equals: [number], limit: MAX_PER_NUMBER });
      if (existing.length === MAX_PER_NUMBER)
        throw new Conflict('too_many_webhooks', `A number has at most ${MAX_PER_NUMBER} webhooks; delete one first`);
    },

    /** Creates a webhook with the given secret, or a new one, which only this call returns. @throws InvalidRequest when the outbound rules refuse its URL */
    create(
      tx: Transaction,
      about: Pick<WebhookRecord, 'number' | 'url' | 'name' | 'subscriptions'> &
        Partial<
          Pick<WebhookRecord, 'headers' | 'enabled' | 'connector' | 'retry_also' | 'strict_answers' | 'order' | 'max_per_second' | 'claims'>
        >,
      given?: string,
    ): { webhook: WebhookRecord; secret: string } {
      assertCallable(about.url);
      const { headers = {}, ...rest } = about;
      const plain: WebhookRecord = {
        enabled: true,
        ...rest,
        headers: {},
        uuid: ids.uuid(),
        hmac_digest: 'sha256',
        lane: 'default',
        created_at: clock.now().toISOString(),
      };
      const webhook = ownHeaders.put(tx, plain, headers);
      const secret = given ?? ids.secret(SECRET_BYTES);
      put(tx, webhook);
      secrets.put(tx, secretName(webhook.uuid), secret);
      return { webhook, secret };
    },

    /** @throws NotFound, InvalidRequest when the outbound rules refuse the new URL */
    async update(tx: Transaction, uuid: string, { headers, max_per_second: perSecond, ...change }: WebhookChange): Promise<WebhookRecord> {
      const { max_per_second: before, ...known } = await inTransaction(tx, uuid);
      const limit = perSecond === undefined ? before : (perSecond ?? undefined);
      const webhook: WebhookRecord = { ...known, ...change, ...(limit !== undefined && { max_per_second: limit }), uuid };
      if (change.url !== undefined) assertCallable(change.url);
      const changed = headers ? ownHeaders.put(tx, webhook, headers) : webhook;
      put(tx, changed);
      return changed;
    },

    /** Deletes a webhook and its secrets. Its pending deliveries are cancelled when they become due. @throws NotFound */
    async delete(tx: Transaction, uuid: string): Promise<void> {
      const webhook = await inTransaction(tx, uuid);
      ownHeaders.delete(tx, webhook);
      if (webhook.paused_at !== undefined) tx.emit(adviceDismissed, { cause: pausedCause(uuid) });
      tx.in(webhooks).delete(uuid);
      tx.afterCommit(() => lanes.limit({ uuid, enabled: false }));
      secrets.delete(tx, secretName(uuid));
      secrets.delete(tx, previousSecretName(uuid));
      changesSecrets(tx, uuid);
      tx.push(webhookReleases, { webhook: uuid }, { id: uuid });
    },

    /** Pauses a webhook until it is resumed; deliveries posted meanwhile are stored. @throws NotFound */
    async pause(tx: Transaction, uuid: string): Promise<WebhookRecord> {
      const webhook = await inTransaction(tx, uuid);
      if (webhook.paused_at !== undefined) return webhook;
      return pauseWebhook(tx, webhook, { because: 'by_hand', now: clock.now() });
    },

    /** Sends the paused deliveries in order, then newer ones. @throws NotFound */
    async resume(tx: Transaction, uuid: string): Promise<WebhookRecord> {
      const webhook = await inTransaction(tx, uuid);
      if (webhook.paused_at === undefined) return webhook;
      const { paused_at: _at, paused_because: _because, failures_in_a_row: _failures, ...rest } = webhook;
      const resumed: WebhookRecord = { ...rest, releasing: true };
      tx.in(webhooks).put(resumed);
      tx.emit(webhookResumed, { webhook: uuid, number: webhook.number });
      tx.push(webhookReleases, { webhook: uuid }, { id: uuid });
      return resumed;
    },

    /**
     * Creates a new secret, which only this call returns, and signs with it from the next attempt on. During the overlap a second
     * header has the signature by the old secret; the standard header never contains a list of signatures, because receivers
     * compare its whole value. @throws NotFound
     */
    async rotateSecret(tx: Transaction, uuid: string, { overlapMs }: { overlapMs: number }) {
      const { previous_secret_until: _, ...webhook } = await inTransaction(tx, uuid);
      const old = await secrets.get(secretName(uuid));
      const secret = ids.secret(SECRET_BYTES);
      secrets.put(tx, secretName(uuid), secret);
      const hasOverlap = overlapMs > 0 && old !== undefined;
      const until = new Date(clock.now().getTime() + overlapMs).toISOString();
      if (hasOverlap) {
        secrets.put(tx, previousSecretName(uuid), old);
        tx.push(secretExpiries, { webhook: uuid, until }, { id: uuid, notBefore: new Date(until) });
      } else secrets.delete(tx, previousSecretName(uuid));
      changesSecrets(tx, uuid);
      const rotated: WebhookRecord = { ...webhook, ...(hasOverlap && { previous_secret_until: until }) };
      tx.in(webhooks).put(rotated);
      tx.emit(secretRotated, { webhook: uuid, previous_secret_until: hasOverlap ? until : null });
      return { webhook: rotated, secret };
    },

    /** Deletes previous secrets when their overlap has ended. */
    expiries: (): Consumer =>
      consume(secretExpiries, ({ payload: { webhook: uuid, until } }) =>
        store.transaction(async (tx) => {
          const webhook = await tx.in(webhooks).get(uuid);
          // The secret was rotated again meanwhile, and the new overlap has its own job.
          if (webhook?.previous_secret_until !== until) return;
          const { previous_secret_until: _, ...rest } = webhook;
          tx.in(webhooks).put(rest);
          secrets.delete(tx, previousSecretName(uuid));
          changesSecrets(tx, uuid);
        }),
      ),

    /** Checks a URL by the rules for outgoing requests. @throws InvalidRequest when they refuse it */
    assertCallable,

    /** The additional headers of a webhook with their values; a promise if these have to be read. */
    headersOf: ownHeaders.of,

    /** Seals the values of headers that an earlier release stored. */
    sealHeaders: ownHeaders.sealStored,

    /** The key that signs deliveries. Its secret is read when a sender needs it for the first time. */
    signingKey: (uuid: string): SigningKey => keyOf(secretName(uuid)),

    /** The key of the previous secret during the overlap of a rotation, else undefined. */
    previousKey: ({ uuid, previous_secret_until: until }: WebhookRecord): SigningKey | undefined =>
      until !== undefined && clock.now().getTime() < Date.parse(until) ? keyOf(previousSecretName(uuid)) : undefined,
  };

  function put(tx: Transaction, webhook: WebhookRecord): void {
    tx.in(webhooks).put(webhook);
    tx.afterCommit(() => lanes.limit(webhook));
  }

  function* listening(tx: Transaction, number: string, kind: SubscriptionKind): Steps<WebhookRecord[]> {
    const all = yield* wait(peekAll(tx, webhooks, 'number', { equals: [number] }));
    return all.filter((webhook) => webhook.subscriptions.includes(kind));
  }

  /** The same key until the secret changes. */
  function keyOf(name: string): SigningKey {
    const known = keys.get(name);
    if (known) return known;
    if (keys.size >= MAX_KEYS) keys.clear();
    const key = { id: `${name}#${++keysMade}`, reference: name, read: () => secrets.get(name) };
    keys.set(name, key);
    return key;
  }

  /** Call in every transaction that changes a secret of a webhook. */
  function changesSecrets(tx: Transaction, uuid: string): void {
    tx.afterCommit(() => {
      keys.delete(secretName(uuid));
      keys.delete(previousSecretName(uuid));
    });
  }

  /** Checks a URL by the same rules as when a delivery is sent. */
  function assertCallable(url: string): void {
    const refusal = http.refusal?.(url);
    if (refusal !== undefined)
      throw new InvalidRequest([{ path: ['url'], rule: 'any.invalid', message: `url is not allowed: ${refusal}` }]);
  }

  async function inTransaction(tx: Transaction, uuid: string): Promise<WebhookRecord> {
    const webhook = await tx.in(webhooks).get(uuid);
    if (!webhook) throw new NotFound('webhook', uuid);
    return webhook;
  }
}
