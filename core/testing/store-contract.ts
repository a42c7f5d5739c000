import { collection, type Store } from '../ports/store.js';
import { documentsContract } from './store-contract-documents.js';
import { indexesContract } from './store-contract-indexes.js';
import { transactionsContract } from './store-contract-transactions.js';
import type { Tap } from './tap.js';

/** Where a store keeps its data. */
export interface StorePlace {
  /** A store over this place, not started yet. The one before it has been stopped. */
  create(): Store;
  /** Whether a store finds what the one before it at this place has kept. */
  readonly keeps: boolean;
}

/** Gives a fresh place; what it takes up is given back with `t.teardown`. */
export type OpenPlace = (t: Tap) => StorePlace | Promise<StorePlace>;

export interface Letter {
  id: string;
  box: string;
  at: number;
  subject?: string;
}

export interface Account {
  name: string;
  balance: number;
  owner?: string;
}

/** The collections the suite works with. */
export const letters = collection<Letter>({ key: 'id', indexes: { box: ['box', 'at'], subject: ['subject'] } });
export const accounts = collection<Account>({ key: 'name', unique: { owner: ['owner'] } });

/** A started store at a fresh place, stopped when the test ends. */
export async function startStore(t: Tap, open: OpenPlace): Promise<Store> {
  return startAt(t, await open(t));
}

export async function startAt(t: Tap, place: StorePlace): Promise<Store> {
  const store = place.create();
  defineAll(store);
  await store.start();
  t.teardown(() => store.stop());
  return store;
}

export function defineAll(store: Store): void {
  store.define('contract.letters', letters);
  store.define('contract.accounts', accounts);
}

/**
 * What every store must do, as a suite of tests: `storeContract(t, (t) => ({ create: () => new MyStore(...), keeps: true }))`.
 */
export async function storeContract(t: Tap, open: OpenPlace): Promise<void> {
  await t.test('documents', (t) => documentsContract(t, open));
  await t.test('indexes', (t) => indexesContract(t, open));
  await t.test('transactions', (t) => transactionsContract(t, open));
}
