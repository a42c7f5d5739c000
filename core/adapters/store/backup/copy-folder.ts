import { join } from 'node:path';
import { type FileSystem, hasCode, type ListedFile } from '../../file-system.js';
import { openFolderFiles } from '../encrypted-folder.js';
import { CONTENTS_FILE, type Contents, syncedBytesOf, writeContents } from '../files/contents-file.js';
import { DataDamaged } from '../files/data-damaged.js';
import { assertComplete, FORMAT_FILE, listData, readEncryption, readFormat, writeFormat } from '../files/data-folder.js';
import { firstTxOf, readSegment } from '../files/journal-file.js';
import { partCollectionOf, partName, readPart } from '../files/part-file.js';
import { collectionOf, openSnapshot, snapshotName } from '../files/snapshot-file.js';
import { CopyFailed, FileCopier, recognizePart, recognizeSha256 } from './file-copier.js';
import { OpenSegments } from './open-segments.js';

export interface CopyProgress {
  /** Bytes that are copied, linked or found in place. */
  readonly bytes: number;
  /** The size of the folder when the copy began. */
  readonly totalBytes: number;
}

export interface CopyOptions {
  readonly fs: FileSystem;
  /** Of an encrypted folder: its secret keys, 64 hexadecimal digits each. */
  readonly secretKeys?: readonly string[] | undefined;
  readonly from: string;
  readonly to: string;
  readonly earlier?: string | undefined;
  /** Files in `to` that stay. */
  readonly kept?: readonly string[];
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
}

export interface CopiedFolder {
  readonly format: number;
  /** The last transaction in the copy. */
  readonly through: number;
  readonly files: number;
  readonly bytes: number;
  readonly copiedBytes: number;
  readonly linkedBytes: number;
  readonly mediaFiles: number;
  /** Media files whose content has changed on the disk. The copy does not have them. */
  readonly damagedMedia: readonly string[];
  /** The files of the folder that are neither documents nor media, such as keys. */
  readonly others: readonly string[];
}

const MEDIA = 'media';
const SHA256 = /^[0-9a-f]{64}$/;
const MEDIA_AT_ONCE = 8;
/** Files that belong to the process that uses the folder, or to a write that is not complete. */
const NOT_COPIED = /^lock(\.taking-over)?$|^(moving|restoring)\.json$|\.(tmp|new)$/;
const MAX_TRIES = 100;

/**
 * Copies a data folder as of one transaction, while a platform may write to it, merge its journal and replace parts. Verifies every
 * checksum. `format.json` comes last: without it, no platform opens the copy. Continues an interrupted copy.
 * @throws DataDamaged, CopyFailed, KeyMissing
 */
export async function copyFolder(options: CopyOptions): Promise<CopiedFolder> {
  const { fs: reading } = await openFolderFiles(options.fs, options.from, options.secretKeys);
  return new FolderCopy({ ...options, reading }).run();
}

/** A snapshot in the copy. */
interface CopiedSnapshot {
  readonly through: number;
  readonly files: readonly string[];
}

interface CopiedJournal {
  readonly contents: Contents;
  readonly through: number;
  readonly others: readonly string[];
}

class FolderCopy {
  readonly #options: CopyOptions & { readonly reading: FileSystem };
  readonly #copier: FileCopier;
  readonly #snapshots = new Map<string, CopiedSnapshot>();
  /** Parts in the copy, with their checksums: a later part may have the name of a deleted one. */
  readonly #parts = new Set<string>();
  /** The size of each file in the copy. */
  readonly #media = new Map<string, number>();
  readonly #damagedMedia = new Set<string>();
  #bytes = 0;
  #totalBytes = 0;

  constructor(options: CopyOptions & { readonly reading: FileSystem }) {
    const { fs, reading, from, to, earlier, onProgress } = options;
    this.#options = options;
    const onBytes = (bytes: number): void => {
      this.#bytes += bytes;
      onProgress?.({ bytes: this.#bytes, totalBytes: this.#totalBytes });
    };
    this.#copier = new FileCopier({ fs, reading, from, to, earlier, onBytes });
  }

  async run(): Promise<CopiedFolder> {
    const { fs, reading, from, to } = this.#options;
    this.#totalBytes = await this.#sizeOfSource();
    await fs.remove(join(to, FORMAT_FILE));
    // Most of the bytes. `copyRest` copies again what changes meanwhile, but keeps segments open, which takes space while they are deleted.
    await this.#copySnapshots();
    await this.#copyMedia();
    const { contents, through, others } = await settled(() => this.#copyRest());
    // Those of the last transactions.
    await this.#copyMedia();
    await writeContents(reading, to, contents);
    const size = await this.#prune([...contents.segments, ...others, CONTENTS_FILE]);
    await this.#copier.syncFolders();
    const format = (await readFormat(fs, from))!;
    await writeFormat(fs, to, format, await readEncryption(fs, from));
    const { copiedBytes, linkedBytes } = this.#copier;
    const media = { mediaFiles: this.#media.size, damagedMedia: [...this.#damagedMedia].sort() };
    return { format, through, ...size, copiedBytes, linkedBytes, ...media, others };
  }

  /** Copies the snapshots that are not in the copy yet, or not up to the given transactions. */
  async #copySnapshots(atLeast: Readonly<Record<string, number>> = {}, segments?: OpenSegments): Promise<void> {
    const { fs, from } = this.#options;
    for (const { collection } of (await listData(fs, from)).snapshots) {
      const copied = this.#snapshots.get(collection);
      if (copied && copied.through >= (atLeast[collection] ?? 0)) continue;
      await settled(() => this.#copySnapshot(collection, atLeast[collection] ?? 0, segments));
    }
  }

  async #copySnapshot(collection: string, atLeast: number, segments: OpenSegments | undefined): Promise<void> {
    const { reading, from, to } = this.#options;
    const name = snapshotName(collection);
    if (!(await this.#copier.copy(name))) throw new DataDamaged(join(from, name), undefined, 'the file is missing');
    await segments?.follow();
    const { through, parts } = await this.#inSource(async () => {
      const snapshot = openSnapshot(reading, to, collection);
      await snapshot.read();
      for await (const _ of snapshot.data.rows);
      return snapshot.data;
    });
    if (through < atLeast) {
      const outdated = `the file is outdated: it ends at transaction ${through}, but should reach at least ${atLeast}`;
      throw new DataDamaged(join(from, name), 3, outdated);
    }
    for (const part of parts) {
      const file = partName(collection, part.n);
      const content = `${file} ${part.checksum}`;
      if (this.#parts.has(content)) continue;
      const result = await this.#copier.bring(file, () => recognizePart(part));
      if (result !== 'done') {
        // Names the damage. If a merge has just replaced the part, the new snapshot, which is copied then, does not list it.
        await readPart(reading, from, collection, part);
        throw new DataDamaged(join(from, file), undefined, 'the file changed while it was copied');
      }
      this.#parts.add(content);
      await segments?.follow();
    }
    this.#snapshots.set(collection, { through, files: [name, ...parts.map(({ n }) => partName(collection, n))] });
  }

  /**
   * Completes the copy: the segments of the journal are opened first, so that they reach from the snapshots to the end, however
   * often a platform merges them meanwhile.
   */
  async #copyRest(): Promise<CopiedJournal> {
    const { fs, reading, from } = this.#options;
    const segments = new OpenSegments(fs, reading, from);
    try {
      const before = await segments.follow();
      await this.#copySnapshots(before.snapshots, segments);
      const { contents, sizes, others } = await this.#cut(segments);
      for (const [name, size] of sizes) await this.#copier.copyOpen(name, segments.files.get(name)!, size);
      const { through, lastBytes } = await this.#verifySegments([...sizes.keys()], contents);
      const last = [...sizes.keys()].at(-1);
      const ends = last !== undefined && contents.synced && { synced: { segment: last, bytes: lastBytes, through } };
      const snapshots = Object.fromEntries([...this.#snapshots].map(([collection, copied]) => [collection, copied.through]));
      return { contents: { snapshots, segments: [...sizes.keys()], ...ends }, through, others };
    } finally {
      await segments.close();
    }
  }

  /** Copies the other files, and decides where the journal of the copy ends: while those files had this content. */
  async #cut(segments: OpenSegments) {
    const { fs, from } = this.#options;
    for (let tries = 1; ; tries++) {
      const before = othersIn(await fs.list(from));
      const contents = await segments.follow();
      const data = await listData(fs, from);
      const names = before.map(({ name }) => name);
      for (const name of names) await this.#copier.copy(name);
      const isUnchanged = describe(othersIn(await fs.list(from))) === describe(before);
      const last = data.segments.find(({ name }) => name === contents.segments.at(-1));
      // Otherwise a merge has just deleted it.
      if (isUnchanged && (last || contents.segments.length === 0)) {
        assertComplete(from, { ...contents, segments: [] }, data);
        const sizes = new Map([...segments.files.keys()].map((name) => [name, name === last?.name ? last.size : Number.POSITIVE_INFINITY]));
        return { contents, sizes, others: names };
      }
      if (tries === MAX_TRIES) throw new CopyFailed(`${names.join(' or ')} in ${from} changes all the time. Run the command again`);
    }
  }

  /** Removes an incomplete transaction at the end. @throws DataDamaged when transactions are missing */
  async #verifySegments(names: readonly string[], contents: Contents): Promise<{ through: number; lastBytes: number }> {
    const { reading: fs, from, to } = this.#options;
    let through: number | undefined;
    let lastBytes = 0;
    for (const [at, name] of names.entries()) {
      const gap = through !== undefined && firstTxOf(name)! > through + 1;
      if (gap)
        throw new DataDamaged(join(from, name), undefined, `transactions ${through! + 1} to ${firstTxOf(name)! - 1} before it are missing`);
      const { commits, end } = readSegment(fs, to, name, syncedBytesOf(contents, name));
      await this.#inSource(async () => {
        for await (const _ of commits);
      });
      if (end.torn > 0) {
        if (at < names.length - 1) throw new DataDamaged(join(from, name), undefined, 'the file is truncated, but a later one exists');
        const file = await fs.open(join(to, name), 'append');
        await file
          .truncate(end.whole)
          .then(() => file.sync())
          .finally(() => file.close());
      }
      through = end.lastTx;
      lastBytes = end.whole;
    }
    return { through: Math.max(through ?? 0, ...[...this.#snapshots.values()].map((copied) => copied.through)), lastBytes };
  }

  async #copyMedia(): Promise<void> {
    const files = this.#mediaIn(this.#options.from);
    await Promise.all(
      Array.from({ length: MEDIA_AT_ONCE }, async () => {
        for await (const { name, size } of files) {
          const sha256 = name.slice(name.lastIndexOf('/') + 1);
          if (this.#media.has(name) || !SHA256.test(sha256)) continue;
          const result = await this.#copier.bring(name, () => recognizeSha256(sha256));
          if (result === 'done') this.#media.set(name, size);
          if (result === 'damaged') this.#damagedMedia.add(name);
        }
      }),
    );
  }

  /** The files are in folders, and with shards one level deeper. */
  async *#mediaIn(root: string, folder = MEDIA): AsyncGenerator<{ readonly name: string; readonly size: number }, void> {
    const { fs } = this.#options;
    try {
      for (const { name, size } of await fs.list(join(root, folder))) yield { name: `${folder}/${name}`, size };
      for (const name of await fs.listFolders(join(root, folder))) yield* this.#mediaIn(root, `${folder}/${name}`);
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }

  /** Removes what an interrupted copy left, and what a merge replaced. @returns the size of the copy */
  async #prune(others: readonly string[]): Promise<{ files: number; bytes: number }> {
    const { fs, to, kept = [] } = this.#options;
    const wanted = new Set([...others, ...[...this.#snapshots.values()].flatMap((snapshot) => snapshot.files)]);
    let [files, bytes] = [this.#media.size, [...this.#media.values()].reduce((sum, size) => sum + size, 0)];
    for (const { name, size } of await fs.list(to)) {
      if (kept.includes(name)) continue;
      if (!wanted.has(name)) await fs.remove(join(to, name));
      else [files, bytes] = [files + 1, bytes + size];
    }
    for await (const { name } of this.#mediaIn(to)) if (!this.#media.has(name)) await fs.remove(join(to, name));
    return { files, bytes };
  }

  async #sizeOfSource(): Promise<number> {
    const { fs, from } = this.#options;
    let bytes = 0;
    for (const { size } of await fs.list(from)) bytes += size;
    for await (const { size } of this.#mediaIn(from)) bytes += size;
    return bytes;
  }

  /** The copy was verified, but the damage is that of the original. */
  async #inSource<T>(verify: () => Promise<T>): Promise<T> {
    try {
      return await verify();
    } catch (error) {
      if (!(error instanceof DataDamaged)) throw error;
      const name = error.file.slice(this.#options.to.length + 1);
      throw new DataDamaged(join(this.#options.from, name), error.line, error.damage);
    }
  }
}

/** Files besides the data: keys, notes and the clock of a sandbox, set-aside records. */
const othersIn = (files: readonly ListedFile[]): ListedFile[] =>
  files.filter(
    ({ name }) =>
      !NOT_COPIED.test(name) &&
      name !== CONTENTS_FILE &&
      name !== FORMAT_FILE &&
      collectionOf(name) === undefined &&
      partCollectionOf(name) === undefined &&
      firstTxOf(name) === undefined,
  );

const describe = (files: readonly ListedFile[]): string => JSON.stringify(files);

/** Repeats work while its result shows that the folder has changed meanwhile. The same damage twice is real. @throws DataDamaged */
async function settled<T>(work: () => Promise<T>): Promise<T> {
  let last = '';
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DataDamaged) || error.message === last) throw error;
      if (tries === MAX_TRIES) throw new CopyFailed(`the folder changes faster than it can be copied: ${error.damage} (${error.file})`);
      last = error.message;
    }
  }
}
