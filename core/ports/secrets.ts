import type { StoreTransaction } from './store.js';

/** Secrets by name. A plugin's names are its own. They are never in documents, logs, events or errors. */
export interface Secrets {
  get(name: string): Promise<string | undefined>;
  put(tx: StoreTransaction, name: string, value: string): void;
  delete(tx: StoreTransaction, name: string): void;
}
