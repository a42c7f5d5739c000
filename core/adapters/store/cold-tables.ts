import { basename } from 'node:path';
import type { Logger } from '../../ports/logger.js';
import type { CollectionType, DocumentDamaged, StoreHealth } from '../../ports/store.js';
import type { FileSystem } from '../file-system.js';
import { AdoptedParts } from './adopt-parts.js';
import { BlockCache, ColdFiles } from './cold/cold-files.js';
import { OpenFiles } from './cold/open-files.js';
import { ColdTable } from './tables/cold-table.js';
import { Table } from './tables/table.js';

export interface ColdTablesOptions {
  readonly fs: FileSystem;
  readonly folder: string;
  readonly log: Logger;
  /** Real milliseconds. */
  readonly now: () => number;
  /** Bytes of documents on disk that were read lately and stay in memory; 32 MiB if not given. */
  readonly coldCacheBytes?: number | undefined;
  /** By full name of a collection with `cold`, milliseconds that replace its `after`. */
  readonly coldAfterMs?: Readonly<Record<string, number>> | undefined;
}

const COLD_CACHE_BYTES = 32 << 20;

/** The tables whose older documents stay on disk, and the files with them. */
export class ColdTables {
  readonly #options: ColdTablesOptions;
  readonly #files: OpenFiles;
  readonly cache: BlockCache;
  /** By collection. */
  readonly #adopted = new Map<string, AdoptedParts>();
  readonly tables: ColdTable[] = [];
  /** Messages that were reported, so that the log has each once. */
  readonly #reported = new Set<string>();
  /** The first damage that was found in each file. */
  readonly #damaged = new Map<string, string>();

  constructor(options: ColdTablesOptions) {
    this.#options = options;
    this.#files = new OpenFiles(options.fs);
    this.cache = new BlockCache(options.coldCacheBytes ?? COLD_CACHE_BYTES);
  }

  /** Makes the table of a collection. */
  tableOf(collection: string, type: CollectionType<never>): Table {
    if (!type.cold) return new Table(collection, type);
    const { folder, coldAfterMs } = this.#options;
    const files = new ColdFiles({ files: this.#files, folder, collection, cache: this.cache, onDamage: this.onDamage });
    const table = new ColdTable(collection, type, files, coldAfterMs?.[collection] ?? type.cold.after);
    this.tables.push(table);
    this.#adopted.set(collection, new AdoptedParts(table, { ...this.#options, onDamage: this.onDamage }));
    return table;
  }

  has(collection: string): boolean {
    return this.#adopted.has(collection);
  }

  /** The files whose damage was found, for the health of the store. @param fix what the operator can do */
  damaged(fix: string): Pick<StoreHealth, 'damaged'> {
    return this.#damaged.size === 0 ? {} : { damaged: [...this.#damaged].map(([file, damage]) => ({ file, damage, fix })) };
  }

  /**
   * Frees the memory of documents that a merge has moved to parts which stay on disk.
   * @param onError those of a collection stay in memory until the next call
   */
  async adopt(collections: Iterable<string>, through: number, onError: (collection: string, error: unknown) => void): Promise<void> {
    for (const collection of collections)
      await this.#adopted
        .get(collection)
        ?.adopt(through)
        .catch((error) => onError(collection, error));
  }

  /** Waits until the files of replaced parts are removed, which waits for their readers. */
  async removed(): Promise<void> {
    for (const parts of this.#adopted.values()) await parts.removed();
  }

  /** Removes all documents on disk from the tables. */
  reset(): void {
    for (const table of this.tables) table.forgetParts();
    for (const parts of this.#adopted.values()) parts.reset();
  }

  async stop(): Promise<void> {
    await this.#files.stop();
  }

  readonly onDamage = (error: DocumentDamaged): void => {
    if (this.#reported.has(error.message)) return;
    this.#reported.add(error.message);
    const { file, damage } = error;
    const name = basename(file);
    if (!this.#damaged.has(name)) this.#damaged.set(name, damage);
    this.#options.log.error('a document on disk is damaged; the others can be read', { error });
  };
}
