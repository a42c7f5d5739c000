import { createHash } from 'node:crypto';
import type { Ids } from '../ports/ids.js';

/**
 * The same seed gives the same ids, secrets and random values in every run. Each method has its own stream, so that an
 * additional uuid changes no secret. The secrets are predictable from the seed: use it only in tests.
 */
export class SeededIds implements Ids {
  readonly #uuids: Stream;
  readonly #secrets: Stream;
  readonly #digits: Stream;
  readonly #randoms: Stream;

  constructor(seed: string) {
    this.#uuids = new Stream(seed, 'uuid');
    this.#secrets = new Stream(seed, 'secret');
    this.#digits = new Stream(seed, 'digits');
    this.#randoms = new Stream(seed, 'random');
  }

  uuid(): string {
    const bytes = this.#uuids.take(16);
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  secret(bytes: number): string {
    return this.#secrets.take(bytes).toString('base64url');
  }

  digits(count: number): string {
    let digits = String(1 + this.#below(9));
    while (digits.length < count) digits += String(this.#below(10));
    return digits;
  }

  random(): number {
    return this.#randoms.take(6).readUIntBE(0, 6) / 2 ** 48;
  }

  /** Discards bytes above the last multiple of `limit`, so that all numbers are equally likely. */
  #below(limit: number): number {
    const max = 256 - (256 % limit);
    for (;;) {
      const byte = this.#digits.take(1).readUInt8(0);
      if (byte < max) return byte % limit;
    }
  }
}

/** An endless byte stream: hashes of seed, name and a counter. */
class Stream {
  readonly #seed: string;
  #rest: Buffer = Buffer.alloc(0);
  #blocks = 0;

  constructor(seed: string, name: string) {
    this.#seed = `${name}\n${seed}\n`;
  }

  take(count: number): Buffer {
    while (this.#rest.length < count) {
      const block = createHash('sha256')
        .update(`${this.#seed}${this.#blocks++}`)
        .digest();
      this.#rest = Buffer.concat([this.#rest, block]);
    }
    const bytes = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    return bytes;
  }
}
