import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { ownFolder } from '../../client/run-file.js';
import { readLine } from './recording.js';

/** The names of this many requests of a cassette are listed. */
const MAX_TITLES = 20;
const MAX_TITLE = 300;
const MAX_CASSETTES = 1_000;
const SUFFIX = '.jsonl';

export interface ListedCassette {
  readonly file: string;
  readonly name: string;
  readonly bytes: number;
  readonly changed_at: string;
  readonly requests: number;
  readonly recorded: { kind: 'http' | 'model'; title: string }[];
  readonly problem: string | null;
}

/** The cassettes below `.posthorn/cassettes` of a folder, sorted. Files that cannot be read are listed with the reason. */
export function listCassettes(folder: string): ListedCassette[] {
  const place = join(ownFolder(folder), 'cassettes');
  if (!existsSync(place)) return [];
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(SUFFIX))
    .slice(0, MAX_CASSETTES)
    .map((entry) => listed(place, join(entry.parentPath, entry.name)))
    .sort((a, b) => a.name.localeCompare(b.name));
}

function listed(place: string, file: string): ListedCassette {
  const name = relative(place, file).slice(0, -SUFFIX.length).split(sep).join('/');
  const { size: bytes, mtime } = statSync(file);
  const about = { file, name, bytes, changed_at: mtime.toISOString() };
  const recorded: ListedCassette['recorded'] = [];
  let requests = 0;
  let at = 0;
  try {
    for (const line of readFileSync(file, 'utf8').split(/\r?\n/)) {
      at++;
      if (line.trim() === '') continue;
      const { request, reply } = readLine(line);
      requests++;
      if (recorded.length < MAX_TITLES)
        recorded.push({ kind: reply ? 'model' : 'http', title: request.split('\n', 1)[0]!.slice(0, MAX_TITLE) });
    }
  } catch (error) {
    return { ...about, requests, recorded, problem: `line ${at} is not a recording: ${(error as Error).message}` };
  }
  return { ...about, requests, recorded, problem: null };
}
