import type { IndexValue } from '../../../ports/store.js';

/** The fields of a collection that a start needs without parsing the documents: the key and all fields of its indexes. */
export interface Placing {
  readonly key: string;
  readonly fields: readonly string[];
  /** Set for a collection whose parts stay on disk: a part then has look-ups for these indexes. */
  readonly lookups?: DeclaredIndexes;
}

/** The indexes of a collection; the keys are their names. */
export interface DeclaredIndexes {
  readonly [name: string]: { readonly fields: readonly string[]; readonly isUnique: boolean };
}

/** The values of a field in all rows of a part; undefined where a document does not have the field. */
export type Column = readonly (IndexValue | undefined)[];

/** A column on disk: one value for all rows (none if they have no value), a list of values with their positions per row, or each value. */
export type StoredColumn =
  | { readonly same?: IndexValue }
  | { readonly values: readonly IndexValue[]; readonly rows: readonly number[] }
  | { readonly each: readonly IndexValue[] };

/** The index of a part: what is needed to find its rows without reading them. */
export interface PartIndex {
  readonly keys: readonly string[];
  /** Bytes of each record. */
  readonly sizes: readonly number[];
  /** By field; missing if the documents do not fit the declared collection, which a start then reports. */
  readonly fields?: Readonly<Record<string, StoredColumn>>;
}

/** Position of a missing value. */
const NONE = -1;
/** Above this share of distinct values, positions would save nothing. */
const MAX_DISTINCT_SHARE = 0.5;

/** Whether parsed documents have these keys, and in the fields of indexes only values that an index can order. */
export function isPlaceable(documents: readonly Fields[], keys: readonly string[], { key, fields }: Placing): boolean {
  if (documents.some((document, i) => document[key] !== keys[i])) return false;
  return fields.every((field) => documents.every((document) => typeof document[field] !== 'object' || document[field] === null));
}

/** The columns of placeable documents. */
export function columnsOf(documents: readonly Fields[], { key, fields }: Placing): Record<string, StoredColumn> {
  const columns: Record<string, StoredColumn> = {};
  for (const field of fields) if (field !== key) columns[field] = columnOf(documents.map((document) => document[field]) as Column);
  return columns;
}

type Fields = Readonly<Record<string, unknown>>;

/** A column as it is stored. */
export function columnOf(column: Column): StoredColumn {
  const positions = new Map<IndexValue, number>();
  const rows = column.map((value) => {
    if (value === undefined) return NONE;
    const known = positions.get(value) ?? positions.size;
    positions.set(value, known);
    return known;
  });
  const values = [...positions.keys()];
  if (values.length === 0) return {};
  const isComplete = !rows.includes(NONE);
  if (isComplete && values.length === 1) return { same: values[0]! };
  if (isComplete && values.length > MAX_DISTINCT_SHARE * rows.length) return { each: column as readonly IndexValue[] };
  return { values, rows };
}

/** Appends the values of the rows that are not superseded to `into`. */
export function decodeInto(into: (IndexValue | undefined)[], column: StoredColumn, superseded: Uint8Array): void {
  for (let row = 0; row < superseded.length; row++) {
    if (superseded[row] === 1) continue;
    if ('each' in column) into.push(column.each[row]);
    else if ('rows' in column) into.push(column.values[column.rows[row]!]);
    else into.push(column.same);
  }
}
