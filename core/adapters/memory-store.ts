import type { Logger } from '../ports/logger.js';
import type { CollectionType, OpenCollection, Store, StoreTransaction } from '../ports/store.js';
import { Records } from './records.js';

/** Keeps everything in memory, for as long as it is not stopped. */
export class MemoryStore implements Store {
  readonly #records: Records;

  constructor({ log }: { log: Logger }) {
    this.#records = new Records({ log, write: ({ tx }) => this.#records.durable(tx) });
  }

  define<T extends object>(name: string, type: CollectionType<T>): void {
    this.#records.define(name, type);
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
