/** String literals of at least this length become chunks. Shorter ones cost less inline than as a record. */
const STRING_CHARACTERS = 1024;
/** Objects and lists of at least this length, without the chunks inside them, become chunks. */
const STRUCTURE_CHARACTERS = 4096;

/** Assumed length of a reference to a chunk: lists of many long strings become chunks themselves. */
const REFERENCE_CHARACTERS = 32;

/** A part of JSON text that becomes a chunk: `text.slice(start, end)`. Its nested parts are chunks too. */
export interface LongPart {
  readonly start: number;
  readonly end: number;
  readonly isString: boolean;
  readonly parts: readonly LongPart[];
}

/** A list or object whose end has not been reached. */
interface Open {
  readonly start: number;
  readonly parts: LongPart[];
  /** Characters of its parts, minus those of the references to them. */
  hidden: number;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPENING_BRACKET = 91;
const CLOSING_BRACKET = 93;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

/**
 * Finds the long strings, lists and objects of a JSON text, in order; never the text itself. Equal values give equal parts
 * wherever they occur, so that texts can share them. Expects the output of `JSON.stringify` without spaces.
 */
export function longParts(json: string): readonly LongPart[] {
  if (json.length < STRUCTURE_CHARACTERS) return longStrings(json);
  const root: Open = { start: -1, parts: [], hidden: 0 };
  const above: Open[] = [];
  let open = root;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(json, at);
      if (end - at >= STRING_CHARACTERS) add(open, { start: at, end, isString: true, parts: [] });
      at = end - 1;
    } else if (code === OPENING_BRACE || code === OPENING_BRACKET) {
      above.push(open);
      open = { start: at, parts: [], hidden: 0 };
    } else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) {
      const { start, parts, hidden } = open;
      const end = at + 1;
      open = above.pop()!;
      const isLong = above.length > 0 && end - start - hidden >= STRUCTURE_CHARACTERS;
      if (isLong) add(open, { start, end, isString: false, parts });
      else for (const part of parts) add(open, part);
    }
  }
  return root.parts;
}

/** The parts of a text that is too short for long lists and objects. */
function longStrings(json: string): readonly LongPart[] {
  const parts: LongPart[] = [];
  if (json.length < STRING_CHARACTERS) return parts;
  // A long string does not begin later than this.
  const last = json.length - STRING_CHARACTERS;
  for (let start = json.indexOf('"'); start >= 0 && start <= last; ) {
    const end = endOfString(json, start);
    if (end - start >= STRING_CHARACTERS) parts.push({ start, end, isString: true, parts: [] });
    start = json.indexOf('"', end);
  }
  return parts;
}

function add(open: Open, part: LongPart): void {
  open.parts.push(part);
  open.hidden += part.end - part.start - REFERENCE_CHARACTERS;
}

/** The index after the closing quote of the string that starts at `start`. */
function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); ; quote = json.indexOf('"', quote + 1)) {
    if (quote < 0) throw new SyntaxError('a string of the JSON text does not end');
    let backslashes = 0;
    while (json.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
}
