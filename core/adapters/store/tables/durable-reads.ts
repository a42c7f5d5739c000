import type { OpenCollection } from '../../../ports/store.js';
import { assertLimit, firstOf, type Row, type Span } from './cells.js';
import { type ColdSpan, ColdTable } from './cold-table.js';
import { parse } from './shared-documents.js';
import type { Table } from './table.js';
import type { UnsettledTransactions } from './unsettled.js';

/** Reads a table outside transactions: returns durable data only, and waits for writes in progress. */
export function durableReads(table: Table, unsettled: UnsettledTransactions, assertReadable: () => void): OpenCollection<object> {
  const cold = table instanceof ColdTable ? table : undefined;
  const readKey = (key: string) => (cold ? cold.read(key) : table.get(key));
  return {
    get: async (key) => {
      if (unsettled.whichChanged(table, key) === 0) {
        assertReadable();
        const read = readKey(key);
        const row = read instanceof Promise ? await read : read;
        return row && parse(row);
      }
      const row = await durably(
        () => readKey(key),
        () => unsettled.whichChanged(table, key),
      );
      return row && parse(row);
    },
    ...(!cold && {
      version: (key: string) => {
        assertReadable();
        return unsettled.whichChanged(table, key) === 0 ? table.get(key) : undefined;
      },
    }),
    getBy: async (index, values) => {
      const span = table.uniqueSpan(index, values);
      const row = await durably(
        () => (cold ? cold.readBy(index, values) : table.getBy(index, values)),
        () => unsettled.whichChangedIn(table, span),
      );
      return row && parse(row);
    },
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
      () => (cold ? cold.rowsIn(span as ColdSpan, limit) : firstOf(span.rows(), limit)),
      () => unsettled.whichChangedIn(table, span),
    );
  }

  /** Returns a result once everything in it is durable; reads again if one of its transactions fails. */
  async function durably<T>(read: () => Promise<T> | T, changedBy: () => number): Promise<T> {
    for (;;) {
      assertReadable();
      const reading = read();
      const settled = unsettled.watch(changedBy());
      const found = reading instanceof Promise ? await reading : reading;
      if (!settled || (await settled)) return found;
    }
  }
}
