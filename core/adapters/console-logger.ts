import type { Clock } from '../ports/clock.js';
import type { LogFields, Logger } from '../ports/logger.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface ConsoleLoggerOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Lines below this level are left out; `info` if not given. */
  readonly level?: LogLevel;
  /** Where the lines go; standard error if not given, as a program's own output is not ours to mix with. */
  readonly stream?: { write(text: string): unknown };
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
/** Fields whose value is never written: `hmac_secret`, `apiKey`, `Authorization`; `token_id` is. */
const SECRET = /(token|secret|authorization|key|password)s?$/i;
const REDACTED = '[redacted]';
const OWN_FIELDS = new Set(['time', 'level', 'message']);
const MAX_DEPTH = 8;
const MAX_ENTRIES = 50;
const MAX_VALUES = 1000;
const MAX_TEXT = 4096;
const MAX_LINE_TEXT = 32_768;
/** JSON escapes what is below a space. These control a terminal or break a line too. */
const CONTROLS = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** One line of JSON per message. Whatever it is given, it writes something and does not throw. */
export class ConsoleLogger implements Logger {
  readonly #options: Required<ConsoleLoggerOptions>;
  readonly #level: number;
  readonly #fields: LogFields;

  constructor({ clock, level = 'info', stream = process.stderr }: ConsoleLoggerOptions, fields: LogFields = {}) {
    this.#options = { clock, level, stream };
    this.#level = LEVELS.indexOf(level);
    this.#fields = fields;
  }

  debug(message: string, fields?: LogFields): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write('error', message, fields);
  }

  child(fields: LogFields): Logger {
    return new ConsoleLogger(this.#options, { ...this.#fields, ...fields });
  }

  #write(level: LogLevel, message: string, fields: LogFields | undefined): void {
    if (LEVELS.indexOf(level) < this.#level) return;
    try {
      const theirs = Object.entries(plain({ ...this.#fields, ...fields })).map(([name, value]) => [
        OWN_FIELDS.has(name) ? `${name}_` : name,
        value,
      ]);
      const line = {
        time: this.#options.clock.now().toISOString(),
        level,
        message: cut(String(message), MAX_TEXT),
        ...Object.fromEntries(theirs),
      };
      this.#options.stream.write(`${JSON.stringify(line).replace(CONTROLS, escaped)}\n`);
    } catch (error) {
      this.#lastResort(level, message, error);
    }
  }

  /** A clock or a stream that broke must not take down what only wanted to say something. */
  #lastResort(level: LogLevel, message: string, error: unknown): void {
    try {
      this.#options.stream.write(`${JSON.stringify({ level, message: textOf(message), unlogged: textOf(error) })}\n`);
    } catch {
      // The stream itself is gone; there is nobody left to tell.
    }
  }
}

/** The fields as JSON of bounded size, without secrets and without loops. */
function plain(fields: LogFields): Record<string, unknown> {
  let values = MAX_VALUES;
  let characters = MAX_LINE_TEXT;
  const above = new Set<object>();

  return entries(Object.entries(fields), 0);

  function text(from: string): string {
    const shown = cut(from, Math.min(MAX_TEXT, characters));
    characters = Math.max(0, characters - from.length);
    return shown;
  }

  function json(value: unknown, depth: number): unknown {
    if (values-- <= 0) return '[more]';
    if (typeof value === 'string') return text(value);
    if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
    if (typeof value === 'bigint') return text(String(value));
    if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`;
    if (typeof value !== 'object' || value === null) return value;
    if (above.has(value)) return '[circular]';
    if (depth >= MAX_DEPTH) return '[deeper]';
    above.add(value);
    try {
      return nested(value, depth);
    } catch (error) {
      return `[unreadable: ${textOf(error)}]`;
    } finally {
      above.delete(value);
    }
  }

  function nested(value: object, depth: number): unknown {
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
    if (value instanceof URL || value instanceof RegExp) return text(String(value));
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
    if (value instanceof Error) {
      const { name, message, stack, cause } = value;
      const rest = Object.entries(value).filter(([field]) => field !== 'cause');
      const described: [string, unknown][] = [['name', name], ['message', message], ...rest, ['cause', cause], ['stack', stack]];
      return entries(described, depth);
    }
    if (value instanceof Map)
      return entries(
        [...value].map(([key, entry]) => [textOf(key), entry]),
        depth,
      );
    if (Array.isArray(value) || value instanceof Set) return list([...value], depth);
    return entries(Object.entries(value), depth);
  }

  function list(items: unknown[], depth: number): unknown[] {
    const shown = items.slice(0, MAX_ENTRIES).map((item) => json(item, depth + 1));
    return items.length > MAX_ENTRIES ? [...shown, `[${items.length - MAX_ENTRIES} more]`] : shown;
  }

  function entries(pairs: [string, unknown][], depth: number): Record<string, unknown> {
    const shown = pairs
      .slice(0, MAX_ENTRIES)
      .map(([name, value]): [string, unknown] => [text(name), SECRET.test(name) ? REDACTED : json(value, depth + 1)]);
    if (pairs.length > MAX_ENTRIES) shown.push(['[more]', pairs.length - MAX_ENTRIES]);
    return Object.fromEntries(shown);
  }
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}[${text.length - length} more]` : text;
}

function textOf(value: unknown): string {
  try {
    return cut(String(value), MAX_TEXT);
  } catch {
    return '[unprintable]';
  }
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
