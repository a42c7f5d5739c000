import { createHash } from 'node:crypto';
import type { Ids } from '../ports/ids.js';

/**
 * The same seed gives the same ids, secrets and chances in every run. Each method draws from a stream of its own, so that
 * one more uuid changes no secret. Whoever knows the seed knows every secret.
 */
export class SeededIds implements Ids {
  readonly #uuids: Stream;
  readonly #secrets: Stream;
  readonly #digits: Stream;
  readonly #chances: Stream;

  constructor(seed: string) {
    this.#uuids = new Stream(seed, 'uuid');
    this.#secrets = new Stream(seed, 'secret');
    this.#digits = new Stream(seed, 'digits');
    this.#chances = new Stream(seed, 'random');
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
    return this.#chances.take(6).readUIntBE(0, 6) / 2 ** 48;
  }

  /** Bytes past the last whole multiple are passed over, so that every number is as likely as the others. */
  #below(limit: number): number {
    const most = 256 - (256 % limit);
    for (;;) {
      const byte = this.#digits.take(1).readUInt8(0);
      if (byte < most) return byte % limit;
    }
  }
}

/** Bytes without end: the hashes of seed, name and a count. */
class Stream {
  readonly #seed: string;
  #left: Buffer = Buffer.alloc(0);
  #blocks = 0;

  constructor(seed: string, name: string) {
    this.#seed = `${name}\n${seed}\n`;
  }

  take(count: number): Buffer {
    while (this.#left.length < count) {
      const block = createHash('sha256')
        .update(`${this.#seed}${this.#blocks++}`)
        .digest();
      this.#left = Buffer.concat([this.#left, block]);
    }
    const taken = this.#left.subarray(0, count);
    this.#left = this.#left.subarray(count);
    return taken;
  }
}
