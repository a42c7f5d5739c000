import type { Row } from './cells.js';

/** A change of a document. */
export interface Changed {
  readonly key: string;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

/** The latest changes of a table, for open transactions that have read from it: whether what they read has changed since. */
export class ChangeLog {
  #changes: Changed[] = [];
  /** The number of changes before the first one that is kept. */
  #dropped = 0;
  /** In the order in which they began, so that the first one has the smallest number. */
  readonly #readers = new Map<object, number>();

  /** The number of changes so far. */
  get end(): number {
    return this.#dropped + this.#changes.length;
  }

  /** Keeps the changes from now on until `close`. */
  open(reader: object): void {
    this.#readers.set(reader, this.end);
  }

  close(reader: object): void {
    this.#readers.delete(reader);
    const first = this.#readers.values().next().value ?? this.end;
    // Copying the others for each one that goes would cost more than it frees.
    if (first - this.#dropped < this.#changes.length / 2 || first === this.#dropped) return;
    this.#changes = this.#changes.slice(first - this.#dropped);
    this.#dropped = first;
  }

  add(change: Changed): void {
    if (this.#readers.size === 0) this.#dropped++;
    else this.#changes.push(change);
  }

  /** The changes after the first `count` ones, with how many were before each. */
  *since(count: number): Generator<readonly [number, Changed]> {
    for (let i = count - this.#dropped; i < this.#changes.length; i++) yield [this.#dropped + i, this.#changes[i]!];
  }
}
