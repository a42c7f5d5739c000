import t from 'tap';
import { lookupsOf, type PartDirectory } from '../../../../../core/adapters/store/cold/lookups.js';

const ROWS = 1_000;
const documents = Array.from({ length: ROWS }, (_, n) => ({
  id: `k${String(n).padStart(4, '0')}`,
  box: 'b',
  seq: n,
  topic: `t${n}`,
  made_at: `${n}`,
}));

/** Bytes of the filter of an index with these fields, and how many leading values are in it. */
function filterOf(fields: readonly string[], isUnique = false): { readonly bytes: number; readonly prefix: number } {
  const rows = { keys: documents.map(({ id }) => id), sizes: documents.map(() => 100) };
  const { bytes, directory } = lookupsOf(documents, rows, { rows: 0, lookups: 0 }, { one: { fields, isUnique } });
  const record = JSON.parse(bytes.subarray(directory).toString()) as [string, PartDirectory];
  const { filter, prefix } = record[1].indexes.one!;
  return { bytes: Buffer.from(filter.bits, 'base64').length, prefix };
}

t.test('a filter has the values that reads ask for: not times and numbers, of which they read ranges', async (t) => {
  t.strictSame(filterOf(['topic', 'seq']), { bytes: 1_250, prefix: 1 });
  t.strictSame(filterOf(['box', 'topic']), { bytes: 1_250, prefix: 2 }, 'the first value is the same in all rows');
  t.strictSame(filterOf(['box', 'seq']), { bytes: 8, prefix: 1 });
  t.strictSame(filterOf(['box', 'made_at']), { bytes: 8, prefix: 1 });
  t.strictSame(filterOf(['seq']), { bytes: 8, prefix: 3 }, 'no read asks an empty filter');
  t.strictSame(filterOf(['made_at']), { bytes: 8, prefix: 3 });
  t.strictSame(filterOf(['box', 'seq'], true), { bytes: 1_750, prefix: 2 }, 'each new document asks a unique index for its values');
});
