import type { Ids } from '../ports/ids.js';
import type { Secrets } from '../ports/secrets.js';
import type { Database } from '../ports/transaction.js';

const BYTES = 32;

/** A signing key that is created once and stored among the secrets under this name, so that signatures remain valid after a restart. */
export function createStoredKey({ store, secrets, ids }: { store: Database; secrets: Secrets; ids: Ids }, name: string) {
  let key = '';
  return {
    /** Loads or creates the key. Call this before the first signature. */
    async load(): Promise<void> {
      const known = await secrets.get(name);
      key = known ?? ids.secret(BYTES);
      if (known === undefined) await store.transaction((tx) => secrets.put(tx, name, key));
    },

    get: (): string => key,
  };
}
