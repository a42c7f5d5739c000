import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Log, type LogFiles, type LogPosition, LogRewound } from '../../ports/log.js';
import type { Placings } from './files/data-folder.js';
import { commitsIn } from './files/journal-file.js';
import { partCollectionOf, partName } from './files/part-file.js';
import { countOf } from './files/row-flags.js';
import { collectionOf, openSnapshot } from './files/snapshot-file.js';
import { LogFolder } from './log-folder.js';
import { addChange, type MergedChanges, mergeCollection } from './merge-collection.js';

export interface FilesPlace {
  readonly lines: Log;
  readonly files: LogFiles;
  readonly shard: string;
  readonly placing: Placings;
  readonly partBytes?: number | undefined;
  /** Rewrites every part that has deleted documents. */
  readonly purge?: boolean | undefined;
}

/** Lines that are merged at a time, in memory. */
const MERGED_BYTES = 32 << 20;
/** More than the new parts of a collection in one snapshot: numbers of parts follow from the transaction before them, so none is used twice. */
const PARTS_PER_TRANSACTION = 10_000;

/**
 * Writes a snapshot as files: merges the log after the newest snapshot into it, as a data folder does with its journal. A snapshot
 * of lines becomes files. Documents in memory are not needed, so any process can do it.
 * @returns false if the log has nothing new
 */
export async function writeFiles({ lines, files, shard, placing, partBytes, purge }: FilesPlace): Promise<boolean> {
  const before = await files.newest(shard);
  const writer = randomUUID();
  const fs = new LogFolder({ files, shard, writer });
  if (before?.files) fs.show(before.files);
  const merge = new LogMerge({ fs, shard, placing, partBytes, partsAfter: (before?.through ?? 0) * PARTS_PER_TRANSACTION });
  if (before && !before.files) {
    const snapshot = await lines.readSnapshot!(shard);
    if (snapshot?.through !== before.through)
      throw new LogRewound(`another snapshot of shard ${shard} has taken the place of the newest one`);
    for await (const part of snapshot.parts) await merge.add(part);
  }
  const start: LogPosition = { tx: before?.through ?? 0, epoch: before?.epoch };
  let end = start;
  for await (const batch of lines.read(shard, start))
    for (const row of batch) {
      await merge.add(row.lines, end.tx);
      end = { tx: row.last, epoch: row.epoch };
    }
  if (end.tx === start.tx) return false;
  await merge.end();
  if (purge) await merge.purge();
  await files.publish(shard, { id: writer, through: end.tx, epoch: end.epoch, files: fs.files }, before?.id, fs.added);
  return true;
}

interface MergeOptions {
  readonly fs: LogFolder;
  readonly shard: string;
  readonly placing: Placings;
  readonly partBytes: number | undefined;
  readonly partsAfter: number;
}

/** Merges lines into the files of a snapshot, some of them at a time. */
class LogMerge {
  readonly #options: MergeOptions;
  #changes = new Map<string, MergedChanges>();
  #bytes = 0;
  #through = 0;

  constructor(options: MergeOptions) {
    this.#options = options;
  }

  /** @param after the transactions up to this one are merged already; undefined for lines of a snapshot @throws Error when a line is damaged or missing */
  async add(lines: Uint8Array, after?: number): Promise<void> {
    let last = after;
    for (const { tx, changes } of commitsIn(Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength))) {
      if (last !== undefined && tx <= last) continue;
      if (last !== undefined && tx !== last + 1) throw new Error(`the log contains transaction ${tx} after ${last}`);
      if (last !== undefined) last = tx;
      this.#through = tx;
      for (const change of changes) {
        const known = this.#changes.get(change.collection) ?? new Map();
        this.#changes.set(change.collection, known);
        addChange(known, change);
      }
    }
    this.#bytes += lines.length;
    if (this.#bytes >= MERGED_BYTES) await this.end();
    else await setImmediate();
  }

  /** Merges what was added. */
  async end(): Promise<void> {
    const [changes, through] = [this.#changes, this.#through];
    [this.#changes, this.#bytes] = [new Map(), 0];
    for (const [collection, changed] of changes) await this.#merge(collection, changed, { through, purge: false });
  }

  /** Rewrites the parts of all collections that have superseded rows. */
  async purge(): Promise<void> {
    const { fs } = this.#options;
    for (const { name } of await fs.list()) {
      const collection = collectionOf(name);
      while (collection !== undefined && (await this.#merge(collection, new Map(), { through: 0, purge: true })));
    }
  }

  async #merge(collection: string, changed: MergedChanges, { through, purge }: { readonly through: number; readonly purge: boolean }) {
    const { shard, ...place } = this.#options;
    const snapshot = openSnapshot(place.fs, shard, collection);
    await snapshot.read();
    if (purge && !snapshot.data.parts.some(({ superseded }) => countOf(superseded) > 0)) return false;
    const { fs, partBytes, partsAfter } = place;
    const placing = place.placing[collection];
    const isLimited = await mergeCollection(
      { fs, folder: shard, collection, placing, partBytes, partsAfter, purge },
      snapshot.data,
      changed,
      through,
    );
    await snapshot.read();
    const listed = new Set(snapshot.data.parts.map(({ n }) => partName(collection, n)));
    for (const { name } of await fs.list()) if (partCollectionOf(name) === collection && !listed.has(name)) await fs.remove(name);
    return isLimited;
  }
}
