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
import { UsageError } from './terminal/flags.js';
import { helpOf, overview } from './terminal/help.js';
import { wantsColour } from './terminal/painter.js';
import { printable } from './terminal/shown.js';
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
  out: (line) => void process.stdout.write(`${printable(line, isColoured)}\n`),
  err: (line) => void process.stderr.write(`${printable(line, isColoured)}\n`),
  isColoured,
  cwd: process.cwd(),
};

const words = process.argv.slice(2);
const isNamed = words[0] !== undefined && !words[0].startsWith('-');
/** `posthorn` alone, or with flags only, is `posthorn sandbox`. */
const name = isNamed ? words[0]! : 'sandbox';

// Whoever reads our output may stop reading: `posthorn tail | head`. A sandbox goes on; what only prints is done.
process.stdout.on('error', () => {
  if (name !== 'sandbox') process.exit(exit.ok);
});
process.stderr.on('error', () => undefined);

process.exitCode = await main(isNamed ? words.slice(1) : words);

async function main(argv: readonly string[]): Promise<number> {
  if (words[0] === '--version' || words[0] === '-v') return say(version);
  if (name === 'help') return help(argv.find((word) => !word.startsWith('-')));
  if (asksForHelp(argv)) return help(isNamed ? name : undefined);
  const command = commandOf(name);
  if (!command) return misunderstood(`there is no command '${name}'`);
  try {
    return await command.run(argv, terminal);
  } catch (error) {
    if (error instanceof UsageError) return misunderstood(error.message, name);
    terminal.err(`posthorn: ${error instanceof Error ? error.message : String(error)}`);
    return error instanceof SandboxUnreachable || error instanceof NoSandbox ? exit.notRunning : exit.failed;
  }
}

function commandOf(name: string): Command | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}

/** What follows `--` is text. */
function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).some((word) => word === '--help' || word === '-h');
}

function help(about: string | undefined): number {
  if (about === undefined) return say(overview(commands));
  const command = commandOf(about);
  return command ? say(helpOf(command)) : misunderstood(`there is no command '${about}'`);
}

function say(text: string): number {
  terminal.out(text);
  return exit.ok;
}

function misunderstood(problem: string, command?: string): number {
  terminal.err(`posthorn: ${problem}`);
  terminal.err(`Try: npx posthorn help${command === undefined ? '' : ` ${command}`}`);
  return exit.usage;
}
