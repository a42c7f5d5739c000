import fc from 'fast-check';
import type { Route } from '#core';
import { type FittingOptions, fitting, type Known } from './fitting.js';
import { type Json, mutated, mutations, words } from './mutations.js';
import type { World } from './world.js';

export interface FuzzRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string;
}

const segment = (value: string): string => encodeURIComponent(Buffer.from(value).toString()).replaceAll('.', '%2E') || '%20';
const text = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Requests to a route. Most match its schemas, some are mutated in up to three places, some have a wrong token. */
export function requestsTo({ path, route }: { path: string; route: Route }, { known, tokens, adminKey }: World): fc.Arbitrary<FuzzRequest> {
  const { method, numbers, auth = 'bearer', request: { query, payload } = {}, body } = route;
  const parts = path.slice(1).split('/');
  const filled = fc.tuple(
    ...parts.map((part, i) => (part.startsWith('{') ? parameter(part, parts[i - 1] ?? '', known) : fc.constant(part))),
  );
  const right = path.startsWith('/admin/') ? adminKey : tokens[numbers?.[0] ?? 'network'];
  const token = fc.oneof(
    { weight: 12, arbitrary: fc.constant(right) },
    { weight: 1, arbitrary: fc.constantFrom(...Object.values(tokens), 'unknown') },
  );
  const fits = (schema: Parameters<typeof fitting>[0] | undefined, options?: FittingOptions): fc.Arbitrary<Json> =>
    schema ? fitting(schema, known, options) : fc.constant({});
  const changed = (value: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
    fc.oneof(
      { weight: 2, arbitrary: value },
      { weight: 1, arbitrary: fc.tuple(value, mutations).map(([fitting, changes]) => changes.reduce<Json>(mutated, fitting)) },
    );
  const bodies = fc.oneof(
    { weight: 20, arbitrary: changed(fits(payload, { hasNulls: true })).map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: words },
  );
  return fc
    .record({ filled, token, query: changed(fits(query)), payload: method === 'GET' ? fc.constant(undefined) : bodies })
    .map(({ filled, token, query, payload }) => {
      const pairs = typeof query === 'object' && query !== null && !Array.isArray(query) ? Object.entries(query) : [];
      const search = pairs.map(([key, value]) => `${segment(key)}=${segment(text(value as Json))}`).join('&');
      return {
        method,
        url: `/${filled.join('/')}${search === '' ? '' : `?${search.slice(0, 8_000)}`}`,
        headers: {
          ...(auth !== 'none' && { authorization: `Bearer ${token}` }),
          ...(payload !== undefined && { 'content-type': body === 'bytes' ? 'image/png' : 'application/json' }),
        },
        ...(payload !== undefined && { payload }),
      };
    });
}

/** The value of a path parameter: mostly an existing id, found by the parameter's name or the path segment before it. */
function parameter(part: string, before: string, known: Known): fc.Arbitrary<string> {
  const name = part.replace(/[{}*?]/g, '');
  const there = [...known(name), ...known(before)];
  return fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...(there.length > 0 ? there : ['name'])) },
    { weight: 1, arbitrary: words.map((word) => segment(word.slice(0, 500))) },
  );
}
