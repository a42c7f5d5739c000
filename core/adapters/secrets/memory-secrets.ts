import type { Secrets } from '../../ports/secrets.js';
import type { StoreTransaction } from '../../ports/store.js';

/** Secrets in memory only, where nothing is kept and so nothing has to be sealed. They change when their transaction is durable. */
export class MemorySecrets implements Secrets {
  readonly #values = new Map<string, string>();

  async get(name: string): Promise<string | undefined> {
    return this.#values.get(name);
  }

  put(tx: StoreTransaction, name: string, value: string): void {
    tx.afterCommit(() => this.#values.set(name, value));
  }

  delete(tx: StoreTransaction, name: string): void {
    tx.afterCommit(() => this.#values.delete(name));
  }
}
