import { createHash } from 'node:crypto';
import type { MovedDocument } from '../../../core/ports/move.js';

/** The documents of a collection: how many, and a checksum that does not depend on their order. */
export interface CollectionTally {
  readonly documents: number;
  readonly checksum: string;
}

const CHECKSUM_BYTES = 6;
const MODULUS = 2 ** (8 * CHECKSUM_BYTES);

/** Counts documents by collection, and adds up the hashes of their keys and contents. */
export class Tally {
  readonly #collections = new Map<string, { documents: number; sum: number }>();

  add({ collection, key, json }: MovedDocument): void {
    const tally = this.#collections.get(collection) ?? { documents: 0, sum: 0 };
    this.#collections.set(collection, tally);
    const hash = createHash('sha256').update(key).update('\0').update(json).digest().readUIntBE(0, CHECKSUM_BYTES);
    tally.documents++;
    tally.sum = (tally.sum + hash) % MODULUS;
  }

  /** By collection, in the order of their names. */
  get collections(): Readonly<Record<string, CollectionTally>> {
    const sorted = [...this.#collections].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(
      sorted.map(([name, { documents, sum }]) => [name, { documents, checksum: sum.toString(16).padStart(2 * CHECKSUM_BYTES, '0') }]),
    );
  }

  /** The first collection that differs, with both tallies; undefined if there is none. */
  differenceTo(other: Tally): string | undefined {
    const [mine, theirs] = [this.collections, other.collections];
    for (const name of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
      const [a, b] = [mine[name] ?? NONE, theirs[name] ?? NONE];
      if (a.documents !== b.documents || a.checksum !== b.checksum)
        return `${name} has ${a.documents} documents with checksum ${a.checksum}, but ${b.documents} with checksum ${b.checksum} arrived`;
    }
    return undefined;
  }
}

const NONE: CollectionTally = { documents: 0, checksum: '0'.repeat(2 * CHECKSUM_BYTES) };
