import type { MergedList } from '../../contract/route.js';

/** A JSON response. */
export type Json = Readonly<Record<string, unknown>>;

/** The value at a path such as `conversation.updated_at`. */
export const valueAt = (entry: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Json | null | undefined)?.[key], entry);

/** Merges several responses into one list in the order of its fields. Entries that are equal in them keep the order of their response. */
export function mergedLists(responses: readonly Json[], merged: MergedList, limit: number): Json {
  const { list, by, order, pages = false, kinds } = merged;
  if (kinds !== undefined) return mergedKinds(responses, { ...merged, kinds }, limit);
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

interface Page {
  readonly kind: string;
  readonly looked_back_to: string | null;
  readonly next: string | null;
}

/** The same for several kinds in one list. Each is in the order of its places, so that a place of one response is one of the others, too. */
function mergedKinds(responses: readonly Json[], { list, by, kinds }: MergedList & { readonly kinds: string }, limit: number): Json {
  const byId = responses.filter(({ is_id: isId }) => isId === true);
  const counted = byId.length > 0 ? byId : responses;
  const placeOf = (entry: Json): string => by.map((path) => valueAt(entry, path)).join('/');
  const entries = counted.flatMap((response) => response[list] as readonly Json[]).sort((a, b) => -compared(a, b, by));
  const pages = counted.flatMap((response) => response[kinds] as readonly Page[]);
  const merged = [...new Set(pages.map(({ kind }) => kind))].map((kind) => {
    const own = pages.filter((page) => page.kind === kind);
    const nearest = greatest(own.map(({ next }) => next));
    const known = entries.filter((entry) => entry.kind === kind && (nearest === null || placeOf(entry) >= nearest));
    const shown = known.slice(0, limit);
    const last = known.length > limit ? shown.at(-1) : undefined;
    const lookedBackTo = greatest([...own.map((page) => page.looked_back_to), last ? String(valueAt(last, by[0]!)) : null]);
    return { shown, page: { kind, looked_back_to: lookedBackTo, next: last ? placeOf(last) : nearest } };
  });
  return { ...counted[0], [list]: merged.flatMap(({ shown }) => shown), [kinds]: merged.map(({ page }) => page) };
}

const greatest = (values: readonly (string | null)[]): string | null =>
  values.reduce((most, value) => (value !== null && (most === null || value > most) ? value : most), null);

/** The order of two entries by these fields: negative, zero or positive. Missing values come first. */
export function compared(a: unknown, b: unknown, by: readonly string[]): number {
  for (const path of by) {
    const [left, right] = [valueAt(a, path), valueAt(b, path)] as [string | number | undefined, string | number | undefined];
    if (left === right) continue;
    return left === undefined || (right !== undefined && left < right) ? -1 : 1;
  }
  return 0;
}
