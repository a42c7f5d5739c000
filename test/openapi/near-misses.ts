/** Near misses: valid bodies, each changed in one place. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export interface NearMiss {
  /** Describes the change and its place. */
  readonly what: string;
  readonly body: Json;
  /** The place, if this is one of several values of growing size there, such as texts of growing length. */
  readonly series?: string;
}

type Place = readonly (string | number)[];

/** Lengths at and above the limits of schemas for titles, headers, names, ids and texts. */
const LENGTHS = [
  16, 17, 20, 21, 24, 25, 30, 31, 32, 33, 60, 61, 64, 65, 72, 73, 200, 201, 240, 241, 256, 257, 512, 513, 1024, 1025, 4096, 4097,
];
const COUNTS = [2, 4, 11, 21, 101, 258, 1_001];
const NUMBERS = [-(2 ** 53), -181, -91, -1, 0, 1, 1.5, 23, 91, 1_000, 2 ** 53 - 1, 2 ** 53, 1e308];

/** Values that replace the value of any place. */
const ANYTHING: readonly Json[] = [
  null,
  '',
  ' ',
  '\n',
  'unknown',
  '2027-02-30',
  'http://a b/',
  'http:',
  'ftp://a.test/',
  'https://ann:word@a.test/',
  true,
  [],
  {},
  [null],
  [''],
  { '': [] },
];

/** Changes a body in each place in turn, to values close to the limits of schemas. */
export function nearMissesOf(body: Json): NearMiss[] {
  return placesIn(body).flatMap((place) => {
    const at = valueAt(body, place);
    const name = place.join('.') || 'the body';
    const replaced = (value: Json, as = short(value)): NearMiss => ({ what: `${name} is ${as}`, body: changed(body, place, () => value) });
    const series = (kind: string, sizes: readonly number[], make: (size: number) => Json): NearMiss[] =>
      sizes.map((size) => ({ ...replaced(make(size), `${size} times ${kind}`), series: `${kind} in ${name}` }));
    return [
      ...ANYTHING.map((value) => replaced(value)),
      ...series('one', NUMBERS, (size) => size),
      ...(place.length > 0 && typeof place.at(-1) === 'string' ? [{ what: `${name} is missing`, body: without(body, place) }] : []),
      ...(typeof at === 'string' ? ['x', '1', '\u{1F600}'].flatMap((char) => series(char, LENGTHS, (length) => char.repeat(length))) : []),
      ...(typeof at === 'string' ? [replaced(at.toUpperCase()), replaced(` ${at}`), replaced(`${at}\n`)] : []),
      ...(Array.isArray(at) && at.length > 0
        ? series('its first item', COUNTS, (count) => Array.from({ length: count }, () => at[0] as Json))
        : []),
      ...(isObject(at)
        ? ADDED.map(([key, value]) => replaced({ ...at, [key]: value }, `with ${JSON.stringify(key)}: ${short(value)}`))
        : []),
    ];
  });
}

/**
 * Omits values of a series between two others that the description treats alike. A route with another limit differs at an end of such a
 * range, so the omitted requests, two thirds of all, would find nothing more.
 */
export const atLimits = (misses: readonly NearMiss[], fits: (body: Json) => boolean): NearMiss[] => {
  const alike = misses.map(({ body }) => fits(body));
  const isInside = (i: number): boolean =>
    [i - 1, i + 1].every((other) => misses[other]?.series === misses[i]!.series && alike[other] === alike[i]);
  return misses.filter(({ series }, i) => series === undefined || !isInside(i));
};

const ADDED: readonly (readonly [string, Json])[] = [
  ['x-unknown', 1],
  ['', 'x'],
  ['', Array.from({ length: 300 }, () => 'x')],
  ['k'.repeat(257), 'x'],
];

function placesIn(value: Json, place: Place = []): Place[] {
  const inner = Array.isArray(value) ? value.map((item, i) => [i, item] as const) : isObject(value) ? Object.entries(value) : [];
  return [place, ...inner.flatMap(([step, item]) => placesIn(item as Json, [...place, step]))];
}

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const valueAt = (body: Json, place: Place): Json => place.reduce<Json>((at, step) => (at as Record<string | number, Json>)[step]!, body);

function changed(body: Json, [first, ...rest]: Place, change: (value: Json) => Json): Json {
  if (first === undefined) return change(body);
  if (Array.isArray(body)) return body.map((item, i) => (i === first ? changed(item, rest, change) : item));
  const object = body as Record<string, Json>;
  return { ...object, [first]: changed(object[first]!, rest, change) };
}

function without(body: Json, place: Place): Json {
  return changed(body, place.slice(0, -1), (around) =>
    Object.fromEntries(Object.entries(around as Record<string, Json>).filter(([key]) => key !== place.at(-1))),
  );
}

const short = (value: Json): string => {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
};
