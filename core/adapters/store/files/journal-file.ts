import { join } from 'node:path';
import { quoted } from '../../../json.js';
import type { FileSystem } from '../../file-system.js';
import type { Commit, StoredChange, StoredCommit } from '../commit.js';
import { flat } from '../tables/plain-json.js';
import { cutCommit } from './cut-commit.js';
import { DataDamaged } from './data-damaged.js';
import { readLines } from './read-lines.js';
import { SealedLines, unseal } from './sealed.js';

// The journal is a sequence of segment files, each named after its first transaction. One line is one transaction:
// `["<checksum>",{"tx":12,"changes":[["<collection>","<key>",<document>],...]}]`. A change without a document deletes it;
// `["<collection>","<key>",null,<patch>]` is a JSON merge patch of the document (RFC 7396).

const SEGMENT = /^journal-(\d{12})\.jsonl$/;

export const segmentName = (firstTx: number): string => `journal-${String(firstTx).padStart(12, '0')}.jsonl`;

/** The first transaction of a segment; undefined if the file is not a segment. */
export const firstTxOf = (name: string): number | undefined => (SEGMENT.test(name) ? Number(SEGMENT.exec(name)![1]) : undefined);

/**
 * Appends a commit to the lines: documents as they are, and the text between two documents in one piece. If that throws, for
 * example because memory is short, the lines stay unchanged.
 */
export function addCommit(lines: SealedLines, commit: Commit): void {
  const { size } = lines;
  try {
    encode(lines, commit);
  } catch (error) {
    lines.cut(size);
    throw error;
  }
}

function encode(lines: SealedLines, { tx, changes }: Commit): void {
  let between = `{"tx":${tx},"changes":[`;
  let separator = '';
  lines.begin();
  for (const { collection, key, json, patch } of changes) {
    between += `${separator}["${collection}",${quoted(key)}`;
    const written = json ?? patch;
    if (written !== undefined) {
      lines.add(json === undefined ? `${between},null,` : `${between},`);
      lines.add(written);
      between = '';
    }
    between += ']';
    separator = ',';
  }
  lines.add(`${between}]}`);
  lines.end();
}

/** The commits of a segment, in batches, and where its last complete line ends. */
export interface SegmentReading {
  readonly commits: AsyncIterable<readonly StoredCommit[]>;
  /** Bytes of complete lines, bytes of an incomplete line after them, and the last transaction. Final once the commits have been read. */
  readonly end: { whole: number; torn: number; lastTx: number };
}

/**
 * Reads a segment.
 * @param syncedBytes bytes known to be synced: a crash leaves an incomplete line only after them
 * @throws DataDamaged while the commits are read
 */
export function readSegment(fs: FileSystem, folder: string, name: string, syncedBytes = 0): SegmentReading {
  const path = join(folder, name);
  const end = { whole: 0, torn: 0, lastTx: firstTxOf(name)! - 1 };
  return { end, commits: read() };

  async function* read(): AsyncGenerator<StoredCommit[], void> {
    for await (const lines of readLines(fs, path)) {
      const commits: StoredCommit[] = [];
      for (const { bytes, number, start, ended } of lines) {
        if (!ended) {
          if (unseal(bytes.subarray(0, -1))) throw damaged(path, number, 'the line end is damaged');
          if (start < syncedBytes) throw damaged(path, number, 'the transaction was synced, but its end is damaged');
          end.torn = bytes.length;
          break;
        }
        const content = unseal(bytes);
        if (!content) throw damaged(path, number, 'the checksum does not match the transaction');
        const commit = storedCommit(content);
        if (commit.tx !== end.lastTx + 1) throw damaged(path, number, `expected transaction ${end.lastTx + 1}, found ${commit.tx}`);
        end.lastTx = commit.tx;
        commits.push(commit);
        end.whole = start + bytes.length + 1;
      }
      yield commits;
    }
  }
}

/** The commits in the lines of a log. @throws Error when a line is damaged */
export function* commitsIn(lines: Buffer): Generator<StoredCommit, void> {
  for (let from = 0; from < lines.length; ) {
    const end = lines.indexOf(LINE_END, from);
    const content = end < 0 ? undefined : unseal(lines.subarray(from, end));
    if (!content) throw new Error('the checksum does not match the transaction');
    yield storedCommit(content);
    from = end + 1;
  }
}

const LINE_END = 0x0a;

/** Parses the content of an unsealed line. */
export function decodeCommit(content: Buffer): Commit {
  const { tx, changes } = JSON.parse(content.toString()) as { tx: number; changes: [string, string, (object | null)?, object?][] };
  return {
    tx,
    changes: changes.map(([collection, key, document, patch]) => ({
      collection,
      key,
      json: document ? flat(JSON.stringify(document)) : undefined,
      ...(patch && { patch: flat(JSON.stringify(patch)) }),
    })),
  };
}

/**
 * Like `decodeCommit`, without a string or object per document. Falls back to parsing JSON when the line was not written by
 * `addCommit`.
 */
function storedCommit(content: Buffer): StoredCommit {
  const cut = cutCommit(content);
  if (cut) return cut;
  const { tx, changes } = decodeCommit(content);
  return {
    tx,
    changes: changes.map(({ collection, key, json, patch }): StoredChange => {
      const bytes = Buffer.from(json ?? patch ?? '');
      const kind = json !== undefined ? 'document' : patch !== undefined ? 'patch' : 'deletion';
      return { collection, key, kind, bytes, start: 0, end: bytes.length };
    }),
  };
}

const damaged = (path: string, line: number, damage: string): DataDamaged => new DataDamaged(path, line, damage);

/** A transaction without changes: with it, a new owner takes the place at which the previous one would append. */
export function emptyCommit(tx: number): Uint8Array {
  const lines = new SealedLines();
  addCommit(lines, { tx, changes: [] });
  return lines.bytes;
}
