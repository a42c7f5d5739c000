import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Blobs } from '../ports/blobs.js';
import { type FileSystem, nodeFileSystem, readFully, replaceFile } from './file-system.js';

export interface FolderBlobsOptions {
  readonly folder: string;
  readonly fs?: FileSystem;
}

const SHA256 = /^[0-9a-f]{64}$/;

/** One file per content, named after its hash, in folders named after its first two digits. Only one process may use the folder. */
export class FolderBlobs implements Blobs {
  readonly #folder: string;
  readonly #fs: FileSystem;
  readonly #folders = new Set<string>();
  /** Writes in progress, by hash. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor({ folder, fs = nodeFileSystem }: FolderBlobsOptions) {
    this.#folder = folder;
    this.#fs = fs;
  }

  async put(content: Uint8Array): Promise<{ sha256: string; size: number }> {
    // Copied, because the caller may reuse the buffer before the write.
    const bytes = content.slice();
    const sha256 = hashOf(bytes);
    const writing = this.#writing.get(sha256) ?? this.#write(sha256, bytes).finally(() => this.#writing.delete(sha256));
    this.#writing.set(sha256, writing);
    await writing;
    return { sha256, size: bytes.length };
  }

  /** The content; undefined if the file is missing, or if the disk has changed it. */
  async get(sha256: string): Promise<Uint8Array | undefined> {
    if (!SHA256.test(sha256)) return undefined;
    const bytes = await readFully(this.#fs, join(this.#folderOf(sha256), sha256));
    return bytes && hashOf(bytes) === sha256 ? bytes : undefined;
  }

  async delete(sha256: string): Promise<void> {
    if (SHA256.test(sha256)) await this.#fs.remove(join(this.#folderOf(sha256), sha256));
  }

  async #write(sha256: string, bytes: Uint8Array): Promise<void> {
    const folderOf = this.#folderOf(sha256);
    await this.#makeFolder(folderOf);
    // An existing file is complete, but a crash may have happened before its name became durable. A damaged one is replaced.
    if (await this.get(sha256)) await this.#fs.syncFolder(folderOf);
    else await replaceFile(this.#fs, folderOf, sha256, [bytes]);
  }

  async #makeFolder(folderOf: string): Promise<void> {
    if (this.#folders.has(folderOf)) return;
    await this.#fs.makeFolder(folderOf);
    await this.#fs.syncFolder(this.#folder);
    await this.#fs.syncFolder(dirname(this.#folder));
    this.#folders.add(folderOf);
  }

  #folderOf(sha256: string): string {
    return join(this.#folder, sha256.slice(0, 2));
  }
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
