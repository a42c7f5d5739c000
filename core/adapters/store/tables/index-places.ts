import { compareValues, type Entry } from '../../../ports/index-order.js';
import type { IndexValue } from '../../../ports/store.js';
import type { Row } from './cells.js';

/** The position of the key among the values of a row. */
export const KEY_AT = 0;

/** The places of rows in an index: ordered by the values of its fields, then by the key. */
export class IndexPlaces {
  /** The position of each field, and then of the key, among the values of a row. */
  readonly positions: readonly number[];

  /** @param placing the fields of a row's values, in order */
  constructor(fields: readonly string[], placing: readonly string[]) {
    this.positions = [...fields.map((field) => placing.indexOf(field)), KEY_AT];
  }

  /** Whether a row is in the index: it has all fields. */
  has({ values }: Row): boolean {
    for (const at of this.positions) if (values[at] === undefined) return false;
    return true;
  }

  isSame({ values: a }: Row, { values: b }: Row): boolean {
    for (const at of this.positions) if (a[at] !== b[at]) return false;
    return true;
  }

  /** The values in a unique index. */
  unique({ values }: Row): IndexValue[] {
    // Allocated at its final length: a growing array takes several times the memory.
    const unique = new Array<IndexValue>(this.positions.length - 1);
    for (let i = 0; i < unique.length; i++) unique[i] = values[this.positions[i]!]!;
    return unique;
  }

  compare({ values: a }: Row, { values: b }: Row): number {
    for (const at of this.positions) {
      const order = compareValues(a[at]!, b[at]!);
      if (order !== 0) return order;
    }
    return 0;
  }

  /** Compares a row with the edge of a range, which it never equals. */
  compareTo({ values }: Row, edge: Entry): number {
    for (let i = 0; i < edge.length; i++) {
      // After the key, only the end of an edge is left: it sorts before or after every value.
      const order = compareValues(i < this.positions.length ? values[this.positions[i]!]! : '', edge[i]!);
      if (order !== 0) return order;
    }
    return 0;
  }
}
