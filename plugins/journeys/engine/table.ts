/** A table of the language: block types, functions, or words of notebooks. `extended` adds those of a plugin while work runs. */
export class Table<T> {
  readonly #own: ReadonlyMap<string, T>;
  #added: ReadonlyMap<string, T> | undefined;

  constructor(own: Iterable<readonly [name: string, entry: T]>) {
    this.#own = new Map(own);
  }

  get size(): number {
    return this.#own.size + (this.#added?.size ?? 0);
  }

  get(name: string): T | undefined {
    return this.#own.get(name) ?? this.#added?.get(name);
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** Our own entries, and then those of plugins. */
  *[Symbol.iterator](): Generator<readonly [name: string, entry: T], void, undefined> {
    yield* this.#own;
    if (this.#added) yield* this.#added;
  }

  keys(): readonly string[] {
    return [...this].map(([name]) => name);
  }

  values(): readonly T[] {
    return [...this].map(([, entry]) => entry);
  }

  /** Runs work during which the table also has these entries. The work must not be asynchronous: other work would see them. */
  extended<R>(added: ReadonlyMap<string, T>, work: () => R): R {
    const end = this.extend(added);
    try {
      return work();
    } finally {
      end();
    }
  }

  /** Adds entries for all work of this thread, until the returned function is called. */
  extend(added: ReadonlyMap<string, T>): () => void {
    const before = this.#added;
    this.#added = added;
    return () => {
      this.#added = before;
    };
  }
}
