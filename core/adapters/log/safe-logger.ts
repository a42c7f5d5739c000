import type { LogFields, Logger, LogLevel } from '../../ports/logger.js';
import type { Tracing } from '../../ports/tracing.js';
import type { SecretMasker } from '../secrets/secret-masker.js';
import { plainFields, plainMessage } from './plain-fields.js';

interface SafeLoggerOptions {
  readonly secrets: SecretMasker;
  readonly tracing: Tracing | undefined;
}

/**
 * The one way to the log, whoever's it is: the logger behind it is only given texts and plain JSON, from which what is named
 * like a secret and what is known to be one has been taken. Lines say where in a trace they were written.
 */
export class SafeLogger implements Logger {
  readonly #behind: () => Logger;
  readonly #options: SafeLoggerOptions;
  #log: Logger | undefined;

  /** @param behind asked once, when there is something to say: every request has a logger, and few say anything */
  constructor(behind: () => Logger, options: SafeLoggerOptions) {
    this.#behind = behind;
    this.#options = options;
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
    return new SafeLogger(() => this.#written().child(this.#plain(fields)), this.#options);
  }

  #written(): Logger {
    this.#log ??= this.#behind();
    return this.#log;
  }

  #write(level: LogLevel, message: string, fields: LogFields = {}): void {
    const { secrets, tracing } = this.#options;
    const here = tracing?.current()?.logged;
    this.#written()[level](plainMessage(message, secrets.mask), { ...here, ...this.#plain(fields) });
  }

  /** A field that cannot be read must not take down what only wanted to say something. */
  #plain(fields: LogFields): LogFields {
    const { mask } = this.#options.secrets;
    try {
      return plainFields(fields, mask);
    } catch (error) {
      return { unlogged: plainMessage(error, mask) };
    }
  }
}
