#!/usr/bin/env node
import { SandboxUnreachable } from './admin-client.js';
import { type Command, exit, type Terminal } from './commands/command.js';
import { sandbox } from './commands/sandbox.js';
import { send } from './commands/send.js';
import { tail } from './commands/tail.js';
import { UsageError } from './config.js';
import { version } from './version.js';

const commands: Readonly<Record<string, Command>> = { sandbox, send, tail };

const terminal: Terminal = {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  isColoured: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
  cwd: process.cwd(),
};

// Whoever reads our output may stop reading: `posthorn tail | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? exit.ok : exit.internal));

process.exitCode = await main(process.argv.slice(2));

/** `posthorn` alone, or with flags only, is `posthorn sandbox`. */
async function main(argv: readonly string[]): Promise<number> {
  if (argv[0] === '--version' || argv[0] === '-v') return print(version);
  if (argv[0] === 'help' || argv[0] === '--help' || argv[0] === '-h') return print(argv[1] ? helpOf(argv[1]) : help());
  const isNamed = argv[0] !== undefined && !argv[0].startsWith('-');
  const name = isNamed ? argv[0]! : 'sandbox';
  const rest = isNamed ? argv.slice(1) : argv;
  const command = commands[name];
  if (!command) return usage(`there is no command '${name}'`);
  if (rest.includes('--help') || rest.includes('-h')) return print(helpOf(name));
  try {
    return await command.run(rest, terminal);
  } catch (error) {
    if (error instanceof UsageError) return usage(error.message, name);
    if (error instanceof SandboxUnreachable) {
      terminal.err(`posthorn: ${error.message}`);
      return exit.notRunning;
    }
    terminal.err(`posthorn: ${error instanceof Error ? error.message : String(error)}`);
    return exit.failed;
  }
}

function print(text: string): number {
  terminal.out(text);
  return exit.ok;
}

function usage(problem: string, name?: string): number {
  terminal.err(`posthorn: ${problem}`);
  terminal.err(`Try: posthorn help${name === undefined ? '' : ` ${name}`}`);
  return exit.usage;
}

function help(): string {
  return [
    'posthorn: a business-messaging platform on your machine',
    '',
    ...Object.entries(commands).map(([name, { summary }]) => `  posthorn ${name.padEnd(9)} ${summary}`),
    '',
    'posthorn help COMMAND shows its flags.',
  ].join('\n');
}

function helpOf(name: string): string {
  const command = commands[name];
  if (!command) return help();
  return [
    `${command.usage}`,
    `  ${command.summary}`,
    '',
    ...Object.entries(command.flags).map(
      ([flag, { type, help }]) => `  --${`${flag}${type === 'string' ? ' VALUE' : ''}`.padEnd(18)} ${help}`,
    ),
  ].join('\n');
}
