import { compareValues } from '../../../ports/index-order.js';
import type { IndexValue } from '../../../ports/store.js';

/** Compares the values of two entries of an index. Equal ones are ordered by their keys. */
export function compareValueLists(a: readonly IndexValue[], b: readonly IndexValue[]): number {
  for (let i = 0; i < a.length; i++) {
    const order = compareValues(a[i]!, b[i]!);
    if (order !== 0) return order;
  }
  return 0;
}
