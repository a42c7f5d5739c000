import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../terminal/flags.js';

/** The command line. The MCP server runs its verbs in processes of their own: they print, and read standard input, which the protocol uses. */
export const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

/** Linux limits an argument to 128 KiB, with its flag and a byte at its end. */
const MAX_ARGUMENT = 128 * 1024 - 64;

export interface VerbCall {
  /** The verb with the name of its action: `['deliveries', 'list']`. */
  readonly verb: readonly string[];
  /** By the names of the flags. A switch is `true`; undefined and `false` leave the flag out, and a list repeats it. */
  readonly flags?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  readonly positionals?: readonly string[];
  /** Standard input. */
  readonly input?: string | Uint8Array | undefined;
  /** Secrets are passed as environment variables: other users of the machine can read arguments. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface VerbResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface VerbPlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Ends the process. */
  readonly signal: AbortSignal;
}

/** Runs a verb of the command line to its end. */
export async function runVerb(call: VerbCall, { cwd, env, signal }: VerbPlace): Promise<VerbResult> {
  const { NO_COLOR: _, FORCE_COLOR: __, ...inherited } = env;
  const given = argumentsOf(call);
  for (const text of [...given, ...Object.values(call.env ?? {})]) requirePassable(text);
  const child = spawn(process.execPath, [MAIN, ...given], { cwd, env: { ...inherited, ...call.env }, signal });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  // A verb that refuses its arguments ends without reading its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(call.input ?? '');
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? 1, out: out.trimEnd(), err: err.trimEnd() };
}

/** @throws UsageError for a text that cannot be passed to a process */
function requirePassable(text: string): void {
  if (text.includes('\0')) throw new UsageError('a text has the character U+0000; remove it');
  if (Buffer.byteLength(text) > MAX_ARGUMENT) throw new UsageError(`a text has more than ${MAX_ARGUMENT} bytes; shorten it`);
}

/** Values are attached to their flags, and positionals follow `--`, so that no text of a client is read as a flag. */
export function argumentsOf({ verb, flags = {}, positionals = [] }: VerbCall): string[] {
  const given = Object.entries(flags).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => (one === undefined || one === false ? [] : [one === true ? `--${name}` : `--${name}=${one}`])),
  );
  return [...verb, ...given, ...(positionals.length > 0 ? ['--', ...positionals] : [])];
}
