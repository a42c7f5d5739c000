import { collection, type Store } from '../ports/store.js';
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

/** The collections that the contract works with. */
export const mails = collection<Mail>({ key: 'id', indexes: { box: ['box', 'at'], subject: ['subject'] } });
export const accounts = collection<Account>({ key: 'name', unique: { owner: ['owner'] } });

export function defineAll(store: Store): void {
  store.define('contract.letters', mails);
  store.define('contract.accounts', accounts);
}

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
