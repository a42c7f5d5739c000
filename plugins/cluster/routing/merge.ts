import type { Json } from '../../../core/kernel/http/merged-lists.js';

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
