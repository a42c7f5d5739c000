import { join } from 'node:path';
import { type FileSystem, hasCode, readFully } from '../../file-system.js';
import type { Commit } from '../commit.js';
import { CONTENTS_FILE, type Contents, decodeContents, noContents, syncedBytesOf } from '../files/contents-file.js';
import { DataDamaged } from '../files/data-damaged.js';
import { cutSegment, FORMAT_FILE, listData, missingFiles, readFormat } from '../files/data-folder.js';
import { decodeCommit, readSegment } from '../files/journal-file.js';
import { partName } from '../files/part-file.js';
import { readLines } from '../files/read-lines.js';
import { decodePart, isFrame, openSnapshot, snapshotName, throughIn } from '../files/snapshot-file.js';
import type { StoredDocument } from '../files/stored-row.js';
import { commitsIn, type Damage, decoded, piecesOf, rowsIn, strictly } from './pieces.js';
import { type DiskPart, type ListedPart, scanParts } from './scan-parts.js';

export interface ScannedSnapshot {
  readonly documents: Map<string, string>;
  readonly onDisk: readonly DiskPart[];
  /** The last transaction that the file reliably contains. */
  readonly through: number;
  readonly isComplete: boolean;
  /** The names of the parts that it lists. */
  readonly parts: readonly string[];
}

/** Everything readable in a data folder, however damaged. */
export interface ScannedData {
  /** Undefined if the folder does not say. */
  readonly format: number | undefined;
  readonly contents: Contents;
  readonly snapshots: ReadonlyMap<string, ScannedSnapshot>;
  /** In order of their numbers. */
  readonly commits: readonly Commit[];
  readonly segments: readonly string[];
  readonly damages: readonly Damage[];
  /** An incomplete transaction at the end of the journal, after everything known to be synced: an interrupted write. */
  readonly torn: Damage | undefined;
}

/** The folder has no Posthorn data. */
export class NoData extends Error {
  override readonly name = 'NoData';
}

/** @throws NoData, FormatTooNew */
export async function scanData(fs: FileSystem, folder: string): Promise<ScannedData> {
  const files = await listData(fs, folder).catch((error) => {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    throw error;
  });
  const damages: Damage[] = [];
  const format = await scanFormat(fs, folder, damages);
  if (!files) throw noData(folder);
  if (format === undefined && damages.length === 0) damages.push({ file: FORMAT_FILE, damage: 'the file is missing' });
  const contents = format === 1 ? noContents : await scanContents(fs, folder, damages);
  for (const file of missingFiles(contents, files)) damages.push({ file, damage: `the file is missing, but ${CONTENTS_FILE} lists it` });

  const snapshots = new Map<string, ScannedSnapshot>();
  for (const { collection } of files.snapshots) {
    const names = files.parts.filter((part) => part.collection === collection).map(({ name }) => name);
    snapshots.set(collection, await scanSnapshot(fs, folder, collection, names, contents.snapshots[collection] ?? 0, damages));
  }
  for (const collection of new Set(files.parts.map((part) => part.collection))) {
    // Parts of a collection that never had a snapshot are left over from an interrupted merge.
    if (snapshots.has(collection) || (contents !== noContents && contents.snapshots[collection] === undefined)) continue;
    const parts = files.parts.filter((part) => part.collection === collection).map(({ name }) => ({ name, part: undefined }));
    const documents = new Map<string, string>();
    const scanned = await scanParts({ fs, folder, collection }, parts, documents);
    damages.push(...scanned.damages);
    const { onDisk } = scanned;
    snapshots.set(collection, { documents, onDisk, through: contents.snapshots[collection] ?? 0, isComplete: false, parts: [] });
  }
  const commits = new Map<number, Commit>();
  const cut = cutSegment(contents, files);
  let torn: Damage | undefined;
  /**
   * The last transaction of the listed segments, which have no gaps. Snapshots can be at different transactions, so they do not
   * fill a gap.
   */
  let journalTx: number | undefined;
  let lastTx = Math.max(0, ...[...snapshots.values()].map(({ through }) => through));
  for (const [at, { name: file, firstTx }] of files.segments.entries()) {
    const isLast = at === files.segments.length - 1;
    const segment = await scanSegment(fs, folder, file, isLast, syncedBytesOf(contents, file));
    damages.push(...segment.damages);
    torn = segment.torn;
    let newest = journalTx ?? lastTx;
    if (segment.commits.length === 0 && firstTx > newest + 1)
      damages.push({ file, damage: `${spanOf(newest + 1, firstTx - 1)} before it` });
    for (const { line, commit, bytes } of segment.commits) {
      if (commit.tx > newest + 1) damages.push({ file, line, damage: `${spanOf(newest + 1, commit.tx - 1)} before it` });
      newest = Math.max(newest, commit.tx);
      const known = commits.get(commit.tx);
      if (known && JSON.stringify(known) !== JSON.stringify(commit))
        damages.push({
          file,
          line,
          damage: `another line contains different changes under the same transaction number ${commit.tx}`,
          bytes,
        });
      else commits.set(commit.tx, commit);
    }
    lastTx = Math.max(lastTx, newest);
    if (contents.segments.includes(file)) journalTx = newest;
    if (contents.synced?.segment === file) {
      const shorter = cut && `it has ${cut.size} bytes, but ${cut.bytes} were synced: it was truncated`;
      const found = [shorter, missingUpTo(newest, contents.synced.through)].filter((one) => one !== undefined);
      if (found.length > 0) damages.push({ file, damage: found.join(', and ') });
    }
  }
  // Other programs may use the same file names; do not report their files as damaged.
  const isOurs = format !== undefined || contents !== noContents || commits.size > 0 || [...snapshots.values()].some(hasContent);
  if (!isOurs) throw noData(folder);
  const segments = files.segments.map(({ name }) => name);
  return { format, contents, snapshots, commits: [...commits.values()].sort((a, b) => a.tx - b.tx), segments, damages, torn };
}

const noData = (folder: string): NoData => new NoData(`no data found in ${folder}`);
const hasContent = ({ documents, onDisk }: ScannedSnapshot): boolean => documents.size + onDisk.length > 0;

function missingUpTo(found: number, through: number): string | undefined {
  if (found >= through) return undefined;
  return found + 1 === through
    ? `the acknowledged transaction ${through} is missing`
    : `the acknowledged transactions ${found + 1} to ${through} are missing`;
}

const spanOf = (from: number, to: number): string =>
  from === to ? `transaction ${from} is missing` : `transactions ${from} to ${to} are missing`;

async function scanFormat(fs: FileSystem, folder: string, damages: Damage[]): Promise<number | undefined> {
  try {
    return await readFormat(fs, folder);
  } catch (error) {
    if (!(error instanceof DataDamaged)) throw error;
    const bytes = await readFully(fs, join(folder, FORMAT_FILE));
    damages.push({ file: FORMAT_FILE, line: 1, damage: error.damage, ...(bytes && { bytes }) });
    return undefined;
  }
}

async function scanContents(fs: FileSystem, folder: string, damages: Damage[]): Promise<Contents> {
  const bytes = await readFully(fs, join(folder, CONTENTS_FILE));
  const contents = bytes && decodeContents(bytes.toString());
  if (contents) return contents;
  damages.push(
    bytes
      ? { file: CONTENTS_FILE, damage: 'the checksum does not match the contents', bytes }
      : { file: CONTENTS_FILE, damage: 'the file is missing' },
  );
  return noContents;
}

async function scanSnapshot(
  fs: FileSystem,
  folder: string,
  collection: string,
  partNames: readonly string[],
  atLeast: number,
  damages: Damage[],
): Promise<ScannedSnapshot> {
  const file = snapshotName(collection);
  const found: Damage[] = [];
  const documents = new Map<string, string>();
  const listed: ListedPart[] = [];
  let stated: number | undefined;
  for await (const lines of readLines(fs, join(folder, file))) {
    for (const { bytes, number: line } of lines) {
      const text = bytes.length < 200 ? bytes.toString() : '';
      const part = isFrame(text) ? undefined : decodePart(bytes, collection);
      if (part) listed.push({ name: partName(collection, part.n), part });
      else if (isFrame(text)) stated ??= throughIn(text);
      else for (const piece of piecesOf(bytes, rowsIn)) take(piece, line, bytes);
    }
  }
  const verdict = await strictly(async () => {
    const snapshot = openSnapshot(fs, folder, collection);
    await snapshot.read();
    for await (const _ of snapshot.data.rows);
  });
  if (verdict && found.length === 0) found.push({ file, ...(verdict.line && { line: verdict.line }), damage: verdict.damage });
  // The lines around the documents have no checksum of their own; only the checksum of the complete file covers them.
  const isExplained = found.some(({ bytes }) => bytes);
  let through = !verdict || isExplained ? (stated ?? 0) : atLeast;
  if (through < atLeast) {
    if (!verdict) found.push({ file, line: 3, damage: `it ends at transaction ${through}, but should reach at least ${atLeast}` });
    else through = atLeast;
  }
  // A complete list tells files that an interrupted merge left over. Otherwise their documents may be needed.
  const unlisted = partNames.filter((name) => verdict && !listed.some((part) => part.name === name));
  const parts = [...listed, ...unlisted.map((name) => ({ name, part: undefined }))];
  const scanned = await scanParts({ fs, folder, collection }, parts, documents);
  found.push(...scanned.damages);
  damages.push(...found);
  return { documents, onDisk: scanned.onDisk, through, isComplete: found.length === 0, parts: listed.map(({ name }) => name) };

  function take(piece: StoredDocument | undefined, line: number, bytes: Buffer): void {
    if (!piece) return void found.push({ file, line, damage: 'the checksum does not match the document', bytes: Buffer.from(bytes) });
    const { key, json } = piece;
    const known = documents.get(key);
    if (known !== undefined && known !== json) {
      const earlier = Buffer.from(`${JSON.stringify(key)},${known}`);
      found.push({ file, line, damage: `document ${JSON.stringify(key)} occurs twice; the later one is used`, bytes: earlier });
    }
    documents.set(key, json);
  }
}

interface ScannedSegment {
  readonly commits: { readonly line: number; readonly commit: Commit; readonly bytes: Buffer }[];
  readonly damages: Damage[];
  torn: Damage | undefined;
}

async function scanSegment(fs: FileSystem, folder: string, file: string, isLast: boolean, syncedBytes: number): Promise<ScannedSegment> {
  const scanned: ScannedSegment = { commits: [], damages: [], torn: undefined };
  for await (const lines of readLines(fs, join(folder, file))) {
    for (const { bytes, number: line, start, ended } of lines) {
      const copy = Buffer.from(bytes);
      if (!ended && isLast && start >= syncedBytes && !decoded(copy.subarray(0, -1), decodeCommit)) {
        scanned.torn = { file, line, damage: 'this transaction is incomplete', bytes: copy };
        continue;
      }
      for (const commit of piecesOf(copy, commitsIn)) {
        if (commit) scanned.commits.push({ line, commit, bytes: copy });
        else scanned.damages.push({ file, line, damage: 'the checksum does not match the transaction', bytes: copy });
      }
      if (!ended && !isLast) scanned.damages.push({ file, line, damage: 'the file is truncated here' });
    }
  }
  const verdict = await strictly(async () => {
    for await (const _ of readSegment(fs, folder, file).commits);
  });
  if (verdict && scanned.damages.length === 0) {
    scanned.damages.push({ file, ...(verdict.line && { line: verdict.line }), damage: verdict.damage });
  }
  return scanned;
}
