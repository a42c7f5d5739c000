import fc from 'fast-check';
import { codePoint } from './code-point.js';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Strings that code may treat as special. */
const loaded = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'length',
  'then',
  '$where',
  '../../etc/passwd',
  '@contact.name',
  '@(1/0)',
  'null',
  'undefined',
  'NaN',
  '-1',
  '1e999',
  '\u0000',
  '\ud800',
  '\u202e\u200b',
  'https://a.test/%zz',
  '2027-02-31T25:61:61Z',
  '2027-03-01T10:00:00+02',
  '',
  ' ',
);
export const words = fc.oneof(
  { weight: 5, arbitrary: loaded },
  { weight: 5, arbitrary: fc.string({ unit: codePoint, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constant('x'.repeat(5_000)) },
);
export const leaves: fc.Arbitrary<Json> = fc.oneof(
  words,
  fc.constantFrom<Json>(null, true, false, 0, -0, -1, 1.5, 1e308, 2 ** 53, [], {}, [[]], { type: {} }),
  fc.integer(),
);
export const anyJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaves,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(words, tie('value'), { maxKeys: 4 }),
  ),
})).value;

/** The paths of all values in a body, the body itself first. */
const placesIn = (value: Json, place: readonly string[] = []): (readonly string[])[] => [
  place,
  ...(typeof value === 'object' && value !== null ? Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...place, key])) : []),
];

interface Mutation {
  readonly place: number;
  readonly how: 'replace' | 'remove' | 'add' | 'wrap' | 'repeat';
  readonly key: string;
  readonly value: Json;
}
export const mutations = fc.array(
  fc.record<Mutation>({
    place: fc.nat(),
    how: fc.constantFrom('replace', 'replace', 'remove', 'add', 'wrap', 'repeat'),
    key: words,
    value: fc.oneof(leaves, anyJson),
  }),
  { maxLength: 3 },
);

export function mutated(body: Json, { place, how, key, value }: Mutation): Json {
  const places = placesIn(body);
  return changedAt(body, places[place % places.length]!);

  function changedAt(current: Json, [first, ...rest]: readonly string[]): Json {
    if (first === undefined) {
      if (how === 'wrap') return [current];
      if (how === 'repeat') return Array.from({ length: 200 }, () => current);
      if (how === 'add' && typeof current === 'object' && current !== null && !Array.isArray(current)) return withKey(current, key, value);
      return value;
    }
    if (Array.isArray(current)) return current.map((inner, i) => (String(i) === first ? changedAt(inner, rest) : inner));
    const { [first]: inner, ...others } = current as { readonly [key: string]: Json };
    return how === 'remove' && rest.length === 0 ? others : withKey(others, first, changedAt(inner!, rest));
  }
}

/** Sets a key, even `__proto__`, as an own property. */
const withKey = (body: object, key: string, value: Json): Json => Object.fromEntries([...Object.entries(body), [key, value]]);
