import type { IndexValue } from '../../../ports/store.js';
import { decodeInto, type Placing, type StoredColumn } from '../files/part-index.js';
import type { Cell } from './cells.js';
import { inIndexOrder } from './load-index.js';
import type { SortedGroups } from './sorted-groups.js';
import type { UniqueValues } from './unique-values.js';

/** Reads the value of a field of an index, given by its position there. The key field reads as an empty string: documents are in key order. */
export type ValueOf = (cell: Cell, field: number) => IndexValue | undefined;

/** During a load: the index fields of the documents in blocks, which saves parsing them. */
export class LoadedColumns {
  readonly #keyField: string;
  readonly #columns: ReadonlyMap<string, (IndexValue | undefined)[]>;
  /** Documents so far. */
  #size = 0;

  constructor({ key, fields }: Placing) {
    this.#keyField = key;
    this.#columns = new Map(fields.filter((field) => field !== key).map((field) => [field, []]));
  }

  get size(): number {
    return this.#size;
  }

  /** Adds the values of documents, except those that are superseded. All index fields are required. */
  add(fields: Readonly<Record<string, StoredColumn>>, superseded: Uint8Array, documents: number): void {
    for (const [field, column] of this.#columns) decodeInto(column, fields[field]!, superseded);
    this.#size += documents;
  }

  /** The values of an index, given its fields and their positions in the values of a row. */
  valuesOf({ fields, positions }: { readonly fields: readonly string[]; readonly positions: readonly number[] }): ValueOf {
    const columns = fields.map((field) => this.#columns.get(field));
    return (cell, field) => {
      if (cell.row) return cell.row.values[positions[field]!];
      return fields[field] === this.#keyField ? '' : columns[field]![cell.block!.first + cell.at];
    };
  }
}

/** Fills an index with the cells that have all its fields. @param cells all cells, in the order of their keys */
export function fillOrdered(
  rows: SortedGroups<Cell>,
  { fields, deciding }: { readonly fields: number; readonly deciding: number },
  cells: readonly Cell[],
  valueIn: ValueOf,
): void {
  const isIndexed = (cell: Cell): boolean => {
    for (let field = 0; field < fields; field++) if (valueIn(cell, field) === undefined) return false;
    return true;
  };
  rows.fill(
    inIndexOrder(cells.filter(isIndexed), (cell, field) => valueIn(cell, field)!, deciding),
    (cell) => valueIn(cell, 0)!,
  );
}

/** Fills a unique index with the cells that have all its fields. @returns values that two of them have, if there are any */
export function fillUnique(unique: UniqueValues<Cell>, fields: number, cells: Iterable<Cell>, valueIn: ValueOf): IndexValue[] | undefined {
  const values = new Array<IndexValue | undefined>(fields);
  for (const cell of cells) {
    for (let field = 0; field < fields; field++) values[field] = valueIn(cell, field);
    if (!values.includes(undefined) && !unique.addNew(values, cell)) return values as IndexValue[];
  }
  return undefined;
}
