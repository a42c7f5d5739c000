/** The least important first. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** What a line is about; names in snake_case. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Structured lines: a message for people, fields for machines. No bodies, no secrets: ids only. A logger of a host's own is
 * given plain JSON from which what is named like a secret, and every value the platform knows to be one, has been taken.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same logger, with these fields on every line. */
  child(fields: LogFields): Logger;
}
