import { isList, isMap, type Value, type ValueMap } from './expression/value.js';

/** A part of a rendered template: text of the author, or a printed value. */
export interface TemplatePart {
  readonly text: string;
  readonly isPrinted: boolean;
}

/**
 * Text of contacts inside of requests. While a request is rendered, each character that a contact wrote is replaced by a private one at
 * the same distance, so that functions keep its place; `addressOf` and `bodyOf` then know who wrote what and encode it there.
 */
const MARKED = /[\u{100000}-\u{10fffd}]/gu;
const SIGN = /[\t\n\r/\\?#%&;+=.:@"]/g;
const ANY = /[\0-\ud7ff\ue000-\ufffd]/g;

export type Mark = (text: string) => string;

const markedCharacter = (character: string): string => String.fromCodePoint(0x100000 + character.charCodeAt(0));
const plainCharacter = (marked: string): string => String.fromCharCode((marked.codePointAt(0) ?? 0) - 0x100000);

/** Marks all characters. */
export const markAll: Mark = (text) => text.replace(ANY, markedCharacter);
/** Marks only the characters that separate the parts of an address or of JSON: letters stay readable for functions such as `lower`. */
export const markSigns: Mark = (text) => text.replace(SIGN, markedCharacter);
/** The next letter or digit of the same kind. */
const neighbour = (character: string): string => (/[zZ9]/.test(character) ? { z: 'a', Z: 'A', 9: '0' }[character]! : next(character));
const next = (character: string): string => String.fromCharCode(character.charCodeAt(0) + 1);
/** Marks the signs, and replaces letters and digits by their neighbours: functions such as `lower` change both in the same way. */
export const markNeighbours: Mark = (text) => markSigns(text.replace(/[A-Za-z0-9]/g, neighbour));

/** Marks what differs in an evaluation with `markNeighbours`; undefined if it differs in more than neighbours. */
export function markedByNeighbours(text: string, evaluated: string): string | undefined {
  const [plain, other] = [Array.from(text), Array.from(evaluated)];
  const isTyped = (character: string, at: number): boolean => character !== plain[at];
  const isNeighbour = (character: string, at: number): boolean =>
    unmarked(character) === plain[at] || (/^[A-Za-z0-9]$/.test(plain[at] ?? '') && neighbour(plain[at]!) === character);
  if (plain.length !== other.length || !other.every(isNeighbour)) return undefined;
  return other.map((character, at) => (isTyped(character, at) ? markAll(plain[at]!) : character)).join('');
}

/** The text without marks. */
export const unmarked = (text: string): string => text.replace(MARKED, plainCharacter);

/** Splits a text, whether its characters are marked or not. */
export function splitAt(text: string, separator: string): readonly string[] {
  if (separator === '' || unmarked(text) === text) return text.split(separator);
  const characters = Array.from(text);
  const plain = characters.map(unmarked);
  const sought = Array.from(unmarked(separator));
  const pieces: string[] = [];
  let begin = 0;
  for (let i = 0; i + sought.length <= plain.length; i++) {
    if (sought.some((character, k) => plain[i + k] !== character)) continue;
    pieces.push(characters.slice(begin, i).join(''));
    begin = i + sought.length;
    i = begin - 1;
  }
  return [...pieces, characters.slice(begin).join('')];
}

/** Marks every text in a value. */
export function markedIn(value: Value, mark: Mark): Value {
  if (typeof value === 'string') return mark(value);
  if (isList(value)) return value.map((item) => markedIn(item, mark));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, markedIn(item, mark)])) as ValueMap;
}

/** Escapes the marked characters that end a JSON string, in JSON that was written from marked texts. */
export const withEscapedMarks = (json: string): string =>
  json.replace(MARKED, (marked) => {
    const character = plainCharacter(marked);
    return quoted(character) === character ? marked : quoted(character);
  });

/** Encodes a text as one part of an address. Letters keep their marks, since even encoded text must not choose a host. */
export const urlEncoded = (text: string): string =>
  Array.from(text.replace(/\p{Surrogate}/gu, '\ufffd'), (character) => {
    const plain = unmarked(character);
    const inAddress = encodeURIComponent(plain);
    return inAddress === plain ? character : inAddress;
  }).join('');

const IN_PATH = /[\t\n\r/\\?#%;]/;
const IN_QUERY = /[\t\n\r#&+;=%]/;
const IN_FRAGMENT = /[\t\n\r#%]/;

const escaped = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
const encoded = (text: string, special: RegExp): string =>
  text.replace(MARKED, (marked) => {
    const character = plainCharacter(marked);
    return special.test(character) ? escaped(character) : character;
  });

/** A segment of a path. URLs have no encoding for the segments `.` and `..`: their dots are encoded twice. */
function segmentOf(text: string): string {
  const segment = encoded(text, IN_PATH);
  const isDots = segment !== text && /^(\.|%2e){1,2}$/i.test(segment);
  return isDots ? segment.replace(/\.|%2e/gi, '%252E') : segment;
}

/** The scheme and host as the author wrote them: everything before the path. */
const ORIGIN = /^\s*[a-z][a-z0-9+.-]*:[/\\]*[^/\\?#]*/i;
/** Also characters that cannot be marked, which may be the contact's. */
const BEYOND_BMP = /[\u{10000}-\u{10ffff}]/gu;

/** Marks are of two code units: a text without such characters has none. */
const SURROGATE = /[\ud800-\udfff]/;

/** Encodes the marked characters of an address by their position. Undefined if they would choose the scheme or host. */
export function addressOf(text: string): string | undefined {
  if (!SURROGATE.test(text)) return text;
  const [origin] = ORIGIN.exec(text) ?? [''];
  if (origin.search(BEYOND_BMP) >= 0 || (origin === '' && text !== unmarked(text))) return undefined;
  const [, path = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(text.slice(origin.length)) ?? [];
  const segments = path.split(/([/\\])/).map(segmentOf);
  return origin + segments.join('') + encoded(query, IN_QUERY) + encoded(fragment, IN_FRAGMENT);
}

const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a text is the content of a JSON string as it is. */
const isStringContent = (text: string): boolean => isJson(`"${text}"`);

/**
 * Renders a body. In JSON, a printed value cannot end the string that it is in, and text of a contact outside of a string is a value of its
 * own.
 */
export function bodyOf(parts: readonly TemplatePart[], isForm: boolean): string {
  const text = parts.map(({ text }) => text).join('');
  if (isForm) return encoded(text, IN_QUERY);
  if (!/^\s*["[{]/.test(text)) return unmarked(text);
  const body = jsonOf(parts, outsideString);
  return body === jsonOf(parts, unquoted) || isJson(body) ? body : jsonOf(parts, unquoted);
}

function jsonOf(parts: readonly TemplatePart[], outside: (printed: string) => string): string {
  let isInString = false;
  let body = '';
  for (const { text, isPrinted } of parts) {
    const piece = !isPrinted ? text : isInString ? insideString(text) : outside(text);
    if (!isPrinted || !isInString) isInString = endsInString(piece, isInString);
    body += piece;
  }
  return body;
}

function insideString(printed: string): string {
  // Runs of the contact's own characters are escaped. A value of the author or a service may be escaped already.
  return printed
    .split(/([\u{100000}-\u{10fffd}]+)/u)
    .map((run, i) => (i % 2 === 1 ? quoted(unmarked(run)) : isStringContent(run) ? run : quoted(run)))
    .join('');
}

function outsideString(printed: string): string {
  const plain = unmarked(printed);
  if (printed === '' || printed.replace(BEYOND_BMP, '') !== '') return unquoted(printed);
  return isScalar(plain) ? plain : JSON.stringify(plain);
}

function unquoted(printed: string): string {
  let isInString = false;
  return printed
    .split(/([\u{100000}-\u{10fffd}]+)/u)
    .map((run, i) => {
      if (i % 2 === 1) return isInString ? quoted(unmarked(run)) : unmarked(run);
      isInString = endsInString(run, isInString);
      return run;
    })
    .join('');
}

const isScalar = (text: string): boolean => /^\s*(-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|true|false|null)\s*$/.test(text);

function endsInString(text: string, begins: boolean): boolean {
  let isInString = begins;
  for (const [sign] of text.matchAll(/\\.|"/gs)) if (sign === '"') isInString = !isInString;
  return isInString;
}
