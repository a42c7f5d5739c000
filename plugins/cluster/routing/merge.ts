import type { MergedList } from '../../../core/contract/route.js';

/** A JSON response of a shard. */
export type Json = Readonly<Record<string, unknown>>;

/** The value at a path such as `conversation.updated_at`. */
export const valueAt = (entry: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Json | null | undefined)?.[key], entry);

/** Merges the responses of shards into one list in the order of its fields. Entries that are equal in them keep the order of their shard. */
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

/** Adds numbers, joins lists, and is true where one response is; other values are those of the first response. */
export function summed(responses: readonly Json[]): Json {
  return responses.reduce((sum, response) =>
    Object.fromEntries(Object.entries(sum).map(([key, value]) => [key, plus(value, response[key])])),
  );
}

function plus(a: unknown, b: unknown): unknown {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (typeof a === 'boolean' && typeof b === 'boolean') return a || b;
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
  return a;
}

/** Metrics of several platforms of one process, each with a label for its shard; the description of a metric appears once. */
export function labelledMetrics(texts: ReadonlyMap<string, string>): string {
  const families = new Map<string, { readonly about: string[]; readonly samples: string[] }>();
  for (const [shard, text] of texts) {
    let family: { readonly about: string[]; readonly samples: string[] } | undefined;
    for (const line of text.split('\n')) {
      const [, name] = /^# (?:HELP|TYPE) (\S+)/.exec(line) ?? [];
      if (name !== undefined) {
        const known = families.get(name);
        family = known ?? { about: [], samples: [] };
        if (!known) families.set(name, family);
        if (!family.about.includes(line)) family.about.push(line);
      } else if (line !== '') {
        family?.samples.push(
          line.replace(/^(\w+)(?:\{(.*)\})? /, (_, metric, labels) => `${metric}{shard="${shard}"${labels ? `,${labels}` : ''}} `),
        );
      }
    }
  }
  return [...families.values()].map(({ about, samples }) => [...about, ...samples, ''].join('\n')).join('\n');
}
