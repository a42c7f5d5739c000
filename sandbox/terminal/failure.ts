import { didYouMean } from '../../plugins/flows/validate/nearest.js';
import { SandboxRefused, SandboxUnreachable } from '../client/admin-client.js';
import { NoSandbox } from '../client/run-file.js';
import type { Command } from '../commands/command.js';
import { CommandFailed, type FailureCode } from './command-failed.js';
import { verbsOf } from './completion.js';
import { UsageError } from './flags.js';
import { exit } from './terminal.js';

/** Why a command ended without doing its work. */
export interface Failure {
  /** The same for the same kind of failure. */
  readonly code: FailureCode;
  readonly message: string;
  /** The command to run next. */
  readonly next: string;
  readonly exit: number;
  /** The result of the command before it failed. */
  readonly result?: object | undefined;
}

/** Errors of JavaScript itself, which only a mistake in Posthorn causes. */
const MISTAKES = [TypeError, ReferenceError, RangeError];

/** The sandbox has no record of a given id, or a value is invalid: the arguments are wrong, as if the command itself had refused them. */
const WRONG_REQUEST: ReadonlySet<number> = new Set([400, 404]);

/** The failure that an error of a command means. */
export function failureOf(error: unknown, name: string, command: Command | undefined, argv: readonly string[]): Failure {
  const message = error instanceof Error ? error.message : String(error);
  const help = `npx posthorn help ${name}`;
  if (error instanceof CommandFailed)
    return { code: error.code, message, next: error.next ?? help, exit: error.exit, result: error.result };
  if (error instanceof UsageError) return { code: 'usage', message: withVerb(message, command, argv), next: help, exit: exit.usage };
  if (error instanceof NoSandbox) return { code: 'no_sandbox', message, next: 'npx posthorn sandbox', exit: exit.notRunning };
  // `fetch` reports a broken connection as TypeError.
  const isBroken = error instanceof TypeError && message === 'fetch failed';
  if (error instanceof SandboxUnreachable || isBroken)
    return { code: 'unreachable', message, next: 'npx posthorn doctor', exit: exit.notRunning };
  if (error instanceof SandboxRefused)
    return { code: 'refused', message, next: help, exit: WRONG_REQUEST.has(error.status) ? exit.usage : exit.failed };
  const isMistake = MISTAKES.some((type) => error instanceof type);
  return isMistake
    ? { code: 'internal', message, next: 'npx posthorn doctor', exit: exit.internal }
    : { code: 'failed', message, next: help, exit: exit.failed };
}

/** The failure of a command line that names no command. */
export function unknownCommand(name: string, names: Iterable<string>): Failure {
  return { code: 'usage', message: `unknown command '${name}'${didYouMean(name, names)}`, next: 'npx posthorn help', exit: exit.usage };
}

/** Adds the verb that a misspelt one probably means. */
function withVerb(message: string, command: Command | undefined, argv: readonly string[]): string {
  const given = argv.find((argument) => !argument.startsWith('-'));
  const verbs = command ? verbsOf(command) : [];
  if (given === undefined || verbs.includes(given)) return message;
  return `${message}${didYouMean(given, verbs)}`;
}
