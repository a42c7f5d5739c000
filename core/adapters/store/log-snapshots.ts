import { setImmediate } from 'node:timers/promises';
import type { FoundSnapshot, Log, LogFiles } from '../../ports/log.js';
import type { Logger } from '../../ports/logger.js';
import { StoreUnavailable } from '../../ports/store.js';
import type { ColdTables } from './cold-tables.js';
import type { Change } from './commit.js';
import { noContents } from './files/contents-file.js';
import { DataDamaged } from './files/data-damaged.js';
import { listData } from './files/data-folder.js';
import { partCollectionOf, readPartIndex } from './files/part-file.js';
import { orDamaged } from './files/salvage-part.js';
import { loadData } from './load-data.js';
import type { LoadRoom } from './load-room.js';
import type { LogFolder } from './log-folder.js';
import { lineOf } from './moved-lines.js';
import type { LiveTable } from './tables/live-table.js';
import type { Table } from './tables/table.js';
import type { Tail } from './tail.js';
import { writeFiles } from './write-files.js';

export interface LogSnapshotsOptions {
  readonly lines: Log;
  readonly shard: string;
  readonly log: Logger;
  /** The bytes of lines after a snapshot at which the next one is due. */
  readonly everyBytes: number;
  /** The files of the snapshot whose parts the tables have. */
  readonly folder: LogFolder | undefined;
  readonly cold: ColdTables;
  readonly tables: () => { readonly tables: readonly Table[]; readonly lives: readonly LiveTable[] };
  readonly partBytes: number | undefined;
  /** Real milliseconds. */
  readonly now: () => number;
}

const PART_BYTES = 256 * 1024;
/** Smaller parts than in a data folder: they are made on the main thread, which must renew leases. */
const FILE_PART_BYTES = 1 << 20;
/** An owner writes a snapshot itself after this many times the bytes, because then no standby does. */
const OWNER_FACTOR = 2;
const TEND_EVERY_MS = 1_000;
const PAUSE_MS = 5_000;
/** How exactly it is known how many bytes follow a snapshot, as a share of those after which the next one is due. */
const MARK_SHARE = 1 / 16;

/** The state of the tables at the moment. */
export interface Applied {
  /** The last transaction that is durable and in the tables. */
  readonly tx: number;
  readonly isOwner: boolean;
  readonly tail: Tail;
}

/** Reads the newest snapshot of a log at the start, writes new ones, and lets documents leave memory that are in one. */
export class LogSnapshots {
  readonly #options: LogSnapshotsOptions;
  /** Bytes of all applied lines, and of those up to the newest snapshot. */
  #applied = 0;
  #inSnapshot = 0;
  /** How many bytes were applied up to some transactions, in order. */
  #marks: { readonly tx: number; readonly bytes: number }[] = [];
  /** After a failed attempt: when the next one may begin, in real milliseconds. */
  #notBefore = 0;
  #writing: Promise<void> | undefined;
  /** The last transaction of the snapshot whose parts the tables have. */
  #adopted = 0;
  /** Whether a snapshot was written that the tables may not have. */
  #isNewer = false;
  #tending: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: LogSnapshotsOptions) {
    this.#options = options;
  }

  /** Applies the newest snapshot, if there is one. */
  async restore(tail: Tail, room: LoadRoom): Promise<void> {
    const { lines, shard } = this.#options;
    [this.#applied, this.#inSnapshot, this.#marks, this.#adopted, this.#isNewer] = [0, 0, [], 0, false];
    const found = await lines.files?.newest(shard);
    if (found?.files) return this.#restoreFiles({ ...found, files: found.files }, tail, room);
    const snapshot = await lines.readSnapshot?.(shard);
    if (!snapshot) return;
    for await (const part of snapshot.parts) {
      tail.restore(part);
      await room.checkAfter(part.length);
      await setImmediate();
    }
    tail.startAfter({ tx: snapshot.through, epoch: snapshot.epoch });
  }

  /** Reports that lines up to a transaction were applied. */
  applied(bytes: number, tx: number): void {
    this.#applied += bytes;
    if (this.#applied - (this.#marks.at(-1)?.bytes ?? 0) < this.#options.everyBytes * MARK_SHARE) return;
    this.#marks.push({ tx, bytes: this.#applied });
  }

  get #bytes(): number {
    return this.#applied - this.#inSnapshot;
  }

  /** Masks the rows on disk of documents that were changed by applied lines. @throws LogUnreachable */
  async mask(tail: Tail): Promise<void> {
    const { folder, shard } = this.#options;
    if (!folder) return;
    try {
      await tail.mask(async (table, { listed }) => {
        const index = await orDamaged(() => readPartIndex(folder, shard, table.name, listed));
        return index instanceof DataDamaged ? undefined : index.keys;
      });
    } catch (error) {
      throw error instanceof StoreUnavailable && error.cause instanceof Error ? error.cause : error;
    }
  }

  /**
   * Does what is due: takes over a newer snapshot, or starts to write one. Nothing else may change the tables meanwhile, except transactions
   * of an owner.
   */
  async tend(applied: () => Applied): Promise<void> {
    const { lines, log, everyBytes } = this.#options;
    if (!lines.writeSnapshot || this.#isStopped || (this.#bytes < everyBytes && !this.#isNewer)) return;
    try {
      if (lines.files && (await this.#adoptNewer(lines.files, applied))) return;
      const { isOwner } = applied();
      if (this.#writing || this.#options.now() < this.#notBefore || this.#bytes < (isOwner ? OWNER_FACTOR : 1) * everyBytes) return;
      if (lines.files && (this.#adopted > 0 || (await lines.files.mayBeUsed(this.#options.shard)))) this.#write(lines.files, undefined);
      else if (!isOwner) this.#write(undefined, applied().tail);
    } catch (error) {
      if (!this.#isStopped) log.warn('the newest snapshot of the log could not be looked up; it is tried again', { error });
    }
  }

  /** As the owner: writes a snapshot of files if the log has grown, and takes it over. @throws LogUnreachable, LogRewound */
  async compact(applied: () => Applied, purge = false): Promise<void> {
    const { lines, shard } = this.#options;
    while (this.#tending ?? this.#writing) await this.idle();
    const work = async (): Promise<void> => {
      if (!lines.files || !(await lines.files.mayBeUsed(shard))) return;
      await this.#writeFiles(lines.files, purge);
      await this.#adoptNewer(lines.files, applied);
    };
    const working = work();
    this.#tending = working.catch(() => undefined).finally(() => (this.#tending = undefined));
    await working;
  }

  /** As the owner: does what is due from time to time. */
  follow(applied: () => Applied | undefined): void {
    this.#timer = setInterval(() => {
      const now = applied();
      if (now) this.#tending ??= this.tend(() => applied() ?? now).finally(() => (this.#tending = undefined));
    }, TEND_EVERY_MS);
  }

  /** Begins nothing more. Work in progress fails when the log stops. */
  end(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  /** Resolves when nothing is in progress. */
  async idle(): Promise<void> {
    await Promise.all([this.#writing, this.#tending]);
  }

  async #restoreFiles(snapshot: FoundSnapshot & Required<Pick<FoundSnapshot, 'files'>>, tail: Tail, room: LoadRoom): Promise<void> {
    const { folder: fs, shard, log, now, cold, tables } = this.#options;
    if (!fs) return;
    fs.show(snapshot.files!);
    const place = { fs, folder: shard, log, room, now, onDamage: cold.onDamage };
    const { tables: all, lives } = tables();
    try {
      await loadData(place, { contents: noContents, ...(await listData(fs, shard)) }, all, lives);
    } catch (error) {
      throw error instanceof DataDamaged ? new DataDamaged(error.file, error.line, error.damage, RESTORE) : error;
    }
    tail.restored({ tx: snapshot.through, epoch: snapshot.epoch });
    this.#adopted = snapshot.through;
  }

  /** @returns whether there is a newer snapshot than that whose parts the tables have */
  async #adoptNewer(files: LogFiles, applied: () => Applied): Promise<boolean> {
    const { shard, folder, cold, log } = this.#options;
    const newest = await files.newest(shard);
    if (!newest?.files || newest.through <= this.#adopted || !folder) {
      this.#isNewer = false;
      return false;
    }
    // Otherwise it has documents that the tables will get later.
    if (applied().tx < newest.through) return true;
    folder.show(newest.files, (name) => cold.has(partCollectionOf(name) ?? ''));
    let isComplete = true;
    const collections = cold.tables.map(({ name }) => name);
    await cold.adopt(collections, newest.through, (collection, error) => {
      isComplete = false;
      if (!this.#isStopped) log.warn('documents in the newest snapshot stay in memory; it is tried again', { collection, error });
    });
    if (!isComplete) return true;
    [this.#adopted, this.#isNewer] = [newest.through, false];
    this.#inSnapshot = this.#marks.findLast(({ tx }) => tx <= newest.through)?.bytes ?? this.#inSnapshot;
    this.#marks = this.#marks.filter(({ tx }) => tx > newest.through);
    return true;
  }

  /** Starts to write a snapshot. Changes that follow do not get into one of lines. */
  #write(files: LogFiles | undefined, tail: Tail | undefined): void {
    const { lines, shard, log } = this.#options;
    const documents = tail?.documents();
    if (tail && !documents) return;
    const before = this.#inSnapshot;
    if (!files) this.#inSnapshot = this.#applied;
    const write = async (): Promise<void> => {
      if (files) await this.#writeFiles(files);
      else {
        const { tx: through, epoch } = tail!.position;
        await lines.writeSnapshot!(shard, { through, epoch, parts: partsOf(through, documents!) });
      }
    };
    this.#writing = write()
      .catch((error) => {
        if (!files) this.#inSnapshot = before;
        this.#notBefore = this.#options.now() + PAUSE_MS;
        if (!this.#isStopped) log.warn('a snapshot of the log could not be written; no data is lost, and it is tried again', { error });
      })
      .finally(() => {
        this.#writing = undefined;
      });
  }

  async #writeFiles(files: LogFiles, purge = false): Promise<void> {
    const { lines, shard, tables, partBytes = FILE_PART_BYTES } = this.#options;
    const placing = Object.fromEntries(tables().tables.map((table) => [table.name, table.placing]));
    this.#isNewer = (await writeFiles({ lines, files, shard, placing, partBytes, purge })) || this.#isNewer;
  }
}

/** Advice for a damaged file of a snapshot. */
export const RESTORE = 'Restore the database from a backup.';

/** Parts are lines of the journal, all with the number of the last transaction. */
async function* partsOf(tx: number, documents: readonly (() => Change)[]): AsyncGenerator<Uint8Array, void> {
  let changes: Change[] = [];
  let size = 0;
  for (const document of documents) {
    const change = document();
    changes.push(change);
    size += change.key.length + change.json!.length;
    if (size < PART_BYTES) continue;
    yield lineOf(tx, changes);
    [changes, size] = [[], 0];
    await setImmediate();
  }
  if (changes.length > 0) yield lineOf(tx, changes);
}
