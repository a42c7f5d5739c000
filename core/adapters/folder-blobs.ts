import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Blobs } from '../ports/blobs.js';
import { type FileSystem, hasCode, nodeFileSystem, readFully, replaceFile } from './file-system.js';

export interface FolderBlobsOptions {
  readonly folder: string;
  readonly fs?: FileSystem;
}

const SHA256 = /^[0-9a-f]{64}$/;

/** A file per content, named after its hash, in folders named after the first two digits. One process works in a folder. */
export class FolderBlobs implements Blobs {
  readonly #folder: string;
  readonly #fs: FileSystem;
  readonly #shelves = new Set<string>();
  /** Puts of the same bytes that are under way. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor({ folder, fs = nodeFileSystem }: FolderBlobsOptions) {
    this.#folder = folder;
    this.#fs = fs;
  }

  async put(content: Uint8Array): Promise<{ sha256: string; size: number }> {
    // The caller may use the bytes for something else before they are written.
    const bytes = content.slice();
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const writing = this.#writing.get(sha256) ?? this.#write(sha256, bytes).finally(() => this.#writing.delete(sha256));
    this.#writing.set(sha256, writing);
    await writing;
    return { sha256, size: bytes.length };
  }

  async get(sha256: string): Promise<Uint8Array | undefined> {
    return SHA256.test(sha256) ? readFully(this.#fs, join(this.#shelf(sha256), sha256)) : undefined;
  }

  async delete(sha256: string): Promise<void> {
    if (SHA256.test(sha256)) await this.#fs.remove(join(this.#shelf(sha256), sha256));
  }

  async #write(sha256: string, bytes: Uint8Array): Promise<void> {
    const shelf = this.#shelf(sha256);
    await this.#makeShelf(shelf);
    // What is there is whole, but a crash may have come between its name and the disk.
    if (await this.#exists(join(shelf, sha256))) await this.#fs.syncFolder(shelf);
    else await replaceFile(this.#fs, shelf, sha256, [bytes]);
  }

  async #makeShelf(shelf: string): Promise<void> {
    if (this.#shelves.has(shelf)) return;
    await this.#fs.makeFolder(shelf);
    await this.#fs.syncFolder(this.#folder);
    await this.#fs.syncFolder(dirname(this.#folder));
    this.#shelves.add(shelf);
  }

  async #exists(path: string): Promise<boolean> {
    try {
      const file = await this.#fs.open(path, 'read');
      await file.close();
      return true;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return false;
      throw error;
    }
  }

  #shelf(sha256: string): string {
    return join(this.#folder, sha256.slice(0, 2));
  }
}
