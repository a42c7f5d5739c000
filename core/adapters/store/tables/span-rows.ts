import type { Row } from './cells.js';

/** The first rows of a span. */
export function firstOf(rows: Iterable<Row>, limit: number): Row[] {
  const found: Row[] = [];
  if (limit < 1) return found;
  for (const row of rows) {
    found.push(row);
    if (found.length >= limit) break;
  }
  return found;
}

export function assertLimit(limit: number): void {
  if (Number.isNaN(limit) || limit < 0) throw new RangeError(`a limit is a number of documents, not ${limit}`);
}
