import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixes } from '../../core/journey/lint/codes.js';
import { code, table } from './table.js';

const patterns: readonly [RegExp, (match: RegExpExecArray) => readonly [status: number, code: string]][] = [
  [/\b(?:super|new PlatformError)\(\s*(\d{3}),\s*'([a-z_]+)'/g, ([, status, name]) => [Number(status), name!]],
  [/\b(?:new Conflict|super)\(\s*'([a-z_]+)'/g, ([, name]) => [409, name!]],
];

/** Every code with which a request can be refused, found where it is thrown. */
export function errorTable(): string {
  const found = new Map<string, { status: number; name: string; places: Set<string> }>();
  for (const file of sources(['core', 'plugins', 'sandbox'])) {
    const text = readFileSync(file, 'utf8');
    for (const [pattern, read] of patterns) {
      for (const match of text.matchAll(pattern)) {
        const [status, name] = read(match);
        const entry = found.get(`${status} ${name}`) ?? { status, name, places: new Set<string>() };
        entry.places.add(file.split('/').slice(0, 2).join('/').replace(/\.ts$/, ''));
        found.set(`${status} ${name}`, entry);
      }
    }
  }
  const sorted = [...found.values()].sort((a, b) => a.status - b.status || (a.name < b.name ? -1 : 1));
  return table(
    ['Status', 'Code', 'Thrown in'],
    sorted.map(({ status, name, places }) => [String(status), code(name), [...places].sort().map(code).join(', ')]),
  );
}

export const lintTable = (): string =>
  table(
    ['Code', 'What to do'],
    Object.entries(fixes).map(([name, fix]) => [code(name), fix]),
  );

function sources(folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(folder, name)),
    )
    .sort();
}
