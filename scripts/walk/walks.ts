import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { importsIn, type Source, sourcesIn } from '../check-imports.js';
import type { Stage } from './recorder.js';
import type { WalkName } from './walked-platform.js';

/** A walk through the files, summed up. */
export interface Walk {
  readonly stages: readonly Stage[];
  /** The number of files by room. */
  readonly rooms: Readonly<Record<string, number>>;
  /** By pair of rooms, the number of imports, of types too, from a file of the walk to another one or to an entry point (`#core`). */
  readonly crossings: Readonly<Record<string, number>>;
}

export type Walks = Readonly<Record<WalkName, Walk>>;

let recorded: Walks | undefined;

/** Records the walks in a process of their own: coverage slows a process down, and other work would be recorded too. */
export function walks(): Walks {
  recorded ??= JSON.parse(
    execFileSync(process.execPath, [fileURLToPath(new URL('../walk.js', import.meta.url)), '--json'], { encoding: 'utf8' }),
  );
  return recorded!;
}

export const filesOf = ({ stages }: Pick<Walk, 'stages'>): string[] => stages.flatMap(({ files }) => files.map(({ file }) => file));

/** `core` and `plugins` have a room in each of their folders. */
export const roomOf = (file: string): string => {
  const [root = '', folder = ''] = file.split('/');
  return folder.endsWith('.ts') ? root : `${root}/${folder}`;
};

/** Counts the files and crossings of recorded stages. */
export function summedUp(stages: readonly Stage[], sources: readonly Source[] = sourcesIn(process.cwd())): Walk {
  const files = new Set(filesOf({ stages }));
  const rooms = counts([...files].map(roomOf));
  const arrows = sources.flatMap((source) =>
    files.has(source.path)
      ? importsIn(source)
          .filter((target) => target.startsWith('#') || (files.has(target) && roomOf(target) !== roomOf(source.path)))
          .map((target) => `${roomOf(source.path)} -> ${target.startsWith('#') ? target : roomOf(target)}`)
      : [],
  );
  return { stages, rooms, crossings: counts(arrows) };
}

function counts(names: readonly string[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const name of [...names].sort()) found[name] = (found[name] ?? 0) + 1;
  return found;
}
