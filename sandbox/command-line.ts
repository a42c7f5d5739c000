import { withOwnCommand } from '../core/own-command.js';
import type { Command } from './commands/command.js';
import { type Failure, failureOf, unknownCommand } from './terminal/failure.js';
import { didYouMean, UsageError } from './terminal/flags.js';
import { helpOf, overview, summaries } from './terminal/help.js';
import { exit, type Terminal } from './terminal/terminal.js';
import { version } from './version.js';

type Commands = Readonly<Record<string, Command>>;

/** The command that the arguments of `posthorn` name. `posthorn` alone, or with flags only, is `posthorn sandbox`. */
export const commandName = ([first]: readonly string[]): string => (first !== undefined && !first.startsWith('-') ? first : 'sandbox');

/** Puts a command before `--url` and `--json`, which every command takes: some people write them first. */
export function commandFirst(args: readonly string[]): readonly string[] {
  let at = 0;
  while (/^--(url(=.*)?|json)$/.test(args[at] ?? '')) at += args[at] === '--url' ? 2 : 1;
  const name = args[at];
  return at === 0 || name === undefined || name.startsWith('-') ? args : [name, ...args.slice(0, at), ...args.slice(at + 1)];
}

/** Runs `posthorn` with these arguments, and prints a failure. @returns the exit code */
export async function runCommandLine(given: readonly string[], terminal: Terminal, commands: Commands): Promise<number> {
  const args = commandFirst(given);
  const name = commandName(args);
  const isNamed = args[0] === name;
  const argv = isNamed ? args.slice(1) : args;
  if (args[0] === '-v' || beforeText(args).includes('--version')) return print(version, terminal);
  const command = commandOf(name, commands);
  try {
    const words = withoutUrl(argv, command ?? NO_FLAGS);
    if (name === 'help') return await showHelp(words, terminal, commands);
    if (asksForHelp(argv)) return await showHelp(isNamed ? [name, ...words] : [], terminal, commands);
    return command ? await command.run(words, terminal, commands) : await runOfPlugin(name, words, terminal, commands);
  } catch (error) {
    return fail(failureOf(error, name, command, argv), argv, terminal);
  }
}

/** Removes `--url URL` from the arguments, and lets the command call that platform. Commands with a flag `url` keep it. */
function withoutUrl(argv: readonly string[], { flags }: Pick<Command, 'flags'>): readonly string[] {
  const end = argv.indexOf('--');
  const at = argv.findIndex((argument, i) => (argument === '--url' || argument.startsWith('--url=')) && (end < 0 || i < end));
  if (Object.hasOwn(flags, 'url') || at < 0) return argv;
  const [, inline] = /^--url=(.*)$/.exec(argv[at]!) ?? [];
  const url = inline ?? argv[at + 1];
  if (!url || !URL.canParse(url)) throw new UsageError('--url needs the base URL of a platform, such as http://127.0.0.1:4100');
  process.env.POSTHORN_URL = url;
  return argv.filter((_, i) => i !== at && (inline !== undefined || i !== at + 1));
}

/** Prints the help of the command that the words name, or of all. It ignores flags. */
async function showHelp(args: readonly string[], terminal: Terminal, commands: Commands): Promise<number> {
  const [name, verb] = args.filter((argument) => !argument.startsWith('-'));
  const command = name === undefined ? undefined : commandOf(name, commands);
  if (command) return print(helpOf(command, terminal.columns), terminal);
  const { found, failure } = await askPlatform(terminal);
  if (name === undefined) {
    print(overview(commands, terminal.columns, found), terminal);
    if (failure) terminal.err(`Commands of plugins could not be listed: ${failure.message}`);
    return exit.ok;
  }
  const ofPlugin = commandOf(`${name} ${verb}`, found);
  return ofPlugin ? print(helpOf(ofPlugin, terminal.columns), terminal) : listVerbs(name, [], terminal, { commands, found, failure });
}

/** Runs a command of a plugin, or lists its verbs. */
async function runOfPlugin(name: string, argv: readonly string[], terminal: Terminal, commands: Commands): Promise<number> {
  const { found, failure } = await askPlatform(terminal);
  const verb = argv.find((argument) => !argument.startsWith('-'));
  const command = commandOf(`${name} ${verb}`, found);
  if (command) return command.run(argv, terminal, commands);
  return listVerbs(name, argv, terminal, { commands, found, failure });
}

interface Asked {
  /** The commands of plugins, by `<plugin> <verb>`. */
  readonly found: Commands;
  /** Why the platform could not be asked. */
  readonly failure?: Failure | undefined;
}

async function askPlatform({ cwd }: Terminal): Promise<Asked> {
  // Imported on demand, because most command lines name a command of our own.
  const { pluginCommands } = await import('./client/plugin-commands.js');
  try {
    return { found: await pluginCommands(cwd) };
  } catch (error) {
    return { found: {}, failure: failureOf(error, '', undefined, []) };
  }
}

/** Prints the commands of a plugin, or why there is none of this name. @throws UsageError */
function listVerbs(
  name: string,
  argv: readonly string[],
  terminal: Terminal,
  { commands, found, failure }: Asked & { readonly commands: Commands },
): number {
  const own = Object.entries(found).filter(([command]) => command.startsWith(`${name} `));
  const verbs = own.map(([command]) => command.slice(name.length + 1));
  const verb = argv.find((argument) => !argument.startsWith('-'));
  if (own.length > 0 && verb !== undefined) {
    throw new UsageError(`${name} takes ${verbs.join(', ')}, not '${verb}'${didYouMean(verb, verbs)}`);
  }
  if (own.length > 0) {
    if (wantsJson(argv)) return print(JSON.stringify({ v: 1, plugin: name, verbs }), terminal);
    return print(`${summaries(Object.fromEntries(own), terminal.columns)}\n\nFlags of a command: npx posthorn help ${name} VERB`, terminal);
  }
  const plugins = Object.fromEntries(Object.entries(found).map(([command, about]) => [command.split(' ')[0]!, about]));
  const unknown = unknownCommand(name, { ...plugins, ...commands });
  if (!failure || unknown.message.includes('did you mean')) return fail(unknown, argv, terminal);
  const message = `'${name}' is not a command of posthorn itself, and the platform could not be asked for those of plugins: ${failure.message}`;
  return fail({ ...failure, message, next: failure.code === 'usage' ? unknown.next : failure.next }, argv, terminal);
}

const NO_FLAGS = { flags: {} };

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
