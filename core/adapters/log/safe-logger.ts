import type { LogFields, Logger, LogLevel } from '../../ports/logger.js';
import type { Tracing } from '../../ports/tracing.js';
import type { SecretMasker } from '../secrets/secret-masker.js';
import { plainFields, plainMessage } from './plain-fields.js';

interface SafeLoggerOptions {
  readonly secrets: SecretMasker;
  readonly tracing: Tracing | undefined;
}

/**
 * Wraps every logger of the platform: the inner logger receives only text and plain JSON, with fields named like secrets and
 * known secret values masked. Adds the trace context to each line.
 */
export class SafeLogger implements Logger {
  readonly #inner: () => Logger;
  readonly #options: SafeLoggerOptions;
  #log: Logger | undefined;

  /** @param behind returns the inner logger. Called once, on the first line, because every request has a logger and few write a line. */
  constructor(inner: () => Logger, options: SafeLoggerOptions) {
    this.#inner = inner;
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
    return new SafeLogger(() => this.#logger().child(this.#plain(fields)), this.#options);
  }

  #logger(): Logger {
    this.#log ??= this.#inner();
    return this.#log;
  }

  #write(level: LogLevel, message: string, fields: LogFields = {}): void {
    const { secrets, tracing } = this.#options;
    const traceFields = tracing?.current()?.logged;
    this.#logger()[level](plainMessage(message, secrets.mask), { ...traceFields, ...this.#plain(fields) });
  }

  /** An unreadable field must not throw into the code that logs. */
  #plain(fields: LogFields): LogFields {
    const { mask } = this.#options.secrets;
    try {
      return plainFields(fields, mask);
    } catch (error) {
      return { unlogged: plainMessage(error, mask) };
    }
  }
}
