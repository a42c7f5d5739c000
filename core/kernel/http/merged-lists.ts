import type { MergedList } from '../../contract/route.js';

/** A JSON response. */
export type Json = Readonly<Record<string, unknown>>;

/** The value at a path such as `conversation.updated_at`. */
export const valueAt = (entry: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Json | null | undefined)?.[key], entry);

/** Merges several responses into one list in the order of its fields. Entries that are equal in them keep the order of their response. */
export function mergedLists(responses: readonly Json[], { list, by, order, pages = false }: MergedList, limit: number): Json {
  const sign = order === 'ascending' ? 1 : -1;
  const entries = responses.flatMap((response) => (response[list] as readonly unknown[] | undefined) ?? []);
  const sorted = entries.sort((a, b) => sign * compared(a, b, by));
  if (!pages) return { ...responses[0], [list]: sorted.slice(0, limit) };
  // Beyond the time to which one response has looked back, the others are shown in the next page: it may have newer ones there.
  const ends = responses.filter(({ looked_back_to: at }) => typeof at === 'string') as { looked_back_to: string; next: unknown }[];
  const [nearest] = ends.sort((a, b) => (a.looked_back_to < b.looked_back_to ? 1 : -1));
  const known = nearest ? sorted.filter((entry) => String(valueAt(entry, by[0]!)) >= nearest.looked_back_to) : sorted;
  const page = known.slice(0, limit);
  const last = known.length > limit && page.at(-1);
  return {
    ...responses[0],
    [list]: page,
    looked_back_to: last ? valueAt(last, by[0]!) : (nearest?.looked_back_to ?? null),
    next: last ? `${valueAt(last, by[0]!)}/${valueAt(last, by[1]!)}` : (nearest?.next ?? null),
  };
}

/** The order of two entries by these fields: negative, zero or positive. Missing values come first. */
export function compared(a: unknown, b: unknown, by: readonly string[]): number {
  for (const path of by) {
    const [left, right] = [valueAt(a, path), valueAt(b, path)] as [string | number | undefined, string | number | undefined];
    if (left === right) continue;
    return left === undefined || (right !== undefined && left < right) ? -1 : 1;
  }
  return 0;
}
