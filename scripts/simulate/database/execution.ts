import type { Tables } from './tables.js';

/** The tables and the session of a statement. */
export interface Execution {
  readonly tables: Tables;
  /** Milliseconds since 1970, by the clock of the database. */
  readonly now: number;
  /** Whether commits wait for the replica. */
  readonly isSynchronous: boolean;
  /** The statement, with one space for each white space, and without the schema and quotes of tables. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each statement knows its values
  readonly values: readonly any[];
  notify(channel: string): void;
}

/** Executes a statement of the cluster; no other statement sees a part of it. */
export interface Handler {
  /** The beginning of its text. */
  readonly begins: string;
  /** A part of its text. */
  readonly has?: string;
  readonly changes?: boolean;
  run(execution: Execution): object[];
}

/** An error of PostgreSQL, with its code. */
export const refusal = (code: string, message: string): Error => Object.assign(new Error(message), { code });
export const UNIQUE_VIOLATION = '23505';
