import type { Clock } from '../../ports/clock.js';
import { type LogFields, type Logger, type LogLevel, logLevels } from '../../ports/logger.js';
import { plainFields, plainMessage } from './plain-fields.js';

export interface ConsoleLoggerOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Lines below this level are dropped; `info` if not given. */
  readonly level?: LogLevel;
  /** Receives the lines; standard error if not given, because standard output belongs to the program. */
  readonly stream?: { write(text: string): unknown };
}

const OWN_FIELDS = new Set(['time', 'level', 'message']);
/** JSON escapes characters below space. These also control a terminal or break a line. */
const CONTROLS = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Writes one line of JSON per message. Never throws, whatever it receives. */
export class ConsoleLogger implements Logger {
  readonly #options: Required<ConsoleLoggerOptions>;
  readonly #level: number;
  readonly #fields: LogFields;

  constructor({ clock, level = 'info', stream = process.stderr }: ConsoleLoggerOptions, fields: LogFields = {}) {
    this.#options = { clock, level, stream };
    this.#level = logLevels.indexOf(level);
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
    if (logLevels.indexOf(level) < this.#level) return;
    try {
      const theirs = Object.entries(plainFields({ ...this.#fields, ...fields })).map(([name, value]) => [
        OWN_FIELDS.has(name) ? `${name}_` : name,
        value,
      ]);
      const line = {
        time: this.#options.clock.now().toISOString(),
        level,
        message: plainMessage(message),
        ...Object.fromEntries(theirs),
      };
      this.#options.stream.write(`${JSON.stringify(line).replace(CONTROLS, escaped)}\n`);
    } catch (error) {
      this.#lastResort(level, message, error);
    }
  }

  /** Reports a failing clock or stream without throwing into the code that logs. */
  #lastResort(level: LogLevel, message: string, error: unknown): void {
    try {
      this.#options.stream.write(`${JSON.stringify({ level, message: plainMessage(message), unlogged: plainMessage(error) })}\n`);
    } catch {
      // The stream itself fails; there is nowhere left to report it.
    }
  }
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
