import { InvalidRequest } from '../errors.js';
import type { Ids } from '../ports/ids.js';
import type { Logger } from '../ports/logger.js';
import type { Secrets } from '../ports/secrets.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { type WebhookRecord, webhooks } from './webhook.js';

type Headers = Readonly<Record<string, string>>;

/** Stands for the value of a header wherever a webhook is shown. In a change, it keeps the value. No value of a header has this character. */
export const HIDDEN = '…';

/** Webhooks whose values are in memory; after that many, they are read again. */
const MAX_READ = 10_000;
const secretName = (uuid: string, header: string): string => `webhook:${uuid}:header:${header}`;

export interface WebhookHeaderPorts {
  readonly store: Database;
  readonly secrets: Secrets;
  readonly ids: Pick<Ids, 'uuid'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Whether a process of another release may read the records. It would send `HIDDEN` instead of the values, so they are not sealed then. */
  readonly isMixed: () => boolean;
}

/** The additional headers of webhooks, whose values are secrets: records have their names only. */
export function createWebhookHeaders({ store, secrets, ids, log, isMixed }: WebhookHeaderPorts) {
  const known = new Map<string, { readonly version: string; readonly values: Headers }>();

  return {
    /** The headers to send; a promise if their values have to be read. */
    of({ uuid, headers, sealed_headers: version }: WebhookRecord): Headers | Promise<Headers> {
      if (version === undefined) return headers;
      const last = known.get(uuid);
      return last?.version === version ? last.values : read(uuid, Object.keys(headers), version);
    },

    put,

    delete(tx: Transaction, { uuid, headers }: WebhookRecord): void {
      for (const name of Object.keys(headers)) secrets.delete(tx, secretName(uuid, name));
    },

    /** Seals the values in records of an earlier release, or that were written beside a process of it. */
    async sealStored(): Promise<void> {
      if (isMixed()) return;
      for (const { uuid, headers, sealed_headers: version } of await store.open(webhooks).list()) {
        if (version !== undefined || Object.keys(headers).length === 0) continue;
        await store.transaction(async (tx) => {
          const webhook = await tx.in(webhooks).get(uuid);
          if (webhook) tx.in(webhooks).put(put(tx, webhook, webhook.headers));
        });
      }
    },
  };

  /** The record with these headers instead of its own. Stores their values as secrets. @throws InvalidRequest */
  function put(tx: Transaction, { sealed_headers: version, ...webhook }: WebhookRecord, given: Headers): WebhookRecord {
    const { uuid, headers: earlier } = webhook;
    const unknown = Object.keys(given).find((name) => given[name] === HIDDEN && !Object.hasOwn(earlier, name));
    if (unknown !== undefined) {
      const message = `headers.${unknown} has no value to keep: the webhook has no header of this name`;
      throw new InvalidRequest([{ path: ['headers', unknown], rule: 'any.invalid', message }]);
    }
    for (const name of Object.keys(earlier)) if (!Object.hasOwn(given, name)) secrets.delete(tx, secretName(uuid, name));
    const names = Object.keys(given);
    if (names.length === 0) return { ...webhook, headers: {} };
    // Values that are sealed already stay so.
    if (version === undefined && isMixed()) {
      const values = names.map((name) => [name, given[name] === HIDDEN ? earlier[name]! : given[name]!] as const);
      return { ...webhook, headers: Object.fromEntries(values) };
    }
    for (const name of names) {
      const value = given[name] === HIDDEN && version === undefined ? earlier[name]! : given[name]!;
      if (value !== HIDDEN) secrets.put(tx, secretName(uuid, name), value);
    }
    return { ...webhook, headers: Object.fromEntries(names.map((name) => [name, HIDDEN])), sealed_headers: ids.uuid() };
  }

  async function read(uuid: string, names: readonly string[], version: string): Promise<Headers> {
    const values: Record<string, string> = {};
    for (const name of names) {
      const value = await secrets.get(secretName(uuid, name));
      if (value !== undefined) values[name] = value;
      else log.warn('a header of a webhook is not sent, because its value is missing; set it again', { webhook_id: uuid, header: name });
    }
    if (known.size >= MAX_READ) known.clear();
    known.set(uuid, { version, values });
    return values;
  }
}

export type WebhookHeaders = ReturnType<typeof createWebhookHeaders>;
