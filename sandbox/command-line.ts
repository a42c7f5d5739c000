import { withOwnCommand } from '../core/own-command.js';
import type { Command } from './commands/command.js';
import { type Failure, failureOf, unknownCommand } from './terminal/failure.js';
import { UsageError } from './terminal/flags.js';
import { helpOf, overview } from './terminal/help.js';
import { exit, type Terminal } from './terminal/terminal.js';
import { version } from './version.js';

type Commands = Readonly<Record<string, Command>>;

/** The command that the arguments of `posthorn` name. `posthorn` alone, or with flags only, is `posthorn sandbox`. */
export const commandName = ([first]: readonly string[]): string => (first !== undefined && !first.startsWith('-') ? first : 'sandbox');

/** Puts a command before `--url` and `--json`, which every command takes: some people write them first. */
export function commandFirst(args: readonly string[], names: readonly string[]): readonly string[] {
  let at = 0;
  while (/^--(url(=.*)?|json)$/.test(args[at] ?? '')) at += args[at] === '--url' ? 2 : 1;
  const name = args[at];
  return at === 0 || name === undefined || !names.includes(name) ? args : [name, ...args.slice(0, at), ...args.slice(at + 1)];
}

/** Runs `posthorn` with these arguments, and prints a failure. @returns the exit code */
export async function runCommandLine(given: readonly string[], terminal: Terminal, commands: Commands): Promise<number> {
  const names = Object.keys(commands);
  const args = commandFirst(given, names);
  const name = commandName(args);
  const isNamed = args[0] === name;
  const argv = isNamed ? args.slice(1) : args;
  const helpFor = (wanted: string | undefined): number => {
    if (wanted === undefined) return print(overview(commands, terminal.columns), terminal);
    const command = commandOf(wanted, commands);
    return command ? print(helpOf(command, terminal.columns), terminal) : fail(unknownCommand(wanted, commands), [], terminal);
  };
  if (args[0] === '-v' || beforeText(args).includes('--version')) return print(version, terminal);
  if (name === 'help') return helpFor(argv.find((argument) => !argument.startsWith('-')));
  if (asksForHelp(argv)) return helpFor(isNamed ? name : undefined);
  const command = commandOf(name, commands);
  if (!command) return fail(unknownCommand(name, commands), argv, terminal);
  try {
    return await command.run(withoutUrl(argv, command), terminal, commands);
  } catch (error) {
    return fail(failureOf(error, name, command, argv), argv, terminal);
  }
}

/** Removes `--url URL` from the arguments, and lets the command call that platform. Commands with a flag `url` keep it. */
function withoutUrl(argv: readonly string[], { flags }: Command): readonly string[] {
  const end = argv.indexOf('--');
  const at = argv.findIndex((argument, i) => (argument === '--url' || argument.startsWith('--url=')) && (end < 0 || i < end));
  if (Object.hasOwn(flags, 'url') || at < 0) return argv;
  const [, inline] = /^--url=(.*)$/.exec(argv[at]!) ?? [];
  const url = inline ?? argv[at + 1];
  if (!url || !URL.canParse(url)) throw new UsageError('--url needs the base URL of a platform, such as http://127.0.0.1:4100');
  process.env.POSTHORN_URL = url;
  return argv.filter((_, i) => i !== at && (inline !== undefined || i !== at + 1));
}

function commandOf(name: string, commands: Commands): Command | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}

/** Arguments after `--` are text. */
function beforeText(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}

function asksForHelp(argv: readonly string[]): boolean {
  return beforeText(argv).some((argument) => argument === '--help' || argument === '-h');
}

/** Whether the flags ask for JSON; some commands have a flag with several formats. */
function wantsJson(argv: readonly string[]): boolean {
  return argv.some((argument, i) => {
    const [, value = argv[i + 1]] = /^(?:-o|--(?:output|format|reporter))(?:=(.*))?$/.exec(argument) ?? ['', ''];
    return argument === '--json' || value === 'json';
  });
}

function print(text: string, { out }: Terminal): number {
  out(text);
  return exit.ok;
}

/** Prints a failure, with `--json` also as one line on standard output. @returns its exit code */
function fail({ code, exit, result, ...texts }: Failure, argv: readonly string[], { out, err }: Terminal): number {
  const [message, next] = [withOwnCommand(texts.message), withOwnCommand(texts.next)];
  if (wantsJson(beforeText(argv))) out(JSON.stringify({ v: 1, ...result, error: { code, message, next } }));
  err(`posthorn: ${message}`);
  err(`Code: ${code}`);
  err(`Try: ${next}`);
  return exit;
}
