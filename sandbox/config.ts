import { parseArgs } from 'node:util';
import Joi from 'joi';

/** What `posthorn sandbox` can be told: the only place that reads its flags. */
export interface SandboxConfig {
  /** 0 takes any free port. */
  readonly port: number;
  /** Whether the port was asked for; a default port that is taken gives way to the next one. */
  readonly isPortFixed: boolean;
  readonly host: string;
  /** The folder of the state; everything is in memory without one. */
  readonly data: string | undefined;
  /** `demo`, `empty` or a JSON file. */
  readonly seed: string;
  /** Makes ids, tokens and secrets the same in every run with the same key. */
  readonly seedKey: string | undefined;
  readonly clock: 'real' | 'manual';
  readonly json: boolean;
  readonly quiet: boolean;
}

/** Flags with one line each, for `--help`. */
export const sandboxFlags = {
  port: { type: 'string', help: 'port to listen on; 0 takes any free one (default 4100)' },
  host: { type: 'string', help: 'address to listen on (default 127.0.0.1)' },
  data: { type: 'string', help: 'folder to keep the state in (default: memory)' },
  seed: { type: 'string', help: 'demo, empty, or a JSON file with numbers, channels, webhooks and journeys (default demo)' },
  'seed-key': { type: 'string', help: 'same key, same ids and tokens' },
  clock: { type: 'string', help: 'real or manual; a manual clock moves by POST /admin/v1/clock/advance (default real)' },
  json: { type: 'boolean', help: 'print one line of JSON when ready' },
  quiet: { type: 'boolean', help: 'print nothing but errors' },
} as const;

const schema = Joi.object({
  port: Joi.number().integer().min(0).max(65535).default(4100),
  host: Joi.string().default('127.0.0.1'),
  data: Joi.string(),
  seed: Joi.string().default('demo'),
  'seed-key': Joi.string(),
  clock: Joi.valid('real', 'manual').default('real'),
  json: Joi.boolean().default(false),
  quiet: Joi.boolean().default(false),
}).prefs({ errors: { label: 'key' } });

/** The command was not understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @throws UsageError */
export function sandboxConfig(argv: readonly string[]): SandboxConfig {
  const flags = flagsOf(argv, sandboxFlags).values;
  const { error, value } = schema.validate(flags);
  if (error) throw new UsageError(`${error.message.replace(/^"(.+?)"/, '--$1')}`);
  const { 'seed-key': seedKey, data, ...rest } = value;
  return { ...rest, data, seedKey, isPortFixed: flags.port !== undefined };
}

/** Splits arguments into flags and words. @throws UsageError for a flag that does not exist or lacks its value */
export function flagsOf(argv: readonly string[], options: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>) {
  try {
    const plain = Object.fromEntries(Object.entries(options).map(([name, { type }]) => [name, { type }]));
    const { values, positionals } = parseArgs({ args: [...argv], options: plain, allowPositionals: true });
    return { values: values as Record<string, string | boolean | undefined>, words: positionals };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
