import type { Ids } from '../ports/ids.js';
import type { Secrets } from '../ports/secrets.js';
import type { Database } from '../ports/transaction.js';

const NAME = 'core/media-links';
const BYTES = 32;

/** What links to media are signed with: made once, and kept, so that links outlive a restart. */
export function createMediaKey({ store, secrets, ids }: { store: Database; secrets: Secrets; ids: Ids }) {
  let key = '';
  return {
    /** Before the first link. */
    async load(): Promise<void> {
      const known = await secrets.get(NAME);
      key = known ?? ids.secret(BYTES);
      if (known === undefined) await store.transaction((tx) => secrets.put(tx, NAME, key));
    },

    get: (): string => key,
  };
}
