import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type FileSystem, readFully, replaceFile } from '../../file-system.js';
import { DataDamaged } from './data-damaged.js';
import { hex } from './sealed.js';

// Which files a data folder has to have, and how far its journal was synced, so that a file that is gone or cut off is missed:
// {
//   "snapshots": {
//     "core.contacts": 812
//   },
//   "segments": [
//     "journal-000000000813.jsonl"
//   ],
//   "synced": {
//     "segment": "journal-000000000813.jsonl",
//     "bytes": 4711,
//     "through": 829
//   },
//   "checksum": "<of all above>"
// }
// A snapshot goes up to at least the transaction that is written here, and a segment has at least so many bytes. There may be
// more files: those whose number was up when a crash came, which do no harm.

export const CONTENTS_FILE = 'contents.json';

export interface Contents {
  /** Collection to transaction. */
  readonly snapshots: Readonly<Record<string, number>>;
  /** Names, in their order. */
  readonly segments: readonly string[];
  /** Missing in format 2, and until the first start after a repair. */
  readonly synced?: Synced | undefined;
}

/** How far the journal was synced at some moment. What lies before that was, or could have been, acknowledged. */
export interface Synced {
  readonly segment: string;
  readonly bytes: number;
  /** The last transaction within these bytes. */
  readonly through: number;
}

/** The bytes of a segment that are known to have been synced. */
export const syncedBytesOf = ({ synced }: Contents, segment: string): number => (synced?.segment === segment ? synced.bytes : 0);

export const noContents: Contents = { snapshots: {}, segments: [] };

function encodeContents({ snapshots, segments, synced }: Contents): string {
  const sorted = Object.fromEntries(Object.entries(snapshots).sort(([a], [b]) => (a < b ? -1 : 1)));
  const known = synced && { segment: synced.segment, bytes: synced.bytes, through: synced.through };
  const checksum = hex(crc32(JSON.stringify([sorted, segments, ...(known ? [known] : [])])));
  return `${JSON.stringify({ snapshots: sorted, segments, ...(known && { synced: known }), checksum }, null, 2)}\n`;
}

/** Undefined when not every byte is as it was written. */
export function decodeContents(text: string): Contents | undefined {
  try {
    const { snapshots, segments, synced } = JSON.parse(text) as Contents;
    const contents = { snapshots, segments, ...(synced && { synced }) };
    return encodeContents(contents) === text ? contents : undefined;
  } catch {
    return undefined;
  }
}

/** @throws DataDamaged */
export async function readContents(fs: FileSystem, folder: string): Promise<Contents> {
  const path = join(folder, CONTENTS_FILE);
  const bytes = await readFully(fs, path);
  if (!bytes) throw new DataDamaged(path, undefined, 'the file is missing');
  const contents = decodeContents(bytes.toString());
  if (!contents) throw new DataDamaged(path, undefined, 'the checksum does not fit the contents');
  return contents;
}

export const writeContents = (fs: FileSystem, folder: string, contents: Contents): Promise<void> =>
  replaceFile(fs, folder, CONTENTS_FILE, [Buffer.from(encodeContents(contents))]);

/** The contents of a folder somebody works in: changes follow each other, and count when they are durable. */
export class ContentsFile {
  readonly #fs: FileSystem;
  readonly #folder: string;
  #contents: Contents = noContents;
  #last: Promise<unknown> = Promise.resolve();

  constructor(fs: FileSystem, folder: string) {
    this.#fs = fs;
    this.#folder = folder;
  }

  /** Takes these for what there is, without writing them. */
  begin(contents: Contents): void {
    this.#contents = contents;
  }

  update(change: (contents: Contents) => Contents): Promise<void> {
    const done = this.#last.then(async () => {
      const next = change(this.#contents);
      await writeContents(this.#fs, this.#folder, next);
      this.#contents = next;
    });
    this.#last = done.catch(() => undefined);
    return done;
  }
}
