import { join } from 'node:path';
import { messageOf } from '../../errors.js';
import type { Heap } from '../../ports/heap.js';
import type { Logger } from '../../ports/logger.js';
import type { CollectionType, LiveOwner, LiveType, OpenCollection, Store, StoreHealth, StoreTransaction } from '../../ports/store.js';
import { encryptedFiles } from '../encryption/encrypted-files.js';
import type { Encryption } from '../encryption/file-cipher.js';
import { type FileSystem, nodeFileSystem } from '../file-system.js';
import { ColdTables } from './cold-tables.js';
import type { CompactionInput, CompactionOutput } from './compaction.js';
import { convertFolder } from './encrypted-folder.js';
import { ContentsFile } from './files/contents-file.js';
import { repairOf } from './files/data-damaged.js';
import { clearLeftovers, openDataFolder, type Placings } from './files/data-folder.js';
import { FolderInUse } from './files/folder-lock.js';
import { firstTxOf } from './files/journal-file.js';
import { partCollectionOf } from './files/part-file.js';
import { collectionOf } from './files/snapshot-file.js';
import { Journal } from './journal.js';
import { loadData } from './load-data.js';
import { loadRoom } from './load-room.js';
import type { SealedSegment } from './segment-log.js';
import { SyncedMark } from './synced-mark.js';
import { ColdTable } from './tables/cold-table.js';
import { Records } from './tables/records.js';

export interface JsonStoreOptions {
  readonly folder: string;
  readonly log: Logger;
  /** Runs the `compaction` task, usually on a worker thread. */
  readonly compact: (input: CompactionInput) => Promise<CompactionOutput>;
  readonly fs?: FileSystem;
  /** A start converts the folder to it. Without it, the store refuses an encrypted folder. */
  readonly encryption?: Encryption | undefined;
  /** Refuses to start when the data does not fit into this heap; not checked if not given. */
  readonly heap?: Heap;
  /** The size from which documents move into parts; `PART_BYTES` if not given. */
  readonly partBytes?: number;
  /** Bytes of documents on disk that were read lately and stay in memory; 32 MiB if not given. */
  readonly coldCacheBytes?: number;
  /** By full name of a collection with `cold`, milliseconds that replace its `after`. */
  readonly coldAfterMs?: Readonly<Record<string, number>>;
  /** Compaction starts when the journal has at least this many bytes and half the size of the snapshots. */
  readonly compactAfterBytes?: number;
  /** At this size of the journal, writers wait for the running compaction. */
  readonly maxJournalBytes?: number;
  /** Real milliseconds between records of how far the journal is synced; 1,000 if not given. */
  readonly markEveryMs?: number;
  /** Real milliseconds, for the progress log of a start; `performance.now` if not given. */
  readonly now?: () => number;
}

const MEBIBYTE = 1 << 20;
/** Compaction starts at this journal size even if the snapshots are larger, to bound the replay at start. */
const COMPACT_AT_BYTES = 64 * MEBIBYTE;
/** With a small heap it starts at this share of its limit: the merge takes about three times the bytes of the journal. */
const COMPACT_AT_SHARE = 1 / 16;
/** No merge starts below this size, except that of a stop. */
const MIN_MERGED_BYTES = 8 * MEBIBYTE;
/** How far writers may get ahead of a compaction. */
const MAX_JOURNAL_BYTES = 256 * MEBIBYTE;
const MARK_EVERY_MS = 1_000;
/** On stop, a state up to this size is merged into the snapshots (well under a second), so that people find everything there. */
const MERGED_AT_STOP_BYTES = 32 * MEBIBYTE;

/** Keeps documents in memory and appends each transaction to a write-ahead journal, which it periodically merges into JSON snapshots. */
export class JsonStore implements Store {
  readonly #folder: string;
  readonly #log: Logger;
  readonly #disk: FileSystem;
  /** Decrypts and encrypts what is on the disk, if an encryption is given. */
  readonly #fs: FileSystem;
  readonly #encryption: Encryption | undefined;
  readonly #heap: Heap | undefined;
  readonly #compact: JsonStoreOptions['compact'];
  readonly #partBytes: number | undefined;
  readonly #compactAfterBytes: number;
  readonly #now: () => number;
  readonly #records: Records;
  readonly #journal: Journal;
  readonly #contents: ContentsFile;
  readonly #mark: SyncedMark;
  readonly #cold: ColdTables;
  #isLocked = false;
  #sealed: SealedSegment[] = [];
  /** Segments already merged into the snapshots, still to be deleted. */
  readonly #merged: string[] = [];
  #snapshotBytes = 0;
  #compaction: Promise<void> | undefined;
  /** The part of a compaction that does not need the journal. */
  #merging: Promise<unknown> | undefined;
  /** The callers for whom the next compaction removes deleted documents from all files. */
  #purge: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;
  /** After a failed compaction: the journal size at which the next one starts. */
  #notBeforeBytes = 0;

  constructor({ folder, log, compact, fs: disk = nodeFileSystem, compactAfterBytes = 32 * MEBIBYTE, ...more }: JsonStoreOptions) {
    const { maxJournalBytes = MAX_JOURNAL_BYTES, markEveryMs = MARK_EVERY_MS, now = () => performance.now(), heap, encryption } = more;
    const fs = encryption ? encryptedFiles(disk, encryption) : disk;
    this.#disk = disk;
    this.#encryption = encryption;
    this.#heap = heap;
    this.#folder = folder;
    this.#log = log;
    this.#fs = fs;
    this.#compact = compact;
    this.#partBytes = more.partBytes;
    this.#compactAfterBytes = compactAfterBytes;
    this.#now = now;
    this.#contents = new ContentsFile(fs, folder);
    const { coldCacheBytes, coldAfterMs } = more;
    this.#cold = new ColdTables({ fs, folder, log, now, coldCacheBytes, coldAfterMs });
    this.#records = new Records({
      log,
      name: `the store in ${folder}`,
      write: (commit, apply) => this.#journal.append(commit, apply),
      tableOf: (collection, type) => this.#cold.tableOf(collection, type),
    });
    this.#journal = new Journal({
      fs,
      folder,
      onDurable: (tx) => {
        this.#records.durable(tx);
        this.#mark.moved();
        if (this.#isCompactionDue()) this.#compactInBackground();
      },
      onFailure: (error, lastDurable) => this.#records.fail(error, lastDurable),
      onSealed: (segment) => void this.#sealed.push(segment),
      // If compaction fails, writes continue: a long journal is better than none.
      backpressure: () => (this.#journalBytes >= maxJournalBytes ? this.#merging?.catch(() => undefined) : undefined),
      onSegmentStarted: (name) =>
        this.#contents.update(({ snapshots, segments }) => ({
          snapshots,
          segments: [...new Set([...segments, name])],
          synced: { segment: name, bytes: 0, through: firstTxOf(name)! - 1 },
        })),
    });
    this.#mark = new SyncedMark({
      everyMs: markEveryMs,
      // A store that has lost its folder must not write to it.
      write: async () =>
        this.#journal.lost ? undefined : this.#contents.update((contents) => ({ ...contents, synced: this.#journal.synced })),
      log,
    });
  }

  health(): ReturnType<Records['health']> {
    const fix = `When the platform is stopped, \`npx posthorn data check ${this.#folder}\` lists all damage. ${repairOf(this.#folder)}`;
    return { ...this.#records.health(), ...this.#cold.damaged(fix) };
  }

  offHeapBytes(): number {
    const { tables, cache } = this.#cold;
    return tables.reduce((sum, { cold }) => sum + cold.bufferBytes, cache.bufferBytes);
  }

  async freeMemory(): Promise<boolean> {
    if (this.state !== 'open' || this.#journalBytes < MIN_MERGED_BYTES) return false;
    await this.compact();
    return true;
  }

  onHealth(listener: (health: StoreHealth) => void): void {
    this.#records.onHealth(listener);
  }

  /** `failed` after a disk fault has stopped writes; `reopen` ends that state. */
  get state(): Records['state'] {
    return this.#records.state;
  }

  define<T extends object>(name: string, type: CollectionType<T>): void {
    this.#records.define(name, type);
  }

  defineLive<T extends object>(name: string, type: LiveType<T>, owner: LiveOwner<T>): void {
    this.#records.defineLive(name, type, owner);
  }

  durable(): Promise<void> {
    return this.#records.allDurable();
  }

  async start(): Promise<void> {
    await this.#lock();
    try {
      await this.#load();
    } catch (error) {
      // Report why the start failed, not a follow-up error from closing the journal.
      await this.#journal.close().catch(() => undefined);
      await this.#journal.unlock();
      throw error;
    }
    this.#isLocked = true;
    if (this.#isCompactionDue()) this.#compactInBackground();
  }

  async #lock(): Promise<void> {
    try {
      await this.#journal.lock();
    } catch (error) {
      if (error instanceof FolderInUse) throw error;
      throw new Error(`${this.#folder} cannot be used: ${messageOf(error)}`, { cause: error });
    }
  }

  async #load(): Promise<void> {
    const [fs, folder, log] = [this.#fs, this.#folder, this.#log];
    const onMigrated = (from: number, to: number) => log.info('the data folder was migrated to a newer format', { folder, from, to });
    const files = await openDataFolder(fs, folder, onMigrated, this.#placing, this.#encryption);
    if (this.#encryption) await convertFolder({ disk: this.#disk, folder, encryption: this.#encryption, log, now: this.#now });
    this.#snapshotBytes = sizeOf(files.snapshots) + sizeOf(files.parts);
    const totalBytes = this.#snapshotBytes + sizeOf(files.segments);
    const coldBytes = sizeOf(files.parts.filter(({ collection }) => this.#cold.has(collection)));
    const room = loadRoom(this.#heap, folder, { totalBytes, snapshotBytes: this.#snapshotBytes - coldBytes });
    const place = { fs, folder, log, room, now: this.#now, onDamage: this.#cold.onDamage };
    const { lastTx, segments, merged, through, parts } = await loadData(place, files, this.#records.tables, this.#records.lives);
    this.#sealed = segments;
    this.#merged.push(...merged);
    this.#contents.begin({ snapshots: through, segments: segments.map(({ name }) => name) });
    await this.#journal.open(lastTx);
    await clearLeftovers(fs, folder, this.#journal.segment, parts);
    this.#records.begin(lastTx);
  }

  async stop(limitMs?: number): Promise<void> {
    const isHealthy = this.state === 'open';
    await this.#records.close(limitMs);
    await this.#compaction?.catch(() => {});
    if (isHealthy && this.#journalBytes > 0 && this.#journalBytes + this.#snapshotBytes < MERGED_AT_STOP_BYTES) {
      this.#compactInBackground();
      await this.#compaction?.catch(() => {});
    }
    await this.#cold.stop();
    await this.#journal.close();
    await this.#mark.stop();
    // The next process recognizes a remaining lock as that of a process that has ended.
    if (!this.#isLocked) return;
    this.#isLocked = false;
    await this.#journal.unlock().catch((error) => this.#log.warn('the lock of the data folder could not be removed', { error }));
  }

  transaction<T>(work: (tx: StoreTransaction) => Promise<T> | T): Promise<T> {
    return this.#records.transaction(work);
  }

  open<T extends object>(type: CollectionType<T>): OpenCollection<T> {
    return this.#records.open(type);
  }

  /** Accepts writes again after a disk fault. Rejects while the fault lasts or if only a restart can fix it. */
  async reopen(): Promise<void> {
    if (this.state !== 'failed') return;
    this.#records.assertRecoverable();
    await this.#journal.recover();
    this.#records.recover();
    this.#log.info('the store accepts writes again', { folder: this.#folder });
  }

  /** Merges the journal into the snapshots. The store keeps working meanwhile. */
  compact(): Promise<void> {
    this.#compaction ??= this.#mergeJournal().finally(() => {
      this.#compaction = undefined;
    });
    return this.#compaction;
  }

  /** Removes deleted documents, and earlier versions of changed ones, from all files: with the next compaction, or now. */
  async purge(now: boolean): Promise<void> {
    let resolve = (): void => undefined;
    this.#purge ??= { promise: new Promise<void>((done) => (resolve = done)), resolve: () => resolve() };
    const { promise } = this.#purge;
    if (!now) return promise;
    await this.#compaction?.catch(() => undefined);
    // Otherwise another caller has done it.
    if (this.#purge?.promise === promise) await this.compact();
  }

  get #journalBytes(): number {
    return this.#sealed.reduce((sum, { size }) => sum + size, this.#journal.size);
  }

  #isCompactionDue(): boolean {
    if (this.#compaction || this.state !== 'open') return false;
    const share = Math.max(COMPACT_AT_SHARE * (this.#heap?.limitBytes ?? Number.POSITIVE_INFINITY), MIN_MERGED_BYTES);
    const due = Math.min(Math.max(this.#compactAfterBytes, this.#snapshotBytes / 2), COMPACT_AT_BYTES, share);
    return this.#journalBytes >= Math.max(due, this.#notBeforeBytes);
  }

  #compactInBackground(): void {
    this.compact().catch((error) => {
      this.#notBeforeBytes = this.#journalBytes + this.#compactAfterBytes;
      this.#log.error('merging the journal into the snapshots failed; no data is lost, and the store will retry', { error });
    });
  }

  async #mergeJournal(): Promise<void> {
    await this.#cold.removed();
    await this.#journal.rotate();
    const purge = this.#purge;
    await this.#mergeSealed(purge !== undefined);
    await this.#removeMerged();
    if (purge) {
      await this.#cold.removed();
      this.#purge = undefined;
      purge.resolve();
    }
    this.#notBeforeBytes = 0;
    const files = await this.#fs.list(this.#folder);
    this.#snapshotBytes = sizeOf(files.filter(({ name }) => collectionOf(name) ?? partCollectionOf(name)));
  }

  /** @param purge also rewrites parts that have deleted documents */
  async #mergeSealed(purge: boolean): Promise<void> {
    const names = this.#sealed.map(({ name }) => name);
    for (let [segments, isLimited] = [names, names.length > 0 || purge]; isLimited; segments = []) {
      const { collections, through, purged = [], ...more } = await this.#merge(segments, purge);
      isLimited = purge && more.isLimited === true;
      if (this.#journal.lost) throw this.#journal.lost;
      await this.#contents.update(({ snapshots, segments: known, synced }) => ({
        synced,
        snapshots: { ...snapshots, ...Object.fromEntries(collections.map((collection) => [collection, through])) },
        segments: known.filter((name) => !segments.includes(name)),
      }));
      this.#sealed = this.#sealed.slice(segments.length);
      this.#merged.push(...segments);
      await this.#cold.adopt([...collections, ...purged], through, (collection, error) =>
        this.#log.error('documents that were merged stay in memory; the next merge tries to free it again', { collection, error }),
      );
    }
  }

  /** Deletes the oldest segments first, so that a crash leaves no gap. */
  async #removeMerged(): Promise<void> {
    if (this.#merged.length === 0) return;
    for (let name = this.#merged[0]; name !== undefined; name = this.#merged[0]) {
      await this.#fs.remove(join(this.#folder, name));
      this.#merged.shift();
    }
    await this.#fs.syncFolder(this.#folder);
  }

  get #placing(): Placings {
    return Object.fromEntries(this.#records.tables.map(({ name, placing }) => [name, placing]));
  }

  #merge(segments: readonly string[], purge: boolean): Promise<CompactionOutput> {
    const tables = this.#records.tables.filter((table) => table instanceof ColdTable);
    const lost = Object.fromEntries(tables.map(({ name, lostParts }) => [name, lostParts]));
    const [folder, partBytes, encryption] = [this.#folder, this.#partBytes, this.#encryption];
    const merging = this.#compact({ folder, segments, placing: this.#placing, lost, partBytes, purge, encryption }).finally(() => {
      this.#merging = undefined;
    });
    this.#merging = merging;
    return merging;
  }
}

const sizeOf = (files: readonly { readonly size: number }[]): number => files.reduce((sum, { size }) => sum + size, 0);
