import { accounts } from '../messaging/account.js';
import { numbers } from '../messaging/number.js';
import { peek, type Store } from '../ports/store.js';
import type { Transaction } from '../ports/transaction.js';

/** The numbers whose account is on hold: nothing of them expires. */
export type Holds = ReturnType<typeof createHolds>;

export function createHolds({ store }: { readonly store: Pick<Store, 'open'> }) {
  return {
    /** The uuids of the numbers on hold. */
    async numbers(): Promise<ReadonlySet<string>> {
      const held = new Set((await store.open(accounts).list()).flatMap(({ account, hold }) => (hold ? [account] : [])));
      if (held.size === 0) return held;
      const all = await store.open(numbers).list();
      return new Set(all.flatMap(({ uuid, account }) => (account !== null && held.has(account) ? [uuid] : [])));
    },

    /** Whether a number is on hold. The transaction runs again if that changes. */
    async isHeld(tx: Transaction, number: string): Promise<boolean> {
      const account = (await peek(tx, numbers, number))?.account ?? null;
      return account !== null && (await peek(tx, accounts, account))?.hold !== undefined;
    },
  };
}
