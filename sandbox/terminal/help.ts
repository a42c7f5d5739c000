import type { Command } from '../commands/command.js';
import { version } from '../version.js';
import type { Flag } from './flags.js';

/** The help of `posthorn`: a line for each command. */
export function overview(commands: Readonly<Record<string, Command>>): string {
  const width = Math.max(...Object.keys(commands).map(({ length }) => length));
  return [
    `posthorn ${version}: business messaging on your machine`,
    '',
    ...Object.entries(commands).map(([name, { summary }]) => `  posthorn ${name.padEnd(width)}  ${summary}`),
    '',
    'posthorn alone runs posthorn sandbox. For the flags of a command: posthorn help COMMAND',
    'Commands talk to the sandbox of this folder. For another platform: --url URL, or POSTHORN_URL, and',
    'POSTHORN_ADMIN_KEY.',
  ].join('\n');
}

/** A flag as the command line takes it: `-o, --output text|json`. */
export function shownFlag(name: string, { takes, short, isOptional }: Flag<unknown>): string {
  const value = takes === undefined ? '' : isOptional ? `[=${takes}]` : ` ${takes}`;
  return `${short ? `-${short}, ` : ''}--${name}${value}`;
}

/** The help is readable in a wider terminal, too. */
const MAX_WIDTH = 100;
const MIN_WIDTH = 40;

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
    ...(notes.length > 0 ? ['', ...notes.flatMap((note) => lines(note, /^ */.exec(note)![0].length))] : []),
    '',
    'Examples:',
    ...examples.map((example) => `  posthorn ${example}`),
  ].join('\n');
}

/** Breaks a line between words; the lines after the first are indented. */
function wrapped(line: string, width: number, indent: number): string[] {
  if (line.length <= width) return [line];
  const at = line.lastIndexOf(' ', width);
  if (at <= indent) return [line];
  return [line.slice(0, at).trimEnd(), ...wrapped(' '.repeat(indent) + line.slice(at + 1), width, indent)];
}
