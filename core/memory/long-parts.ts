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
const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);

/**
 * Finds the long strings, lists and objects of a JSON text, in order; never the text itself. Equal values give equal parts
 * wherever they occur, so that texts can share them. Expects the output of `JSON.stringify` without spaces.
 */
export function longParts(json: string): readonly LongPart[] {
  if (json.length < STRING_CHARACTERS) return [];
  const root: Open = { start: -1, parts: [], hidden: 0 };
  const above: Open[] = [];
  let open = root;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(json, at);
      if (end - at >= STRING_CHARACTERS) add(open, { start: at, end, isString: true, parts: [] });
      at = end - 1;
    } else if (OPENING.has(code)) {
      above.push(open);
      open = { start: at, parts: [], hidden: 0 };
    } else if (CLOSING.has(code)) {
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
