import { didYouMean, nearest } from '../../core/nearest.js';
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

/** Words of other tools for what a command does. */
const SYNONYMS: Readonly<Record<string, string>> = {
  start: 'sandbox',
  run: 'sandbox',
  dev: 'sandbox',
  serve: 'sandbox',
  up: 'sandbox',
  down: 'stop',
  kill: 'stop',
  logs: 'tail',
  watch: 'tail',
  events: 'tail',
  requests: 'calls',
  explain: 'why',
  delivery: 'deliveries',
  webhook: 'deliveries',
  message: 'send',
  number: 'status',
  token: 'env',
  console: 'open',
  simulate: 'sim',
  check: 'doctor',
};
const MAX_VERBS = 3;

/** The failure of a command line that names no command. */
export function unknownCommand(name: string, commands: Readonly<Record<string, Command>>): Failure {
  const message = `unknown command '${name}'${suggestionFor(name, commands)}`;
  return { code: 'usage', message, next: 'npx posthorn help', exit: exit.usage };
}

/** A similar command, the command that has such a verb, or the one that other tools call so. */
function suggestionFor(name: string, commands: Readonly<Record<string, Command>>): string {
  const given = name.toLowerCase();
  const commandsWith = (verb: string): string[] =>
    Object.entries(commands).flatMap(([command, about]) => (verbsOf(about).includes(verb) ? [`${command} ${verb}`] : []));
  const synonym = Object.hasOwn(SYNONYMS, given) ? SYNONYMS[given] : undefined;
  if (synonym !== undefined) return `; did you mean '${synonym}'?`;
  const verbs = commandsWith(given);
  if (verbs.length > 0 && verbs.length <= MAX_VERBS) return `; did you mean ${verbs.map((verb) => `'${verb}'`).join(' or ')}?`;
  const similar = didYouMean(name, Object.keys(commands));
  if (similar !== '') return similar;
  const verb = nearest(name, new Set(Object.values(commands).flatMap(verbsOf)));
  const [only, ...more] = verb === undefined ? [] : commandsWith(verb);
  return only === undefined || more.length > 0 ? '' : `; did you mean '${only}'?`;
}

/** Adds the verb that a misspelt one probably means. */
function withVerb(message: string, command: Command | undefined, argv: readonly string[]): string {
  const given = argv.find((argument) => !argument.startsWith('-'));
  const verbs = command ? verbsOf(command) : [];
  if (given === undefined || verbs.includes(given)) return message;
  return `${message}${didYouMean(given, verbs)}`;
}
