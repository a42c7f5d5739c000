import { readFileSync } from 'node:fs';
import { dirname } from 'node:path/posix';
import type { Stage, WalkedFile } from '../walk/recorder.js';
import { stages as known, type WalkName } from '../walk/walked-platform.js';
import { filesOf, walks } from '../walk/walks.js';
import { code, table } from './table.js';

/** Functions shown for each file. */
const SHOWN = 3;

/** The files of a walk, by stage and folder, with some of the functions that ran in them. */
export function walkTable(name: WalkName): string {
  const walk = walks()[name];
  const files = filesOf(walk).length;
  const rooms = Object.entries(walk.rooms).map(([room, count]) => `${code(room)} ${count}`);
  const rows = walk.stages.flatMap((stage) =>
    foldersOf(stage).map(([folder, cell], i) => [i === 0 ? stage.title : '', code(folder), cell]),
  );
  return `${files} files: ${rooms.join(', ')}.\n\n${table(['Stage', 'Folder', 'Files, with functions that run'], rows)}`;
}

/** The stages of a walk, each with the files to read first and the number of files that no earlier stage uses. */
export function stageTable(name: WalkName): string {
  const { stages } = walks()[name];
  const ran = filesOf({ stages });
  const rows = stages.map(({ title, files }) => {
    const [, ...first] = Object.values(known).find(([known]) => known === title)!;
    for (const file of first) if (!ran.includes(file)) throw new Error(`the walk '${name}' does not run ${file}, which '${title}' names`);
    return [title, first.map(code).join(', '), String(files.length)];
  });
  return table(['Stage', 'Read first', 'Files'], rows);
}

function foldersOf({ files }: Stage): [folder: string, files: string][] {
  const folders = [...new Set(files.map(({ file }) => dirname(file)))];
  return folders.map((folder) => [
    folder,
    files
      .filter(({ file }) => dirname(file) === folder)
      .map((walked) => {
        const shown = shownOf(walked);
        return `${code(walked.file.slice(folder.length + 1))}${shown.length > 0 ? ` ${shown.join(', ')}` : ''}`;
      })
      .join('; '),
  ]);
}

/** Exported functions and classes before those inside of the file. */
function shownOf({ file, functions }: WalkedFile): string[] {
  const text = readFileSync(file, 'utf8');
  const isExported = (name: string): boolean => new RegExp(`^export (default )?(async )?(function|const|class) ${name}\\b`, 'm').test(text);
  const open = functions.filter((name) => !name.startsWith('#'));
  return [...open.filter(isExported), ...open.filter((name) => !isExported(name))].slice(0, SHOWN);
}
