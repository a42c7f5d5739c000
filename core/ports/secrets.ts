import type { StoreTransaction } from './store.js';

/** Named secrets; each plugin has its own namespace. Secrets never appear in documents, logs, events or errors. */
export interface Secrets {
  /** The value of a secret; undefined if there is none with this name. */
  get(name: string): Promise<string | undefined>;
  /** Stores a secret when the transaction commits, or replaces its value. */
  put(tx: StoreTransaction, name: string, value: string): void;
  /** Deletes a secret when the transaction commits. Does nothing if there is none. */
  delete(tx: StoreTransaction, name: string): void;
  /** Called when the store has started, and before anything reads a secret. */
  start?(): Promise<void>;
  /** The names of all secrets. Without it, an exported state has no secrets. */
  names?(): Promise<string[]>;
}
