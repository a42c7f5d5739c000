import { join } from 'node:path';
import { type FileSystem, hasCode, readFully } from '../../file-system.js';
import type { Commit } from '../commit.js';
import { CONTENTS_FILE, type Contents, decodeContents, noContents, syncedBytesOf } from '../files/contents-file.js';
import { DataDamaged } from '../files/data-damaged.js';
import { cutSegment, FORMAT_FILE, listData, missingFiles, readFormat } from '../files/data-folder.js';
import { decodeCommit, readSegment } from '../files/journal-file.js';
import { readLines } from '../files/read-lines.js';
import { unseal } from '../files/sealed.js';
import { decodeDocument, isFrame, openSnapshot, type StoredDocument, snapshotName, throughIn } from '../files/snapshot-file.js';

/** A part of a data folder that differs from what the store wrote. */
export interface Damage {
  readonly file: string;
  readonly line?: number;
  readonly damage: string;
  /** Bytes that cannot be used; undefined if there are none. */
  readonly bytes?: Buffer;
}

export interface ScannedSnapshot {
  readonly documents: Map<string, string>;
  /** The last transaction that the file reliably contains. */
  readonly through: number;
  readonly isComplete: boolean;
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
    snapshots.set(collection, await scanSnapshot(fs, folder, collection, contents.snapshots[collection] ?? 0, damages));
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
const hasContent = ({ documents }: ScannedSnapshot): boolean => documents.size > 0;

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
  atLeast: number,
  damages: Damage[],
): Promise<ScannedSnapshot> {
  const file = snapshotName(collection);
  const found: Damage[] = [];
  const documents = new Map<string, string>();
  let stated: number | undefined;
  for await (const lines of readLines(fs, join(folder, file))) {
    for (const { bytes, number: line } of lines) {
      const text = bytes.length < 200 ? bytes.toString() : '';
      if (isFrame(text)) stated ??= throughIn(text);
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
  damages.push(...found);
  return { documents, through, isComplete: found.length === 0 };

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

/** The damage that the store would report, if any. */
async function strictly(read: () => Promise<void>): Promise<DataDamaged | undefined> {
  try {
    await read();
    return undefined;
  } catch (error) {
    if (error instanceof DataDamaged) return error;
    throw error;
  }
}

const decoded = <T>(record: Buffer, decode: (content: Buffer) => T): T | undefined => {
  const content = unseal(record);
  try {
    return content && decode(content);
  } catch {
    return undefined;
  }
};

const commitsIn = (record: Buffer): Commit | undefined =>
  // Tries the line without its last byte too, because a damaged line end would be there.
  decoded(record, decodeCommit) ?? decoded(record.subarray(0, -1), decodeCommit);

/** Positions of a row in its line: with the surrounding text, or joined with the line before or after the documents. */
const ROW_PLACES: readonly (readonly [start: number, before: number])[] = [
  [4, 0],
  [4, 1],
  [4, 2],
  [4, 5],
  [21, 0],
  [21, 1],
];

function rowsIn(row: Buffer): StoredDocument | undefined {
  for (const [start, before] of ROW_PLACES) {
    const document = decoded(row.subarray(start, row.length - before), decodeDocument);
    if (document) return document;
  }
  return undefined;
}

const RECORD_START = /\["[0-9a-f]{8}",/g;
/** A line with more matches is not a damaged record: stop searching it. */
const MAX_STARTS = 1_000;

/**
 * Splits a line into one record, or into two joined by a damaged line end. Accepts two records only if both are valid,
 * because part of a document can look like a record. @returns `[undefined]` if nothing is readable
 */
function piecesOf<T>(line: Buffer, read: (record: Buffer) => T | undefined): (T | undefined)[] {
  const one = read(line);
  if (one) return [one];
  let candidates = 0;
  for (const { index } of line.toString('latin1').matchAll(RECORD_START)) {
    if (++candidates > MAX_STARTS) break;
    // A row of a snapshot is indented.
    for (const start of [index, index - 4]) {
      const first = start > 4 ? read(line.subarray(0, start)) : undefined;
      const second = first && read(line.subarray(start));
      if (first && second) return [first, second];
    }
  }
  return [undefined];
}
