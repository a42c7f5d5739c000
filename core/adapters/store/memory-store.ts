import type { Logger } from '../../ports/logger.js';
import type { CollectionType, LiveOwner, LiveType, OpenCollection, Store, StoreHealth, StoreTransaction } from '../../ports/store.js';
import { Records } from './tables/records.js';

/** Keeps documents in memory until it is stopped. */
export class MemoryStore implements Store {
  readonly #records: Records;

  /** @param beforeWrite runs before each commit that writes, and refuses it by an error: for tests */
  constructor({ log, beforeWrite }: { log: Logger; beforeWrite?: () => void }) {
    this.#records = new Records({
      log,
      write: ({ tx }, apply) => {
        beforeWrite?.();
        apply();
        this.#records.durable(tx);
      },
    });
  }

  health(): StoreHealth {
    return this.#records.health();
  }

  onHealth(listener: (health: StoreHealth) => void): void {
    this.#records.onHealth(listener);
  }

  define<T extends object>(name: string, type: CollectionType<T>): void {
    this.#records.define(name, type);
  }

  defineLive<T extends object>(name: string, type: LiveType<T>, owner: LiveOwner<T>): void {
    this.#records.defineLive(name, type, owner);
  }

  durable(): Promise<void> {
    return this.#records.allDurable();
  }

  async start(): Promise<void> {
    this.#records.begin(0);
  }

  stop(limitMs?: number): Promise<void> {
    return this.#records.close(limitMs);
  }

  transaction<T>(work: (tx: StoreTransaction) => Promise<T> | T): Promise<T> {
    return this.#records.transaction(work);
  }

  open<T extends object>(type: CollectionType<T>): OpenCollection<T> {
    return this.#records.open(type);
  }
}
