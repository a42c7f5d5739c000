import { directoryStatements } from './directory-statements.js';
import type { Handler } from './execution.js';
import { fileStatements } from './file-statements.js';
import { logStatements } from './log-statements.js';

const handlers: readonly Handler[] = [...logStatements, ...fileStatements, ...directoryStatements];
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
