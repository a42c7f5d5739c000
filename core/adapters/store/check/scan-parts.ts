import { join } from 'node:path';
import { type FileSystem, hasCode } from '../../file-system.js';
import { isPartFrame, LOOKUPS_BEGIN, lineOfRow, partNumberOf, readPart, type SnapshotPart } from '../files/part-file.js';
import type { PartIndex } from '../files/part-index.js';
import { readLines } from '../files/read-lines.js';
import { INDENT } from '../files/row-lines.js';
import { unseal } from '../files/sealed.js';
import { snapshotName } from '../files/snapshot-file.js';
import type { StoredDocument } from '../files/stored-row.js';
import { type Damage, decoded, piecesOf, rowsIn, strictly } from './pieces.js';

/** A part to scan; without its entry in the snapshot if that is not readable. */
export interface ListedPart {
  readonly name: string;
  readonly part: SnapshotPart | undefined;
}

/**
 * Adds the readable documents of the parts of a collection, newest part first: a document that is already known is newer.
 * @returns the damages
 */
export async function scanParts(
  fs: FileSystem,
  folder: string,
  collection: string,
  parts: readonly ListedPart[],
  documents: Map<string, string>,
): Promise<Damage[]> {
  const damages: Damage[] = [];
  for (const listed of parts.toSorted((a, b) => partNumberOf(b.name) - partNumberOf(a.name))) {
    const { found, rows } = await scanPart(fs, folder, collection, listed);
    damages.push(...found);
    for (const { key, json } of rows) if (!documents.has(key)) documents.set(key, json);
  }
  return damages;
}

async function scanPart(
  fs: FileSystem,
  folder: string,
  collection: string,
  { name: file, part }: ListedPart,
): Promise<{ found: Damage[]; rows: StoredDocument[] }> {
  const found: Damage[] = [];
  const rows: (StoredDocument & { readonly line: number })[] = [];
  let index: PartIndex | undefined;
  let isInLookups = false;
  try {
    for await (const lines of readLines(fs, join(folder, file))) {
      for (const { bytes, number: line } of lines) {
        const frame = bytes.length < 200 ? bytes.toString() : '';
        if (isPartFrame(frame)) {
          isInLookups = frame === LOOKUPS_BEGIN;
          continue;
        }
        if (isInLookups) {
          // They are made of the documents, so nothing of them is set aside.
          if (!isSealed(bytes)) found.push({ file, line, damage: 'the checksum does not match the look-ups' });
          continue;
        }
        const pieces = piecesOf(bytes, rowsIn);
        const indexHere = pieces[0] ? undefined : indexIn(bytes);
        index ??= indexHere;
        if (indexHere) continue;
        for (const piece of pieces) {
          if (piece) rows.push({ ...piece, line });
          else found.push({ file, line, damage: 'the checksum does not match the document', bytes: Buffer.from(bytes) });
        }
      }
    }
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    const documents = part ? ` with ${part.documents} documents` : '';
    return { found: [{ file, damage: `the file is missing, but ${snapshotName(collection)} lists it${documents}` }], rows };
  }
  if (!part) return { found, rows };
  const verdict = await strictly(async () => void (await readPart(fs, folder, collection, part)));
  if (verdict && found.length === 0) found.push({ file, ...(verdict.line && { line: verdict.line }), damage: verdict.damage });
  const { superseded } = part;
  const supersededKeys = index && new Set(index.keys.filter((_, i) => superseded[i] === 1));
  const isSuperseded = ({ key, line }: (typeof rows)[number]): boolean =>
    supersededKeys ? supersededKeys.has(key) : superseded[line - lineOfRow(0)] === 1;
  return { found, rows: rows.filter((row) => !isSuperseded(row)) };
}

const isSealed = (line: Buffer): boolean => [line.length, -1].some((end) => unseal(line.subarray(INDENT.length, end)) !== undefined);

const indexIn = (line: Buffer): PartIndex | undefined =>
  decoded(line.subarray(4), (content) => JSON.parse(content.toString()) as PartIndex);
