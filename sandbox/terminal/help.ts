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

/** The help of a command: its usage, a line for each flag, its notes and its examples. */
export function helpOf({ usage, summary, notes = [], examples, flags }: Command): string {
  const rows = Object.entries(flags).map(([name, flag]) => [shownFlag(name, flag), flag.help] as const);
  const width = Math.max(...rows.map(([flag]) => flag.length));
  return [
    `posthorn ${usage}`,
    `  ${summary}`,
    '',
    'Flags:',
    ...rows.map(([flag, help]) => `  ${flag.padEnd(width)}  ${help}`),
    ...(notes.length > 0 ? ['', ...notes] : []),
    '',
    'Examples:',
    ...examples.map((example) => `  posthorn ${example}`),
  ].join('\n');
}
