import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { LogFile, LogFiles } from '../../ports/log.js';
import type { Logger } from '../../ports/logger.js';
import { type MovedDocument, type MovePlan, type MoveSource, type MoveTarget, PlaceInUse, TargetNotEmpty } from '../../ports/move.js';
import type { TenantTypes } from '../../ports/tenant.js';
import { type FileSystem, nodeFileSystem, readFully, replaceFile } from '../file-system.js';
import { NoData } from './check/scan-data.js';
import { compact } from './compaction.task.js';
import { CONTENTS_FILE, noContents, readContents, writeContents } from './files/contents-file.js';
import { FORMAT, FORMAT_FILE, listData, type Placings, readFormat, writeFormat } from './files/data-folder.js';
import { FolderInUse, lockFolder } from './files/folder-lock.js';
import { readSegment, segmentName } from './files/journal-file.js';
import { currentRows, partName, readPart } from './files/part-file.js';
import { openSnapshot, snapshotName } from './files/snapshot-file.js';
import { jsonOf, type StoredRow } from './files/stored-row.js';
import { JsonStore } from './json-store.js';
import { LogFolder } from './log-folder.js';
import { documentsOf } from './moved-lines.js';
import { declaredIn } from './tables/cold-table.js';

const fs = nodeFileSystem;

/** Places documents as a platform with these collections would. */
export function placingsOf(types: TenantTypes): Placings {
  return Object.fromEntries(
    [...types].map(([name, type]) => {
      const { key, unique = {}, indexes = {}, cold } = type;
      const fields = [...new Set<string>([key, ...Object.values(unique).flat(), ...Object.values(indexes).flat()])];
      return [name, { key, fields, ...(cold && { lookups: declaredIn({ unique, indexes }) }) }];
    }),
  );
}

/** The documents of a data folder, which stays as it is. No process can use it meanwhile. */
export class FolderSource implements MoveSource {
  readonly name: string;
  readonly state: string;
  readonly through: number;
  readonly bytes: number;
  readonly #folder: string;
  readonly #collections: readonly string[];
  readonly #store: JsonStore;

  private constructor(folder: string, store: JsonStore, { state, through, bytes, collections }: FolderState) {
    [this.#folder, this.#store, this.#collections] = [folder, store, collections];
    [this.name, this.state, this.through, this.bytes] = [`the data folder ${folder}`, state, through, bytes];
  }

  /** Locks the folder, and merges its journal into its snapshots as a stop does. @throws FolderInUse, NoData, DataDamaged */
  static async open(folder: string, { log, placing }: { readonly log: Logger; readonly placing: Placings }): Promise<FolderSource> {
    const format = await readFormat(fs, folder);
    if (format === undefined) throw new NoData(`${folder} is not a data folder: it has no format.json`);
    // Without declared collections it loads no documents.
    const store = new JsonStore({ folder, log, compact: (input) => compact({ ...input, placing }, fs) });
    await store.start();
    try {
      await store.compact();
      await removeReplaced(folder);
      return new FolderSource(folder, store, await stateOf(folder));
    } catch (error) {
      await store.stop();
      throw error;
    }
  }

  documents(collections?: ReadonlySet<string>): AsyncGenerator<readonly MovedDocument[], void> {
    const wanted = this.#collections.filter((collection) => !collections || collections.has(collection));
    return documentsInFiles(fs, this.#folder, wanted);
  }

  async confirm(): Promise<void> {
    const { reason } = this.#store.health();
    if (reason !== undefined) throw new PlaceInUse(reason);
  }

  close(): Promise<void> {
    return this.#store.stop();
  }
}

/** Removes the parts that merges have replaced. No process reads them any more. */
async function removeReplaced(folder: string): Promise<void> {
  const { snapshots, parts } = await listData(fs, folder);
  const listed = new Set<string>();
  for (const { collection } of snapshots) {
    const snapshot = openSnapshot(fs, folder, collection);
    await snapshot.read();
    for (const { n } of snapshot.data.parts) listed.add(partName(collection, n));
  }
  for (const { name } of parts) if (!listed.has(name)) await fs.remove(join(folder, name));
}

/** The documents in the snapshots of a folder. @throws DataDamaged */
async function* documentsInFiles(fs: FileSystem, folder: string, collections: readonly string[]) {
  for (const collection of collections) {
    const documentOf = (row: StoredRow): MovedDocument => ({ collection, key: row.key, json: jsonOf(row) });
    const snapshot = openSnapshot(fs, folder, collection);
    await snapshot.read();
    for (const part of snapshot.data.parts)
      yield currentRows(collection, part, await readPart(fs, folder, collection, part)).map(documentOf);
    for await (const rows of snapshot.data.rows) yield rows.map(documentOf);
  }
}

/** The documents in a snapshot of a log that is files. @throws DataDamaged */
export async function* documentsInLogFiles(files: LogFiles, shard: string, listed: readonly LogFile[]) {
  const folder = new LogFolder({ files, shard });
  folder.show(listed);
  const { snapshots } = await listData(folder, shard);
  yield* documentsInFiles(
    folder,
    shard,
    snapshots.map(({ collection }) => collection),
  );
}

interface FolderState {
  readonly state: string;
  readonly through: number;
  readonly bytes: number;
  readonly collections: readonly string[];
}

async function stateOf(folder: string): Promise<FolderState> {
  const { snapshots, parts } = await listData(fs, folder);
  const { snapshots: through } = await readContents(fs, folder);
  const files = [...snapshots.map(({ collection, size }) => [collection, size]), ...parts.map(({ name, size }) => [name, size])];
  return {
    state: createHash('sha256')
      .update(JSON.stringify([through, files]))
      .digest('hex'),
    through: Math.max(1, ...Object.values(through)),
    bytes: [...snapshots, ...parts].reduce((sum, { size }) => sum + size, 0),
    collections: snapshots.map(({ collection }) => collection).sort(),
  };
}

const MARKER = 'moving.json';
const SHARD = 'main';
const OTHER_FILES = [FORMAT_FILE, CONTENTS_FILE];
const SEGMENT_BYTES = 64 * 1024 * 1024;

/** A data folder that a move creates. It has no `format.json` until it is complete, so a platform refuses to start with it. */
export class FolderTarget implements MoveTarget {
  readonly name: string;
  readonly #folder: string;
  readonly #placing: Placings;
  #segments: { readonly name: string; size: number }[] = [];
  #unlock: (() => Promise<void>) | undefined;

  constructor(folder: string, { placing }: { readonly placing: Placings }) {
    this.#folder = folder;
    this.#placing = placing;
    this.name = `the data folder ${folder}`;
  }

  async begin(plan: MovePlan): Promise<ReadonlyMap<string, number> | 'complete'> {
    await fs.makeFolder(this.#folder);
    await this.#lock();
    const marked = (await readFully(fs, join(this.#folder, MARKER)))?.toString().trim();
    const [file] = await this.#files();
    if (marked === undefined && file !== undefined)
      throw new TargetNotEmpty(`${this.#folder} has data of its own, such as ${file}. Choose an empty folder`);
    if (marked === plan.id && (await readFormat(fs, this.#folder)) !== undefined) {
      await this.#tidy();
      return 'complete';
    }
    if (marked !== plan.id) await this.discard();
    await replaceFile(fs, this.#folder, MARKER, [Buffer.from(`${plan.id}\n`)]);
    return new Map([[SHARD, await this.#partsThere()]]);
  }

  async write(_shard: string, part: number, lines: Uint8Array): Promise<void> {
    let segment = this.#segments.at(-1);
    if (!segment || segment.size >= SEGMENT_BYTES) {
      segment = { name: segmentName(part), size: 0 };
      this.#segments.push(segment);
    }
    const file = await fs.open(join(this.#folder, segment.name), 'append');
    try {
      await file.write(lines);
      if (!file.writesDurably) await file.sync();
      segment.size += lines.length;
    } finally {
      await file.close();
    }
  }

  async *read(): AsyncGenerator<readonly MovedDocument[], void> {
    for (const { name } of this.#segments)
      for await (const batch of readSegment(fs, this.#folder, name).commits) for (const commit of batch) yield documentsOf(commit);
  }

  async publish(): Promise<void> {
    const folder = this.#folder;
    const through: Record<string, number> = {};
    for (const { name } of this.#segments) {
      const merged = await compact({ folder, segments: [name], placing: this.#placing }, fs);
      for (const collection of merged.collections) through[collection] = merged.through;
      await removeReplaced(folder);
    }
    await writeContents(fs, folder, { ...noContents, snapshots: through });
    await writeFormat(fs, folder, FORMAT);
    await this.#tidy();
  }

  async discard(): Promise<void> {
    for (const name of await this.#files()) await fs.remove(join(this.#folder, name));
    await fs.remove(join(this.#folder, MARKER));
    this.#segments = [];
  }

  async close(): Promise<void> {
    await this.#unlock?.();
  }

  /** The files of the data. Media, keys and the lock are not among them. */
  async #files(): Promise<string[]> {
    const { snapshots, parts, segments } = await listData(fs, this.#folder);
    const others = (await fs.list(this.#folder)).map(({ name }) => name).filter((name) => OTHER_FILES.includes(name));
    return [...snapshots.map(({ collection }) => snapshotName(collection)), ...[...parts, ...segments].map(({ name }) => name), ...others];
  }

  async #lock(): Promise<void> {
    try {
      this.#unlock = await lockFolder(fs, this.#folder, { onLost: () => undefined });
    } catch (error) {
      if (error instanceof FolderInUse) throw new PlaceInUse(error.message);
      throw error;
    }
  }

  /** Removes an incomplete part, which a crash leaves. @returns the number of complete parts */
  async #partsThere(): Promise<number> {
    let parts = 0;
    for (const { name } of (await listData(fs, this.#folder)).segments) {
      const { commits, end } = readSegment(fs, this.#folder, name);
      for await (const _ of commits);
      this.#segments.push({ name, size: end.whole });
      parts = end.lastTx;
      if (end.torn === 0) continue;
      const file = await fs.open(join(this.#folder, name), 'append');
      await file.truncate(end.whole).finally(() => file.close());
    }
    return parts;
  }

  /** Removes what only an unfinished move needs. */
  async #tidy(): Promise<void> {
    for (const { name } of (await listData(fs, this.#folder)).segments) await fs.remove(join(this.#folder, name));
    await fs.remove(join(this.#folder, MARKER));
    await fs.syncFolder(this.#folder);
  }
}
