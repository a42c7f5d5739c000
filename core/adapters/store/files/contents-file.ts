import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type FileSystem, readFully, replaceFile } from '../../file-system.js';
import { DataDamaged } from './data-damaged.js';
import { hex } from './sealed.js';

// contents.json lists the files that a data folder must have and how far its journal was synced, so that missing and truncated
// files are detected:
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
// A snapshot reaches at least the transaction listed here, and the synced segment has at least `bytes` bytes. More files may
// exist: obsolete ones that a crash left behind, which are harmless.

export const CONTENTS_FILE = 'contents.json';

export interface Contents {
  /** Transaction by collection. */
  readonly snapshots: Readonly<Record<string, number>>;
  /** Names, in order. */
  readonly segments: readonly string[];
  /** Missing in format 2, and after a repair until the first start. */
  readonly synced?: Synced | undefined;
}

/** How far the journal was synced when this was recorded. Everything before may have been acknowledged. */
export interface Synced {
  readonly segment: string;
  readonly bytes: number;
  /** The last transaction within these bytes. */
  readonly through: number;
}

/** The bytes of a segment that are known to be synced. */
export const syncedBytesOf = ({ synced }: Contents, segment: string): number => (synced?.segment === segment ? synced.bytes : 0);

export const noContents: Contents = { snapshots: {}, segments: [] };

function encodeContents({ snapshots, segments, synced }: Contents): string {
  const sorted = Object.fromEntries(Object.entries(snapshots).sort(([a], [b]) => (a < b ? -1 : 1)));
  const known = synced && { segment: synced.segment, bytes: synced.bytes, through: synced.through };
  const checksum = hex(crc32(JSON.stringify([sorted, segments, ...(known ? [known] : [])])));
  return `${JSON.stringify({ snapshots: sorted, segments, ...(known && { synced: known }), checksum }, null, 2)}\n`;
}

/** @returns undefined if any byte differs from what the store wrote */
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
  if (!contents) throw new DataDamaged(path, undefined, 'the checksum does not match the contents');
  return contents;
}

export const writeContents = (fs: FileSystem, folder: string, contents: Contents): Promise<void> =>
  replaceFile(fs, folder, CONTENTS_FILE, [Buffer.from(encodeContents(contents))]);

/** Updates the contents of an open folder: changes run one after the other and take effect when durable. */
export class ContentsFile {
  readonly #fs: FileSystem;
  readonly #folder: string;
  #contents: Contents = noContents;
  #last: Promise<unknown> = Promise.resolve();

  constructor(fs: FileSystem, folder: string) {
    this.#fs = fs;
    this.#folder = folder;
  }

  /** Sets the current contents without writing them. */
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
