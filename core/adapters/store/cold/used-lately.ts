interface Kept<T> {
  readonly item: T;
  readonly size: number;
}

/** The items that were used last, up to a total size. A `Map` keeps the order in which its keys were added. */
export class UsedLately<T> {
  readonly #kept = new Map<string, Kept<T>>();
  readonly #maxSize: number;
  readonly #onRemoved: (item: T) => void;
  #size = 0;

  /** @param onRemoved called for each item that is removed or replaced */
  constructor(maxSize: number, onRemoved: (item: T) => void) {
    [this.#maxSize, this.#onRemoved] = [maxSize, onRemoved];
  }

  get(key: string): T | undefined {
    const kept = this.#kept.get(key);
    if (!kept) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept.item;
  }

  /** @returns false if the item alone is too large to be kept */
  set(key: string, item: T, size: number): boolean {
    this.delete(key);
    if (size > this.#maxSize) return false;
    this.#kept.set(key, { item, size });
    this.#size += size;
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= this.#maxSize) break;
      this.delete(oldest);
    }
    return true;
  }

  delete(key: string): void {
    const kept = this.#kept.get(key);
    if (!kept) return;
    this.#kept.delete(key);
    this.#size -= kept.size;
    this.#onRemoved(kept.item);
  }

  clear(): void {
    for (const key of this.#kept.keys()) this.delete(key);
  }
}
