import { collection, type Store } from '../ports/store.js';
import type { Tap } from './tap.js';

/** A location where a store keeps its data. */
export interface StorePlace {
  /** A new store over this location, not started. The previous one has been stopped. */
  create(): Store;
  /** Whether a new store finds the data that the previous one stored here. */
  readonly isPersistent: boolean;
}

/** Opens a new, empty location; registers its cleanup with `t.teardown`. */
export type OpenPlace = (t: Tap) => StorePlace | Promise<StorePlace>;

export interface Mail {
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

/** The collections of the contract. */
export const mails = collection<Mail>({ key: 'id', indexes: { box: ['box', 'at'], subject: ['subject'] } });
export const accounts = collection<Account>({ key: 'name', unique: { owner: ['owner'] } });

export function defineAll(store: Store): void {
  store.define('contract.letters', mails);
  store.define('contract.accounts', accounts);
}

/** Starts a store at a new location; it stops when the test ends. */
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
