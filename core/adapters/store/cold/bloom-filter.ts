import { crc32 } from 'node:zlib';

/** A filter on disk: its bits in base64. */
export interface StoredFilter {
  readonly probes: number;
  readonly bits: string;
}

/** Where a filter looks for a text: computed once for the filters of all parts. */
export interface Probe {
  readonly first: number;
  readonly step: number;
}

const BITS_PER_BYTE = 8;
const MIN_BYTES = 8;

/** The checksum of the store, mixed: 32 bits are enough for the tens of thousands of rows of a part, and older files keep their hash. */
export function probeOf(text: string): Probe {
  const hash = crc32(text);
  return { first: mixed(hash), step: (mixed(hash ^ 0x9e3779b9) | 1) >>> 0 };
}

/** The last step of MurmurHash3. */
function mixed(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** How many bits a text sets in a filter of this size. */
export const probesFor = (bitsPerText: number): number => Math.round(bitsPerText * Math.LN2);

/**
 * A Bloom filter: says for certain that a text is not in a set, so that most look-ups read no part that does not have it. Libraries such as
 * `bloom-filters` hash in JavaScript and keep the bits as arrays of numbers, several times as slow and as large.
 */
export class BloomFilter {
  readonly #bits: Uint8Array;
  readonly #size: number;
  readonly #probes: number;

  private constructor(bits: Uint8Array, probes: number) {
    this.#bits = bits;
    this.#size = bits.length * BITS_PER_BYTE;
    this.#probes = probes;
  }

  static of(texts: ReadonlySet<string>, bitsPerText: number): BloomFilter {
    const bytes = Math.max(MIN_BYTES, Math.ceil((texts.size * bitsPerText) / BITS_PER_BYTE));
    const filter = new BloomFilter(new Uint8Array(bytes), probesFor(bitsPerText));
    for (const text of texts) filter.#add(probeOf(text));
    return filter;
  }

  static from({ bits, probes }: StoredFilter): BloomFilter {
    return new BloomFilter(new Uint8Array(Buffer.from(bits, 'base64')), probes);
  }

  get stored(): StoredFilter {
    return { probes: this.#probes, bits: Buffer.from(this.#bits).toString('base64') };
  }

  get bytes(): number {
    return this.#bits.length;
  }

  /** False if the text was not added; true if it was, and rarely if it was not. */
  has({ first, step }: Probe): boolean {
    for (let i = 0, at = first; i < this.#probes; i++, at += step) {
      const bit = at % this.#size;
      if ((this.#bits[bit >>> 3]! & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  }

  #add({ first, step }: Probe): void {
    for (let i = 0, at = first; i < this.#probes; i++, at += step) {
      const bit = at % this.#size;
      this.#bits[bit >>> 3]! |= 1 << (bit & 7);
    }
  }
}
