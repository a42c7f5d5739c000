import { SandboxUnreachable } from './client/admin-client.js';
import { type Command, NoSandbox } from './commands/command.js';
import { data } from './commands/data.js';
import { deliveries } from './commands/deliveries.js';
import { flow } from './commands/flow.js';
import { integration } from './commands/integration.js';
import { journey } from './commands/journey.js';
import { openapi } from './commands/openapi.js';
import { plugin } from './commands/plugin.js';
import { sandbox } from './commands/sandbox.js';
import { send } from './commands/send.js';
import { sim } from './commands/sim.js';
import { tail } from './commands/tail.js';
import { escapeOutput } from './terminal/escape.js';
import { UsageError } from './terminal/flags.js';
import { helpOf, overview } from './terminal/help.js';
import { wantsColour } from './terminal/painter.js';
import { exit, type Terminal } from './terminal/terminal.js';
import { version } from './version.js';

const commands: Readonly<Record<string, Command>> = {
  sandbox,
  send,
  tail,
  deliveries,
  data,
  journey,
  sim,
  flow,
  integration,
  openapi,
  plugin,
};

const isColoured = wantsColour(process.stdout, process.env);
const terminal: Terminal = {
  out: (line) => void process.stdout.write(`${escapeOutput(line, isColoured)}\n`),
  err: (line) => void process.stderr.write(`${escapeOutput(line, isColoured)}\n`),
  isColoured,
  cwd: process.cwd(),
};

const words = process.argv.slice(2);
const isNamed = words[0] !== undefined && !words[0].startsWith('-');
/** `posthorn` alone, or with flags only, is `posthorn sandbox`. */
const name = isNamed ? words[0]! : 'sandbox';

// The reader of a pipe may close it: `posthorn tail | head`. A sandbox continues; commands that only print end.
process.stdout.on('error', () => {
  if (name !== 'sandbox') process.exit(exit.ok);
});
process.stderr.on('error', () => undefined);

process.exitCode = await main(isNamed ? words.slice(1) : words);

async function main(argv: readonly string[]): Promise<number> {
  if (words[0] === '--version' || words[0] === '-v') return print(version);
  if (name === 'help') return help(argv.find((word) => !word.startsWith('-')));
  if (asksForHelp(argv)) return help(isNamed ? name : undefined);
  const command = commandOf(name);
  if (!command) return usageError(`unknown command '${name}'`);
  try {
    return await command.run(argv, terminal);
  } catch (error) {
    if (error instanceof UsageError) return usageError(error.message, name);
    terminal.err(`posthorn: ${error instanceof Error ? error.message : String(error)}`);
    return error instanceof SandboxUnreachable || error instanceof NoSandbox ? exit.notRunning : exit.failed;
  }
}

function commandOf(name: string): Command | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}

/** Arguments after `--` are text. */
function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).some((word) => word === '--help' || word === '-h');
}

function help(about: string | undefined): number {
  if (about === undefined) return print(overview(commands));
  const command = commandOf(about);
  return command ? print(helpOf(command)) : usageError(`unknown command '${about}'`);
}

function print(text: string): number {
  terminal.out(text);
  return exit.ok;
}

function usageError(problem: string, command?: string): number {
  terminal.err(`posthorn: ${problem}`);
  terminal.err(`Try: npx posthorn help${command === undefined ? '' : ` ${command}`}`);
  return exit.usage;
}
