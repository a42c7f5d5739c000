import type { StoreTransaction } from './store.js';

/** Named secrets; each plugin has its own namespace. Secrets never appear in documents, logs, events or errors. */
export interface Secrets {
  get(name: string): Promise<string | undefined>;
  put(tx: StoreTransaction, name: string, value: string): void;
  delete(tx: StoreTransaction, name: string): void;
  /** The names of all secrets. Without it, an exported state has no secrets. */
  names?(): Promise<string[]>;
}
