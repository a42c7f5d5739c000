import { createHash } from 'node:crypto';
import type { Blobs } from '../ports/blobs.js';

export class MemoryBlobs implements Blobs {
  readonly #blobs = new Map<string, Uint8Array>();

  async put(bytes: Uint8Array): Promise<{ sha256: string; size: number }> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (!this.#blobs.has(sha256)) this.#blobs.set(sha256, bytes.slice());
    return { sha256, size: bytes.length };
  }

  async get(sha256: string): Promise<Uint8Array | undefined> {
    return this.#blobs.get(sha256)?.slice();
  }

  async delete(sha256: string): Promise<void> {
    this.#blobs.delete(sha256);
  }
}
