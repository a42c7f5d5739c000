import { ownCommand, withOwnCommand } from '../../core/own-command.js';
import type { Command } from '../commands/command.js';
import { version } from '../version.js';
import type { Flag } from './flags.js';

/** The help is readable in a wider terminal, too. */
const MAX_WIDTH = 100;
const MIN_WIDTH = 40;
const PROSE = [
  'posthorn alone runs posthorn sandbox. For the flags of a command:',
  '  npx posthorn help COMMAND',
  'Commands talk to the sandbox of this folder. For another platform: --url URL, or POSTHORN_URL, and POSTHORN_ADMIN_KEY.',
];

/** The help of `posthorn`: a line for each command, if it fits into the terminal. `ofPlugins` are commands of plugins. */
export function overview(
  commands: Readonly<Record<string, Command>>,
  columns = Number.POSITIVE_INFINITY,
  ofPlugins: Readonly<Record<string, Command>> = {},
): string {
  return [
    `posthorn ${version}: business messaging on your machine`,
    '',
    summaries(commands, columns),
    '',
    ...(Object.keys(ofPlugins).length > 0 ? ['Of plugins:', '', summaries(ofPlugins, columns), ''] : []),
    ...PROSE.flatMap((line) => noteLines(line, (one) => wrapped(one, Math.max(MIN_WIDTH, Math.min(columns, MAX_WIDTH)), 0))),
  ].join('\n');
}

/** A line for each command, by its name. */
export function summaries(commands: Readonly<Record<string, Pick<Command, 'summary'>>>, columns = Number.POSITIVE_INFINITY): string {
  const width = Math.max(...Object.keys(commands).map(({ length }) => length));
  const indent = Math.min('  posthorn '.length + width + 2, MIN_WIDTH / 2);
  return Object.entries(commands)
    .flatMap(([name, { summary }]) => wrapped(`  posthorn ${name.padEnd(width)}  ${summary}`, Math.max(MIN_WIDTH, columns), indent))
    .join('\n');
}

/** A flag as the command line takes it: `-o, --output text|json`. */
export function shownFlag(name: string, { takes, short, isOptional }: Flag<unknown>): string {
  const value = takes === undefined ? '' : isOptional ? `[=${takes}]` : ` ${takes}`;
  return `${short ? `-${short}, ` : ''}--${name}${value}`;
}

/** The help of a command: its usage, a line for each flag, its notes and its examples. Lines wider than the terminal continue below. */
export function helpOf({ usage, summary, notes = [], examples, flags }: Command, columns = MAX_WIDTH): string {
  const columnsUsed = Math.max(MIN_WIDTH, Math.min(columns, MAX_WIDTH));
  const rows = Object.entries(flags).map(([name, flag]) => [shownFlag(name, flag), flag.help] as const);
  const width = Math.max(...rows.map(([flag]) => flag.length));
  const lines = (line: string, indent: number): string[] => wrapped(line, columnsUsed, indent);
  return [
    ...lines(`posthorn ${usage}`, 4),
    ...lines(`  ${summary}`, 2),
    '',
    'Flags:',
    ...rows.flatMap(([flag, help]) => lines(`  ${flag.padEnd(width)}  ${help}`, Math.min(width + 4, Math.floor(columnsUsed / 2)))),
    ...(notes.length > 0
      ? ['', ...paragraphs(notes).flatMap((note) => noteLines(note, (one) => lines(one, /^ */.exec(one)![0].length)))]
      : []),
    ...(examples.length > 0 ? ['', 'Examples:', ...examples.map((example) => `  ${ownCommand()} ${example}`)] : []),
  ].join('\n');
}

/** A line with a command to copy is not broken. */
const noteLines = (note: string, broken: (note: string) => string[]): string[] =>
  note.includes('npx posthorn') ? [withOwnCommand(note)] : broken(note);

/** Joins lines that were broken inside a sentence: a narrow terminal would break each of them again. */
function paragraphs(lines: readonly string[]): string[] {
  const joined: string[] = [];
  for (const line of lines) {
    const before = joined.at(-1);
    if (before !== undefined && !/^ |[.:;]$/.test(before) && /^[a-z-]/.test(line)) joined[joined.length - 1] = `${before} ${line}`;
    else joined.push(line);
  }
  return joined;
}

/** Breaks a line between words; the lines after the first are indented. */
function wrapped(line: string, width: number, indent: number): string[] {
  if (line.length <= width) return [line];
  const at = line.lastIndexOf(' ', width);
  if (at <= indent) return [line];
  return [line.slice(0, at).trimEnd(), ...wrapped(' '.repeat(indent) + line.slice(at + 1), width, indent)];
}
