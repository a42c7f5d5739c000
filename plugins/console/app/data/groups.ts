const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Bins of a histogram. */
export const BARS = 48;

/** A row of a list: an item, or a group of equal items, of which it shows the newest. */
export interface Entry<T> {
  readonly key: string;
  readonly item: T;
  /** Those of a group, newest first; undefined for an item. */
  readonly members?: readonly T[];
  readonly isOpen?: boolean;
  /** Whether it is one of an open group, below it. */
  readonly isMember?: boolean;
}

interface Grouping<T> {
  readonly keyOf: (item: T) => string;
  /** Items with the same text are equal. */
  readonly sameness: (item: T) => string;
  /** The keys of groups that show their members. */
  readonly open: ReadonlySet<string>;
}

/** Items, newest first, with equal ones as a group, in the order of the newest of each. */
export function grouped<T>(items: readonly T[], { keyOf, sameness, open }: Grouping<T>): Entry<T>[] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const known = groups.get(sameness(item));
    if (known) known.push(item);
    else groups.set(sameness(item), [item]);
  }
  return [...groups].flatMap(([text, members]): Entry<T>[] => {
    if (members.length === 1) return [{ key: keyOf(members[0]!), item: members[0]! }];
    const key = `group ${text}`;
    const isOpen = open.has(key);
    const shown = isOpen ? members.map((item) => ({ key: keyOf(item), item, isMember: true })) : [];
    return [{ key, item: members[0]!, members, isOpen }, ...shown];
  });
}

/** How often something happens, such as `[3, 'min']` for three per minute; undefined if it happened at one moment. */
export function rateOf(count: number, ms: number): readonly [count: number, unit: 's' | 'min' | 'h'] | undefined {
  if (ms <= 0) return undefined;
  // Between n events there are n - 1 gaps.
  const perMs = (count - 1) / ms;
  const [unit, per] =
    (
      [
        ['s', SECOND],
        ['min', MINUTE],
      ] as const
    ).find(([, length]) => perMs * length >= 1) ?? (['h', HOUR] as const);
  const rate = perMs * per;
  return [rate >= 10 ? Math.round(rate) : Math.round(rate * 10) / 10, unit];
}

/** Counts of times in bins of equal length, from the first time to just after the last, in milliseconds since 1970. */
export function binned(times: readonly number[]): { readonly first: number; readonly span: number; readonly counts: readonly number[] } {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const time of times) [first, last] = [Math.min(first, time), Math.max(last, time)];
  const span = Math.max(last - first + 1, BARS);
  const counts = new Array<number>(BARS).fill(0);
  for (const time of times) counts[Math.floor(((time - first) / span) * BARS)]!++;
  return { first, span, counts };
}
