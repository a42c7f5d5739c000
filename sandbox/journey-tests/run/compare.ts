import { isMatcher, type MatcherWord, patternOf } from '../format/index.js';

/** A part that differs from what a test expects, in words and JSON. */
export interface Difference {
  /** Within the compared value, such as `.visit.room` or `[0].method`; empty for the value itself. */
  readonly path: string;
  readonly expected: string;
  readonly received: string;
}

interface How {
  /** Objects have exactly the expected keys. */
  readonly isExact: boolean;
}

const PARTIAL: How = { isExact: false };
const EXACT: How = { isExact: true };

/** Compares a value with an expected value or a matcher. Objects may have more keys than expected. @returns the first difference */
export const difference = (received: unknown, expected: unknown): Difference | undefined => compare(received, expected, '', PARTIAL);

/** Like `difference`, but objects have exactly the expected keys. */
export const exactDifference = (received: unknown, expected: unknown): Difference | undefined => compare(received, expected, '', EXACT);

function compare(received: unknown, expected: unknown, path: string, how: How): Difference | undefined {
  if (received === expected) return undefined;
  // A value with parts, such as that of a choice, counts as its main value, as in texts of a journey.
  if (isObject(received) && received.__value__ !== undefined && (!isObject(expected) || isMatcher(expected)))
    return compare(received.__value__, expected, path, how);
  if (isMatcher(expected)) {
    for (const [word, operand] of Object.entries(expected)) {
      const found = operators[word as MatcherWord](received, operand, path, how);
      if (found) return found;
    }
    return undefined;
  }
  if (Array.isArray(expected))
    return Array.isArray(received) ? inOrder(received, expected, path, how) : differs(path, shown(expected), received);
  if (!isObject(expected) || !isObject(received)) return differs(path, shown(expected), received);
  for (const [key, value] of Object.entries(expected)) {
    const inside = `${path}.${key}`;
    if (!Object.hasOwn(received, key) && !isAbsenceOf(value)) return differs(inside, shown(value), undefined);
    const found = compare(received[key], value, inside, how);
    if (found) return found;
  }
  const more = how.isExact ? Object.keys(received).find((key) => !Object.hasOwn(expected, key)) : undefined;
  return more === undefined ? undefined : { path: `${path}.${more}`, expected: 'no such key', received: shown(received[more]) };
}

const isAbsenceOf = (value: unknown): boolean =>
  isMatcher(value) && (value.absent === true || value.any === false || value.not !== undefined);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const differs = (path: string, expected: string, received: unknown): Difference => ({ path, expected, received: shown(received) });

function inOrder(received: readonly unknown[], expected: readonly unknown[], path: string, how: How): Difference | undefined {
  for (const [i, value] of expected.entries()) {
    if (i >= received.length)
      return { path: `${path}[${i}]`, expected: shown(value), received: `nothing: the list has ${items(received.length)}` };
    const found = compare(received[i], value, `${path}[${i}]`, how);
    if (found) return found;
  }
  if (received.length === expected.length) return undefined;
  return {
    path: `${path}[${expected.length}]`,
    expected: `nothing: the list has ${items(expected.length)}`,
    received: shown(received[expected.length]),
  };
}

const items = (count: number): string => `${count} item${count === 1 ? '' : 's'}`;

type Operator = (received: unknown, operand: unknown, path: string, how: How) => Difference | undefined;

const listed =
  (words: string, check: (received: readonly unknown[], operand: readonly unknown[], how: How) => boolean): Operator =>
  (received, operand, path, how) => {
    const wanted = Array.isArray(operand) ? operand : [operand];
    return Array.isArray(received) && check(received, wanted, how) ? undefined : differs(path, `${words} ${shown(wanted)}`, received);
  };

const operators: Readonly<Record<MatcherWord, Operator>> = {
  equals: (received, operand, path) => compare(received, operand, path, EXACT),
  contains(received, operand, path, how) {
    if (Array.isArray(received)) {
      const missing = (Array.isArray(operand) ? operand : [operand]).find(
        (wanted) => !received.some((item) => !compare(item, wanted, '', how)),
      );
      return missing === undefined ? undefined : differs(path, `a list that contains ${shown(missing)}`, received);
    }
    const missing = (Array.isArray(operand) ? operand : [operand]).find((wanted) => !String(received ?? '').includes(String(wanted)));
    return missing === undefined ? undefined : differs(path, `a text that contains ${shown(missing)}`, received);
  },
  matches: (received, operand, path) =>
    isScalar(received) && patternOf(String(operand)).matcher(String(received)).find()
      ? undefined
      : differs(path, `a text that matches ${String(operand)}`, received),
  not: (received, operand, path, how) =>
    compare(received, operand, path, how) ? undefined : differs(path, `not ${shown(operand)}`, received),
  one_of: (received, operand, path, how) =>
    (Array.isArray(operand) ? operand : [operand]).some((wanted) => !compare(received, wanted, path, how))
      ? undefined
      : differs(path, `one of ${shown(operand)}`, received),
  any: (received, operand, path) =>
    (received !== undefined && received !== null) === (operand !== false)
      ? undefined
      : differs(path, operand === false ? 'no value' : 'any value', received),
  absent: (received, operand, path) =>
    (received === undefined || received === null) === (operand !== false)
      ? undefined
      : differs(path, operand === false ? 'any value' : 'no value', received),
  length(received, operand, path, how) {
    const length =
      typeof received === 'string'
        ? [...received].length
        : isObject(received) || Array.isArray(received)
          ? Object.keys(received).length
          : undefined;
    return compare(length, operand, `${path}.length`, how);
  },
  at_least: (received, operand, path) =>
    Number(received) >= Number(operand) && isScalar(received) ? undefined : differs(path, `at least ${shown(operand)}`, received),
  at_most: (received, operand, path) =>
    Number(received) <= Number(operand) && isScalar(received) ? undefined : differs(path, `at most ${shown(operand)}`, received),
  ordered: (received, operand, path, how) =>
    Array.isArray(received) && Array.isArray(operand)
      ? inOrder(received, operand, path, how)
      : differs(path, `a list like ${shown(operand)}`, received),
  unordered: listed('in any order', (received, wanted, how) => received.length === wanted.length && isMatched(wanted, received, how)),
  subset: listed('only items of', (received, wanted, how) => received.every((item) => wanted.some((one) => !compare(item, one, '', how)))),
  superset: listed('at least', (received, wanted, how) => isMatched(wanted, received, how)),
};

const isScalar = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Whether each wanted value fits an item of its own (augmenting paths: a greedy choice could use up the item that another value needs). */
function isMatched(wanted: readonly unknown[], received: readonly unknown[], how: How): boolean {
  const takenBy = new Map<number, number>();
  const place = (want: number, tried: Set<number>): boolean =>
    received.some((item, at) => {
      if (tried.has(at) || compare(item, wanted[want], '', how)) return false;
      tried.add(at);
      const holder = takenBy.get(at);
      if (holder !== undefined && !place(holder, tried)) return false;
      takenBy.set(at, want);
      return true;
    });
  return wanted.every((_, want) => place(want, new Set()));
}

const MAX_SHOWN = 300;

/** A value as JSON, cut to a length that fits a report. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
