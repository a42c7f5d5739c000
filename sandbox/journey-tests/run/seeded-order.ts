import { createHash } from 'node:crypto';

/** Shuffles a list. The same seed gives the same order. */
export function seededOrder<T>(items: readonly T[], seed: string): T[] {
  const keyed = items.map((item, i) => ({ item, key: createHash('sha256').update(`${seed} ${i}`).digest('hex') }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ item }) => item);
}
