import type { LogFields, Logger, LogLevel } from '../ports/logger.js';

/** A recorded log line. */
export interface RecordedLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** Records every line unmasked, so that tests can check what was logged and that no secret was. */
export class RecordingLogger implements Logger {
  readonly lines: RecordedLine[];
  readonly #fields: LogFields;

  readonly #onLine: (line: RecordedLine) => void;

  /** `onLine` is called with each line when it is recorded. */
  constructor(lines: RecordedLine[] = [], fields: LogFields = {}, onLine: (line: RecordedLine) => void = () => undefined) {
    this.lines = lines;
    this.#fields = fields;
    this.#onLine = onLine;
  }

  debug(message: string, fields?: LogFields): void {
    this.#record('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#record('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#record('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#record('error', message, fields);
  }

  /** Its lines are recorded in `lines` of the parent. */
  child(fields: LogFields): Logger {
    return new RecordingLogger(this.lines, { ...this.#fields, ...fields }, this.#onLine);
  }

  /** The messages at this level, in order. */
  messages(level: RecordedLine['level']): string[] {
    return this.lines.filter((line) => line.level === level).map((line) => line.message);
  }

  #record(level: RecordedLine['level'], message: string, fields: LogFields | undefined): void {
    const line = { level, message, fields: { ...this.#fields, ...fields } };
    this.lines.push(line);
    this.#onLine(line);
  }
}
