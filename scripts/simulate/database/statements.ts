import { directoryStatements } from './directory-statements.js';
import { logStatements } from './log-statements.js';
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

const handlers: readonly Handler[] = [...logStatements, ...directoryStatements];
const known = new Map<string, { readonly handler: Handler; readonly text: string }>();

/**
 * How a statement is executed. The database of the simulation understands the statements of the cluster and no others: each is written here a second
 * time, so a change of a statement needs a change here.
 */
export function handlerOf(sql: string): { readonly handler: Handler; readonly text: string } {
  const before = known.get(sql);
  if (before) return before;
  const text = sql
    .replaceAll(/"\w+"\./g, '')
    .replaceAll('"', '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const handler = handlers.find(({ begins, has = '' }) => text.startsWith(begins) && text.includes(has));
  if (!handler) throw new Error(`the simulated database does not know this statement: ${text}`);
  known.set(sql, { handler, text });
  return { handler, text };
}
