import type { SignatureMistake } from './mistakes.js';

// The values that receivers use by mistake. Each is tried, so their number limits how long an explanation takes.

type Mistakes = readonly SignatureMistake[];
/** A value that a receiver may have used, with the mistakes that led to it. */
export type Variant<T> = readonly [value: T, mistakes: Mistakes];

/** For a longer body, fewer texts are tried, and no combinations: each text is a copy of the body, and each is hashed. */
export const MAX_COMBINED_BYTES = 256 * 1024;
/** Times in the body that are tried before it. */
const MAX_TIMES = 4;
/** A shorter beginning of a signature may be a coincidence. */
const MIN_CHARACTERS = 10;
const MIN_BYTES = 8;

export const hashes: readonly Variant<string>[] = [
  ['sha256', []],
  ['sha1', ['sha1']],
  ['sha512', ['sha512']],
];

export const keysOf = (secret: string): Variant<string | Buffer>[] => [
  [secret, []],
  [Buffer.from(secret, 'base64'), ['key_base64_decoded']],
  // Decoders of standard base64 drop the characters that only base64url has.
  [Buffer.from(secret.replace(/[-_]/g, ''), 'base64'), ['key_base64_decoded']],
  ...['\n', '\r\n'].map((end): Variant<string> => [`${secret}${end}`, ['key_newline']]),
  ...['"', "'"].map((quote): Variant<string> => [`${quote}${secret}${quote}`, ['key_quoted']]),
];

/** The body, and the texts that receivers sign instead of it. `times` are those that a receiver may know from elsewhere. */
export function bodiesOf(body: Uint8Array, times: readonly string[]): Variant<Uint8Array>[] {
  const text = Buffer.from(body).toString();
  const isLong = body.length > MAX_COMBINED_BYTES;
  const variants: Variant<string | Buffer>[] = [
    ...parsedTexts(text, isLong ? jsonStyles.slice(0, 1) : jsonStyles),
    ...(isLong ? encodedTexts(text, body).slice(0, 1) : encodedTexts(text, body)),
    ...['\n', '\r\n'].map((end): Variant<string> => [`${text}${end}`, ['trailing_newline']]),
    [text.replace(/\r?\n$/, ''), ['trailing_newline']],
    ['', ['body_empty']],
    ['[object Object]', ['body_object']],
    [JSON.stringify(text), ['body_quoted']],
  ];
  const known = new Set([...times, ...[...text.matchAll(/"timestamp":\s*"?(\d{10,13})\b/g)].map(([, time]) => time!)]);
  for (const time of [...known].slice(0, isLong ? 1 : MAX_TIMES))
    for (const before of isLong ? [`${time}.`] : [`${time}.`, time, `v0:${time}:`, `${time}:`])
      variants.push([`${before}${text}`, ['timestamp_added']]);
  const seen = new Set([Buffer.from(body).toString('latin1')]);
  const different = variants
    .map(([variant, mistakes]): Variant<Buffer> => [Buffer.from(variant as string), mistakes])
    .filter(([variant]) => {
      const key = variant.toString('latin1');
      return !seen.has(key) && seen.add(key);
    });
  return [[body, []], ...different];
}

/** The body parsed as JSON and written again. */
function parsedTexts(text: string, styles: readonly WriteJson[]): Variant<string>[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // It cannot have been parsed.
    return [];
  }
  const variants: Variant<string>[] = [];
  for (const write of styles) {
    for (const spaced of [false, true]) variants.push([spaced ? onOneLine(write(value, 1)) : write(value), ['reserialized']]);
    for (const space of [2, 4, '\t']) variants.push([write(value, space), ['pretty_printed']]);
  }
  return variants;
}

/** The body as a text in another encoding than UTF-8, or as Python prints bytes. */
function encodedTexts(text: string, body: Uint8Array): Variant<string | Buffer>[] {
  const latin1 = Buffer.from(body).toString('latin1');
  return [
    [Buffer.from(text, 'latin1'), ['body_latin1']],
    // A question mark for each UTF-16 unit or for each character, or nothing.
    ...[text.replace(/[^\0-\x7f]/g, '?'), text.replace(/[^\0-\x7f]/gu, '?'), text.replace(/[^\0-\x7f]/g, '')].map(
      (ascii): Variant<string> => [ascii, ['body_ascii']],
    ),
    [Buffer.from(text.replace(/[^\0-\xff]/g, '?'), 'latin1'), ['body_latin1']],
    [Buffer.from(text.replace(/[^\0-\xff]/gu, '?'), 'latin1'), ['body_latin1']],
    // The bytes read as Latin-1 and written as UTF-8.
    [latin1, ['body_latin1']],
    [Buffer.from(text, 'utf16le'), ['body_utf16']],
    [`b'${text}'`, ['body_repr']],
    [pythonBytes(latin1), ['body_repr']],
  ];
}

/** The text of `repr(body)`. */
function pythonBytes(latin1: string): string {
  const quote = latin1.includes("'") && !latin1.includes('"') ? '"' : "'";
  const named: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t', [quote]: `\\${quote}` };
  const hex = (character: string): string => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  const escaped = latin1.replace(
    /[^ -~]|\\|'|"/g,
    (character) => named[character] ?? (/[ -~]/.test(character) ? character : hex(character)),
  );
  return `b${quote}${escaped}${quote}`;
}

type WriteJson = (value: unknown, space?: number | string) => string;

const NOT_ASCII = /[\u007f-\uffff]/g;
const json: WriteJson = (value, space) => JSON.stringify(value, null, space);
const sortedJson: WriteJson = (value, space) => json(sorted(value), space);
const slashed = (text: string): string => text.replaceAll('/', '\\/');

/**
 * How JSON libraries write a value, with keys in their order or sorted: JavaScript, Ruby and Newtonsoft; Python and Gson; PHP with and
 * without its flags; Go, and Rails; .NET.
 */
const jsonStyles: readonly WriteJson[] = [
  json,
  sortedJson,
  (value, space) => escaped(json(value, space), NOT_ASCII),
  (value, space) => escaped(sortedJson(value, space), NOT_ASCII),
  (value, space) => slashed(json(value, space)),
  (value, space) => slashed(escaped(json(value, space), NOT_ASCII)),
  (value, space) => escaped(json(value, space), /[<>&\u2028\u2029]/g),
  (value, space) => escaped(sortedJson(value, space), /[<>&\u2028\u2029]/g),
  (value, space) => escaped(json(value, space), /[<>&='\u2028\u2029]/g),
  (value, space) => withoutQuotes(json(value, space)).replace(/[<>&'+`\u007f-\uffff]/g, (unit) => `\\u${hexOf(unit).toUpperCase()}`),
];

const hexOf = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, '0');
/** Outside of strings JSON has none of these characters, except a plus in a number, which JavaScript writes only above 10^21. */
const escaped = (text: string, characters: RegExp): string => text.replace(characters, (unit) => `\\u${hexOf(unit)}`);
const withoutQuotes = (text: string): string => text.replace(/\\(["\\])/g, (both, character) => (character === '"' ? '\\u0022' : both));

/** Indented JSON on one line, with a space after each comma and colon. Strings contain no line break. */
const onOneLine = (text: string): string => text.replace(/,\n */g, ', ').replace(/\n */g, '');

const sorted = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sorted(part)]),
  );
};

const PREFIX = /^(?:t=\d+,)?(?:hmac-)?(?:sha-?(?:1|256|512)|v0|v1|v1a|hmac)[=,:] */i;

/** The value that was given, without what does not belong to a digest. */
export function givenVariants(given: string): Variant<string>[] {
  const bare = given.replace(PREFIX, '');
  const variants: Variant<string>[] =
    bare === given
      ? [[given, []]]
      : [
          [given, []],
          [bare, ['prefix']],
        ];
  for (const [text, mistakes] of [...variants]) {
    const decoded = /%[0-9a-f]{2}/i.test(text)
      ? text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
      : text.replaceAll(' ', '+');
    if (decoded !== text) variants.push([decoded, [...mistakes, 'url_encoded']]);
  }
  return variants;
}

/** The mistakes of writing a hash as `given`; undefined when `given` is not this hash. */
export function formOf(given: string, hash: Buffer): Mistakes | undefined {
  const base64 = hash.toString('base64');
  if (given === base64) return [];
  const hex = hash.toString('hex');
  if (given.toLowerCase() === hex) return ['hex'];
  const bare = base64.replace(/=+$/, '');
  if (given === bare) return ['no_padding'];
  const url = base64.replaceAll('+', '-').replaceAll('/', '_');
  if (given === url || given === url.replace(/=+$/, '')) return ['base64url'];
  const ofHex = Buffer.from(hex).toString('base64');
  if (given === ofHex || given === Buffer.from(hex.toUpperCase()).toString('base64')) return ['base64_of_hex'];
  if (given.startsWith(bare)) return ['extra_characters'];
  if (given.toLowerCase().startsWith(hex)) return ['hex', 'extra_characters'];
  if (given.length < MIN_CHARACTERS) return undefined;
  if (base64.startsWith(given.replace(/=+$/, ''))) return ['truncated'];
  if (hex.startsWith(given.toLowerCase())) return ['hex', 'truncated'];
  const bytes = Buffer.from(given, 'base64');
  return bytes.length >= MIN_BYTES && bytes.length < hash.length && hash.subarray(0, bytes.length).equals(bytes)
    ? ['truncated']
    : undefined;
}
