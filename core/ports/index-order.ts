import type { IndexValue, Range } from './store.js';

/** Sort before and after every value. Only bounds contain them. */
const LOWEST = Symbol('lowest');
const HIGHEST = Symbol('highest');

type Edge = IndexValue | typeof LOWEST | typeof HIGHEST;

/** The sort key of a document in an index: the values of the index fields, then the document's key. */
export type Entry = readonly Edge[];

/** The range between two edges. No entry equals an edge. */
export interface Bounds {
  readonly low: Entry;
  readonly high: Entry;
}

export function compareEntries(a: Entry, b: Entry): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = compareValues(a[i]!, b[i]!);
    if (order !== 0) return order;
  }
  // Only an edge is longer than the entry it is compared with.
  if (a.length > length) return a[length] === LOWEST ? -1 : 1;
  if (b.length > length) return b[length] === LOWEST ? 1 : -1;
  return 0;
}

export function compareValues(a: Edge, b: Edge): number {
  if (a === b) return 0;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : 1;
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : 1;
  if (typeof a === 'boolean' && typeof b === 'boolean') return a ? 1 : -1;
  return rank(a) - rank(b);
}

/** Compares the values of two entries of an index. Equal ones are ordered by their keys. */
export function compareValueLists(a: readonly IndexValue[], b: readonly IndexValue[]): number {
  for (let i = 0; i < a.length; i++) {
    const order = compareValues(a[i]!, b[i]!);
    if (order !== 0) return order;
  }
  return 0;
}

function rank(value: Edge): number {
  switch (typeof value) {
    case 'boolean':
      return 2;
    case 'number':
      return 3;
    case 'string':
      return 4;
    case 'symbol':
      return value === LOWEST ? 0 : 5;
    default:
      return 1;
  }
}

export const compareKeys = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The edges of a range, in an index whose entries have `length` values. */
export function boundsOf(range: Range, length: number): Bounds {
  const { equals = [], from, after, to, before } = range;
  const edge = (bound: readonly IndexValue[], end: typeof LOWEST | typeof HIGHEST): Entry => {
    if (equals.length + bound.length > length) throw new RangeError(`a bound has more values than the index: ${JSON.stringify(bound)}`);
    return [...equals, ...bound, end];
  };
  const lows = [edge(from ?? [], LOWEST), ...(after ? [edge(after, HIGHEST)] : [])];
  const highs = [edge(to ?? [], HIGHEST), ...(before ? [edge(before, LOWEST)] : [])];
  return {
    low: lows.reduce((a, b) => (compareEntries(a, b) > 0 ? a : b)),
    high: highs.reduce((a, b) => (compareEntries(a, b) < 0 ? a : b)),
  };
}

export const isWithin = (entry: Entry, { low, high }: Bounds): boolean => compareEntries(low, entry) < 0 && compareEntries(entry, high) < 0;
