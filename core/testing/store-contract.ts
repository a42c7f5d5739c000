import { documentsContract } from './store-contract-documents.js';
import { indexesContract } from './store-contract-indexes.js';
import { isolationContract } from './store-contract-isolation.js';
import { liveContract } from './store-contract-live.js';
import { transactionsContract } from './store-contract-transactions.js';
import { uniqueContract } from './store-contract-unique.js';
import type { OpenPlace } from './store-place.js';
import type { Tap } from './tap.js';

export type { OpenPlace, StorePlace } from './store-place.js';

/** The contract of every store: `storeContract(t, (t) => ({ create: () => new MyStore(...), isPersistent: true }))`. */
export async function storeContract(t: Tap, open: OpenPlace): Promise<void> {
  await t.test('documents', (t) => documentsContract(t, open));
  await t.test('indexes', (t) => indexesContract(t, open));
  await t.test('unique indexes', (t) => uniqueContract(t, open));
  await t.test('transactions', (t) => transactionsContract(t, open));
  await t.test('isolation', (t) => isolationContract(t, open));
  await t.test('live collections', (t) => liveContract(t, open));
}
