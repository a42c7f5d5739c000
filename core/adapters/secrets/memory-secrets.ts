import type { Secrets } from '../../ports/secrets.js';
import type { StoreTransaction } from '../../ports/store.js';

/** Secrets in memory, unencrypted because nothing is stored. A change takes effect when its transaction is durable. */
export class MemorySecrets implements Secrets {
  readonly #values = new Map<string, string>();

  async get(name: string): Promise<string | undefined> {
    return this.#values.get(name);
  }

  async names(): Promise<string[]> {
    return [...this.#values.keys()];
  }

  put(tx: StoreTransaction, name: string, value: string): void {
    tx.afterCommit(() => this.#values.set(name, value));
  }

  delete(tx: StoreTransaction, name: string): void {
    tx.afterCommit(() => this.#values.delete(name));
  }
}
