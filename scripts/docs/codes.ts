import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultErrors } from '../../core/contract/default-errors.js';
import { PlatformError } from '../../core/errors.js';
import { codes } from '../../plugins/journeys/engine/lint/codes.js';
import { byReason, byStatus, missingParameter } from '../../plugins/messages/errors.js';
import { code, table } from './table.js';

const patterns: readonly [RegExp, (match: RegExpExecArray) => readonly [status: number, code: string]][] = [
  [/\b(?:super|new PlatformError)\(\s*(\d{3}),\s*'([a-z_]+)'/g, ([, status, name]) => [Number(status), name!]],
  [/\b(?:new Conflict|super)\(\s*'([a-z_]+)'/g, ([, name]) => [409, name!]],
];

/** The table of the default error shape: per status its code and title, and the reasons with the folders that throw them. */
export function errorTable(): string {
  const rows = [...thrown().entries()].sort(([a], [b]) => a - b);
  return table(
    ['Status', '`code`', '`title`', 'Reasons (`code` of the error class) and where they are thrown'],
    rows.map(([status, reasons]) => {
      const sorted = [...reasons.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
      const places = sorted.map(([name, where]) => `${code(name)} (${[...where].sort().join(', ')})`);
      return [String(status), ...sentFor(status, sorted[0]![0]), places.join(', ')];
    }),
  );
}

/** The table of the messages area's errors: by reason if the network has a code for it, otherwise by status. */
export function messageErrorTable(): string {
  const statuses = new Map([...thrown()].flatMap(([status, reasons]) => [...reasons.keys()].map((name) => [name, status] as const)));
  const rows: [status: number, code: number, title: string, when: string][] = [
    [400, ...missingParameter, 'a required field is missing or empty'],
    ...Object.entries(byReason).map(([name, of]) => [statuses.get(name) ?? ofNoun(name), ...of, code(name)] as (typeof rows)[number]),
    ...Object.entries(byStatus).map(([status, of]) => [Number(status), ...of, 'otherwise'] as (typeof rows)[number]),
  ];
  // "otherwise" is the last row of each status.
  const sorted = rows.sort((a, b) => a[0] - b[0] || Number(a[3] === 'otherwise') - Number(b[3] === 'otherwise'));
  return table(
    ['Status', '`code`', '`title`', 'When (reason)'],
    sorted.map((row) => row.map(String)),
  );
}

/** The status of a reason that no pattern finds: `NotFound` builds its reasons as `<noun>_not_found`. */
function ofNoun(name: string): number {
  if (name.endsWith('_not_found')) return 404;
  throw new Error(`no code throws '${name}'`);
}

/** Every reason by status, with the folders that throw it. */
function thrown(): Map<number, Map<string, Set<string>>> {
  const found = new Map<number, Map<string, Set<string>>>();
  for (const file of sources(['core', 'plugins', 'sandbox'])) {
    const text = readFileSync(file, 'utf8');
    for (const [pattern, read] of patterns) {
      for (const match of text.matchAll(pattern)) {
        const [status, name] = read(match);
        const reasons = found.get(status) ?? new Map<string, Set<string>>();
        const places = reasons.get(name) ?? new Set<string>();
        found.set(status, reasons.set(name, places.add(file.split('/').slice(0, 2).join('/').replace(/\.ts$/, ''))));
      }
    }
  }
  return found;
}

/** The code and title in the response. A status that only areas with their own error shape use has none. */
function sentFor(status: number, reason: string): [code: string, title: string] {
  if (!(status in defaultErrors.schemas)) return ['', 'depends on the area'];
  const { body } = defaultErrors.render(new PlatformError(status, reason, 'Details'))!;
  const [first] = (body as { readonly errors: readonly { readonly code: number; readonly title: string }[] }).errors;
  return [String(first!.code), first!.title];
}

export const lintTable = (): string =>
  table(
    ['Code', 'Severity', 'What to do'],
    Object.entries(codes).map(([name, { severity, fix, ...more }]) => [
      code(name),
      'warns' in more ? `${severity}; warning ${more.warns}` : severity,
      fix,
    ]),
  );

function sources(folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(folder, name)),
    )
    .filter((file) => !file.startsWith('sandbox/recipes/'))
    .sort();
}
