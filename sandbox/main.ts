import type { Command } from './commands/command.js';
import { commands } from './commands.js';
import { escapeOutput } from './terminal/escape.js';
import { type Failure, failureOf, unknownCommand } from './terminal/failure.js';
import { UsageError } from './terminal/flags.js';
import { helpOf, overview } from './terminal/help.js';
import { wantsColour } from './terminal/painter.js';
import { exit, type Terminal } from './terminal/terminal.js';
import { version } from './version.js';

const isColoured = wantsColour(process.stdout, process.env);
const terminal: Terminal = {
  out: (line) => void process.stdout.write(`${escapeOutput(line, isColoured)}\n`),
  file: (text) => void process.stdout.write(process.stdout.isTTY ? escapeOutput(text, isColoured) : text),
  err: (line) => void process.stderr.write(`${escapeOutput(line, isColoured)}\n`),
  isColoured,
  cwd: process.cwd(),
};

const args = process.argv.slice(2);
const isNamed = args[0] !== undefined && !args[0].startsWith('-');
/** `posthorn` alone, or with flags only, is `posthorn sandbox`. */
const name = isNamed ? args[0]! : 'sandbox';

// In `posthorn tail | head`, head closes the pipe. Commands that only print end then; a sandbox continues.
process.stdout.on('error', () => {
  if (name !== 'sandbox') process.exit(exit.ok);
});
process.stderr.on('error', () => undefined);

process.exitCode = await main(isNamed ? args.slice(1) : args);

async function main(argv: readonly string[]): Promise<number> {
  if (args[0] === '--version' || args[0] === '-v') return print(version);
  if (name === 'help') return help(argv.find((argument) => !argument.startsWith('-')));
  if (asksForHelp(argv)) return help(isNamed ? name : undefined);
  const command = commandOf(name);
  if (!command) return fail(unknownCommand(name, Object.keys(commands)), argv);
  try {
    return await command.run(withoutUrl(argv, command), terminal, commands);
  } catch (error) {
    return fail(failureOf(error, name, command, argv), argv);
  }
}

/** Takes `--url URL` out of the arguments of a command that has no such flag of its own, and lets the command talk to that platform. */
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

function commandOf(name: string): Command | undefined {
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

function help(name: string | undefined): number {
  if (name === undefined) return print(overview(commands));
  const command = commandOf(name);
  return command ? print(helpOf(command, process.stdout.columns)) : fail(unknownCommand(name, Object.keys(commands)), []);
}

function print(text: string): number {
  terminal.out(text);
  return exit.ok;
}

/** Prints a failure, with `--json` also as one line on standard output. @returns its exit code */
function fail({ code, message, next, exit }: Failure, argv: readonly string[]): number {
  if (beforeText(argv).includes('--json')) terminal.out(JSON.stringify({ v: 1, error: { code, message, next } }));
  terminal.err(`posthorn: ${message}`);
  terminal.err(`Code: ${code}`);
  terminal.err(`Try: ${next}`);
  return exit;
}
