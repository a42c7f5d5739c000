import type { PluginContext, Transaction } from '#core';
import type { ReadableCollection } from '#core/ports';
import { type SecretName, secretNames } from '../records.js';
import { redacted } from '../running/http-request.js';
import type { SecretView } from '../schemas.js';

export type JourneySecrets = ReturnType<typeof createSecrets>;

export function createSecrets({ store, secrets, clock }: Pick<PluginContext, 'store' | 'secrets' | 'clock'>) {
  let names: ReadableCollection<SecretName> | undefined;
  const opened = (): ReadableCollection<SecretName> => {
    names ??= store.open(secretNames);
    return names;
  };
  const keyOf = (number: string, name: string): string => `${number}/${name}`;

  return {
    list: (number: string): Promise<SecretName[]> => opened().find('name', { equals: [number] }),

    async put(tx: Transaction, number: string, name: string, value: string): Promise<SecretView> {
      const key = keyOf(number, name);
      const known = await tx.in(secretNames).get(key);
      const record = known ?? { key, number, name, created_at: clock.now().toISOString() };
      tx.in(secretNames).put(record);
      secrets.put(tx, key, value);
      return viewOf(record);
    },

    async delete(tx: Transaction, number: string, name: string): Promise<boolean> {
      const key = keyOf(number, name);
      const known = await tx.in(secretNames).get(key);
      tx.in(secretNames).delete(key);
      secrets.delete(tx, key);
      return known !== undefined;
    },

    async values(number: string): Promise<ReadonlyMap<string, string>> {
      const values = new Map<string, string>();
      for (const { key, name } of await this.list(number)) {
        const value = await secrets.get(key);
        if (value !== undefined) values.set(name, value);
      }
      return values;
    },
  };
}

export const viewOf = ({ name, created_at }: SecretView): SecretView => ({ name, created_at });

/** Returns a function that redacts secrets in a text, also if they are URL-encoded or JSON-escaped. Redacts longer secrets first, because one may contain another. */
export function redactor(secrets: ReadonlyMap<string, string>): (text: string) => string {
  const marks = [...secrets].flatMap(([name, value]) =>
    [...new Set([value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)])].map((text) => ({ text, mark: redacted(name) })),
  );
  marks.sort((a, b) => b.text.length - a.text.length);
  return (text) => marks.reduce((left, mark) => left.replaceAll(mark.text, mark.mark), text);
}
