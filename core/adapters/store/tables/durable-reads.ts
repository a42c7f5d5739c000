import type { OpenCollection } from '../../../ports/store.js';
import type { Row, Span } from './cells.js';
import { parse } from './shared-documents.js';
import type { Table } from './table.js';
import { assertLimit } from './transaction-run.js';
import type { UnsettledTransactions } from './unsettled.js';

/** Reads a table outside transactions: returns durable data only, and waits for writes in progress. */
export function durableReads(table: Table, unsettled: UnsettledTransactions, assertReadable: () => void): OpenCollection<object> {
  return {
    get: async (key) => {
      if (unsettled.whichChanged(table, key) === 0) {
        assertReadable();
        const row = table.get(key);
        return row && parse(row);
      }
      const row = await durably(
        () => table.get(key),
        () => unsettled.whichChanged(table, key),
      );
      return row && parse(row);
    },
    version: (key) => {
      assertReadable();
      return unsettled.whichChanged(table, key) === 0 ? table.get(key) : undefined;
    },
    getBy: async (index, values) => (await find(table.uniqueSpan(index, values), 1)).map(parse)[0],
    find: async (index, range = {}) => (await find(table.span(index, range), range.limit)).map(parse),
    list: async ({ after, limit } = {}) => (await find(table.keySpan(after), limit)).map(parse),
    count: () =>
      durably(
        () => table.size,
        () => unsettled.whichChangedAny(table),
      ),
    revision: () => {
      assertReadable();
      return table.changes;
    },
  };

  function find(span: Span, limit = Number.POSITIVE_INFINITY): Promise<Row[]> {
    assertLimit(limit);
    return durably(
      () => firstOf(span.rows(), limit),
      () => unsettled.whichChangedIn(table, span),
    );
  }

  /** Returns a result once everything in it is durable; reads again if one of its transactions fails. */
  async function durably<T>(read: () => T, changedBy: () => number): Promise<T> {
    for (;;) {
      assertReadable();
      const found = read();
      const tx = changedBy();
      const settled = unsettled.watch(tx);
      if (!settled || (await settled)) return found;
    }
  }
}

function firstOf(rows: Iterable<Row>, limit: number): Row[] {
  const found: Row[] = [];
  if (limit < 1) return found;
  for (const row of rows) {
    found.push(row);
    if (found.length >= limit) break;
  }
  return found;
}
