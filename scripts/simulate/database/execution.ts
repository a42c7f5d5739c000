import type { Tables } from './tables.js';

/** What a statement works on. */
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

/** Executes a statement of the cluster at once, without that another one sees a part of it. */
export interface Handler {
  /** What its text begins with. */
  readonly begins: string;
  /** What its text contains besides. */
  readonly has?: string;
  readonly changes?: boolean;
  run(execution: Execution): object[];
}

/** An error of PostgreSQL, with its code. */
export const refusal = (code: string, message: string): Error => Object.assign(new Error(message), { code });
export const UNIQUE_VIOLATION = '23505';
