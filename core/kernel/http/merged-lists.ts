import type { MergedList } from '../../contract/route.js';

/** A JSON response. */
export type Json = Readonly<Record<string, unknown>>;

/** The value at a path such as `conversation.updated_at`. */
export const valueAt = (entry: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Json | null | undefined)?.[key], entry);

/** Merges several responses into one list in the order of its fields. Entries that are equal in them keep the order of their response. */
export function mergedLists(responses: readonly Json[], { list, by, order }: MergedList, limit: number): Json {
  const sign = order === 'ascending' ? 1 : -1;
  const entries = responses.flatMap((response) => (response[list] as readonly unknown[] | undefined) ?? []);
  const sorted = entries.sort((a, b) => sign * compared(a, b, by));
  return { ...responses[0], [list]: sorted.slice(0, limit) };
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
