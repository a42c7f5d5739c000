import type { SubscriptionKind } from '../dialect.js';
import { subscriptionKinds } from '../dialect.js';
import { NotFound } from '../errors.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import type { Secrets } from '../ports/secrets.js';
import { collection } from '../ports/store.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { dictionary, fields, flag, list, oneOf, type TypeOf, text } from '../shape.js';

export const webhookSchema = fields(
  {
    uuid: text(),
    number: text(),
    url: text(),
    name: text(),
    /** In our own words; the dialect has the words that travel. */
    subscriptions: list(oneOf(...subscriptionKinds)),
    hmac_digest: oneOf('sha256'),
    enabled: flag(),
    /** Extra headers of every delivery. */
    headers: dictionary(text()),
    /** Where its next events queue, by how fast it answers. */
    lane: oneOf('high', 'default', 'low'),
    created_at: text(),
  },
  {
    /** It was made with a channel, and its connector listens on it: what it answers names messages. */
    connector: flag().valid(true),
  },
);

/** An endpoint that hears of a number's events. Its secret is kept apart and shown once. */
export type WebhookRecord = TypeOf<typeof webhookSchema>;

export const webhooks = collection<WebhookRecord>({ key: 'uuid', indexes: { number: ['number', 'created_at', 'uuid'] } });

const SECRET_BYTES = 32;
const secretName = (uuid: string): string => `webhook:${uuid}`;

export type Webhooks = ReturnType<typeof createWebhooks>;

export function createWebhooks({ store, secrets, ids, clock }: { store: Database; secrets: Secrets; ids: Ids; clock: Clock }) {
  const records = store.open(webhooks);

  return {
    get: (uuid: string): Promise<WebhookRecord | undefined> => records.get(uuid),

    ofNumber: (number: string): Promise<WebhookRecord[]> => records.find('number', { equals: [number] }),

    /** @throws NotFound */
    async require(uuid: string): Promise<WebhookRecord> {
      const webhook = await records.get(uuid);
      if (!webhook) throw new NotFound('webhook', uuid);
      return webhook;
    },

    /** The webhooks of a number that hear a kind of event, as the transaction sees them. */
    async listening(tx: Transaction, number: string, kind: SubscriptionKind): Promise<WebhookRecord[]> {
      const all = await tx.in(webhooks).find('number', { equals: [number] });
      return all.filter((webhook) => webhook.subscriptions.includes(kind));
    },

    /** Makes a webhook with a secret of its own, which is returned here and nowhere else. */
    create(
      tx: Transaction,
      about: Pick<WebhookRecord, 'number' | 'url' | 'name' | 'subscriptions'> &
        Partial<Pick<WebhookRecord, 'headers' | 'enabled' | 'connector'>>,
    ): { webhook: WebhookRecord; secret: string } {
      const webhook: WebhookRecord = {
        headers: {},
        enabled: true,
        ...about,
        uuid: ids.uuid(),
        hmac_digest: 'sha256',
        lane: 'default',
        created_at: clock.now().toISOString(),
      };
      const secret = ids.secret(SECRET_BYTES);
      tx.in(webhooks).put(webhook);
      secrets.put(tx, secretName(webhook.uuid), secret);
      return { webhook, secret };
    },

    /** @throws NotFound */
    async update(tx: Transaction, uuid: string, change: Partial<WebhookRecord>): Promise<WebhookRecord> {
      const webhook = await tx.in(webhooks).get(uuid);
      if (!webhook) throw new NotFound('webhook', uuid);
      const changed = { ...webhook, ...change, uuid };
      tx.in(webhooks).put(changed);
      return changed;
    },

    /** What still waits for it is cancelled when its turn comes. @throws NotFound */
    async delete(tx: Transaction, uuid: string): Promise<void> {
      if (!(await tx.in(webhooks).get(uuid))) throw new NotFound('webhook', uuid);
      tx.in(webhooks).delete(uuid);
      secrets.delete(tx, secretName(uuid));
    },

    /** The secret deliveries are signed with. */
    secret: (uuid: string): Promise<string | undefined> => secrets.get(secretName(uuid)),
  };
}
