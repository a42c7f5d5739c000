/** From the least important to the most important. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Structured fields of a line; names in snake_case. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Structured logging: a message for people, fields for machines. Log ids, never message bodies or secrets. A logger that the
 * host application provides receives plain JSON. Before that, the platform masks fields named like secrets, and all secret
 * values that it knows.
 */
export interface Logger {
  /** For developers: what happens in detail. */
  debug(message: string, fields?: LogFields): void;
  /** For operators: what has changed, such as a start or a connection. */
  info(message: string, fields?: LogFields): void;
  /** Something is wrong, and the platform continues as documented. */
  warn(message: string, fields?: LogFields): void;
  /** Something has failed, and an operator must act. */
  error(message: string, fields?: LogFields): void;
  /** The same logger, with these fields on every line. */
  child(fields: LogFields): Logger;
}
