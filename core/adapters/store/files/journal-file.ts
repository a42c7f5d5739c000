import { join } from 'node:path';
import type { FileSystem } from '../../file-system.js';
import type { Commit, StoredCommit } from '../commit.js';
import { flat } from '../tables/plain-json.js';
import { cutCommit } from './cut-commit.js';
import { DataDamaged } from './data-damaged.js';
import { readLines } from './read-lines.js';
import { type SealedLines, unseal } from './sealed.js';

// The journal is a row of files, segments, each named after its first transaction. A line is one transaction:
// `["<checksum>",{"tx":12,"changes":[["<collection>","<key>",<document>],...]}]`; a change without document takes it away.

const SEGMENT = /^journal-(\d{12})\.jsonl$/;

export const segmentName = (firstTx: number): string => `journal-${String(firstTx).padStart(12, '0')}.jsonl`;

/** The number of a segment's first transaction; undefined when a file is no segment. */
export const firstTxOf = (name: string): number | undefined => (SEGMENT.test(name) ? Number(SEGMENT.exec(name)![1]) : undefined);

/**
 * Puts a commit behind the lines that are there: the documents as they are, and in one piece what is between two of them.
 * When that throws, for example because memory is short, the lines are as before.
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
  for (const { collection, key, json } of changes) {
    between += `${separator}["${collection}",${JSON.stringify(key)}`;
    if (json !== undefined) {
      lines.add(`${between},`);
      lines.add(json);
      between = '';
    }
    between += ']';
    separator = ',';
  }
  lines.add(`${between}]}`);
  lines.end();
}

/** What a segment holds, in batches; and where its last whole line ends. */
export interface SegmentReading {
  readonly commits: AsyncIterable<readonly StoredCommit[]>;
  /** Bytes of whole lines, bytes of an incomplete line behind them, and the last transaction. Known when the commits have been read. */
  readonly end: { whole: number; torn: number; lastTx: number };
}

/**
 * @param syncedBytes how many bytes of it are known to have been synced: a crash leaves an incomplete line behind them only
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
          if (unseal(bytes.subarray(0, -1))) throw damaged(path, number, 'the line end has become something else');
          if (start < syncedBytes) throw damaged(path, number, 'the transaction was synced, and its end has become something else');
          end.torn = bytes.length;
          break;
        }
        const content = unseal(bytes);
        if (!content) throw damaged(path, number, 'the checksum does not fit the transaction');
        const commit = storedCommit(content);
        if (commit.tx !== end.lastTx + 1)
          throw damaged(path, number, `transaction ${end.lastTx + 1} should be here, but it is ${commit.tx}`);
        end.lastTx = commit.tx;
        commits.push(commit);
        end.whole = start + bytes.length + 1;
      }
      yield commits;
    }
  }
}

/** What unsealing a line has given. */
export function decodeCommit(content: Buffer): Commit {
  const { tx, changes } = JSON.parse(content.toString()) as { tx: number; changes: [string, string, object?][] };
  return {
    tx,
    changes: changes.map(([collection, key, document]) => ({ collection, key, json: document && flat(JSON.stringify(document)) })),
  };
}

/** The same without a text or an object for every document; what is written in another way than ours is read as any JSON. */
function storedCommit(content: Buffer): StoredCommit {
  const cut = cutCommit(content);
  if (cut) return cut;
  const { tx, changes } = decodeCommit(content);
  return {
    tx,
    changes: changes.map(({ collection, key, json }) => ({ collection, key, json: json === undefined ? json : Buffer.from(json) })),
  };
}

const damaged = (path: string, line: number, damage: string): DataDamaged => new DataDamaged(path, line, damage);
