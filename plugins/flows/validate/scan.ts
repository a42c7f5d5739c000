import { type JsonKind, JsonNode, type JsonPlace } from './json-node.js';

export const MAX_DEPTH = 64;
/** Bounds memory: each value takes about 100 bytes. Real flows have far fewer. */
export const MAX_VALUES = 2_000_000;
/** From this number of members on, a map finds a duplicate key faster than a linear search. */
const MANY_MEMBERS = 16;

export interface Scanned {
  readonly root: JsonNode;
  /** Members whose key occurred earlier in the same object. */
  readonly duplicates: readonly JsonNode[];
}

/** The text is not JSON, is nested too deeply or has too many values. */
export interface ScanFailure {
  readonly problem: string;
  readonly offset: number;
}

const code = (character: string): number => character.charCodeAt(0);
const QUOTE = code('"');
const BACKSLASH = code('\\');
const COMMA = code(',');
const COLON = code(':');
const OPEN_OBJECT = code('{');
const CLOSE_OBJECT = code('}');
const OPEN_ARRAY = code('[');
const CLOSE_ARRAY = code(']');
const ESCAPES = '"\\/bfnrtu';
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const HEX = /[0-9a-fA-F]{4}/y;
const WORD = /[A-Za-z]+/y;
const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/**
 * Parses JSON into nodes with positions. Hand-written, because the parsers on npm recurse, overflow the stack on nested arrays and are
 * several times slower. Accepts the same texts as JSON.parse, up to 64 levels, without recursion.
 */
export function scan(text: string): Scanned | ScanFailure {
  return new Scan(text).run();
}

class Unreadable {
  readonly problem: string;
  readonly offset: number;
  constructor(problem: string, offset: number) {
    this.problem = problem;
    this.offset = offset;
  }
}

class Scan {
  readonly #text: string;
  readonly #duplicates: JsonNode[] = [];
  readonly #place: JsonPlace = { parent: undefined, key: '', keyStart: -1, keyEnd: -1, index: -1 };
  /** By depth: the keys of open objects that have many members. */
  readonly #keys: (Map<string, number> | undefined)[] = [];
  #at = 0;
  #depth = 0;
  #values = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): Scanned | ScanFailure {
    try {
      const root = this.#document();
      return { root, duplicates: this.#duplicates };
    } catch (error) {
      if (error instanceof Unreadable) return { problem: error.problem, offset: error.offset };
      throw error;
    }
  }

  #document(): JsonNode {
    this.#blank();
    if (this.#at >= this.#text.length) throw new Unreadable('the text is empty', 0);
    const root = this.#value();
    let open: JsonNode | undefined = isOpen(root) ? root : undefined;
    while (open) open = this.#next(open);
    this.#blank();
    if (this.#at < this.#text.length) throw this.#unexpected('the end of the text');
    return root;
  }

  /** Reads the next member or item, or the end, of the open container. @returns the container that is open afterwards */
  #next(open: JsonNode): JsonNode | undefined {
    const { items } = open;
    const isObject = open.kind === 'object';
    const close = isObject ? CLOSE_OBJECT : CLOSE_ARRAY;
    this.#blank();
    let char = this.#text.charCodeAt(this.#at);
    if (char === close) return this.#close(open);
    if (items.length > 0) {
      if (char !== COMMA) throw this.#unexpected(isObject ? "',' or '}'" : "',' or ']'");
      const comma = this.#at++;
      this.#blank();
      char = this.#text.charCodeAt(this.#at);
      if (char === close) throw new Unreadable(`there is a comma before '${isObject ? '}' : ']'}'`, comma);
    }
    const place = this.#place;
    place.parent = open;
    const duplicateAt = isObject ? this.#key(char, items) : -1;
    if (!isObject) {
      place.key = '';
      place.keyStart = place.keyEnd = -1;
      place.index = items.length;
    }
    const node = this.#value();
    if (duplicateAt < 0) items.push(node);
    else {
      this.#duplicates.push(node);
      items[duplicateAt] = node;
    }
    return isOpen(node) ? node : open;
  }

  #close(open: JsonNode): JsonNode | undefined {
    open.end = ++this.#at;
    this.#keys[this.#depth--] = undefined;
    return open.parent;
  }

  /** Reads a key and its colon. @returns the index of an earlier member with this key, or -1 */
  #key(char: number, items: readonly JsonNode[]): number {
    if (char !== QUOTE) throw this.#unexpected('a key in double quotes');
    const place = this.#place;
    place.keyStart = this.#at;
    place.key = this.#string();
    place.keyEnd = this.#at;
    place.index = -1;
    const { key } = place;
    this.#blank();
    if (this.#text.charCodeAt(this.#at) !== COLON) throw this.#unexpected("':'");
    this.#at++;
    this.#blank();
    if (items.length >= MANY_MEMBERS) return this.#known(key, items);
    for (let i = 0; i < items.length; i++) if (items[i]!.key === key) return i;
    return -1;
  }

  #known(key: string, items: readonly JsonNode[]): number {
    let keys = this.#keys[this.#depth];
    if (!keys) {
      keys = new Map(items.map((item, index) => [item.key, index]));
      this.#keys[this.#depth] = keys;
    }
    const known = keys.get(key);
    if (known !== undefined) return known;
    keys.set(key, items.length);
    return -1;
  }

  /** Reads a value; of an object or array only the opening bracket. */
  #value(): JsonNode {
    const start = this.#at;
    const char = this.#text.charCodeAt(start);
    if (++this.#values > MAX_VALUES) throw new Unreadable(`the text has more than ${MAX_VALUES} values`, start);
    if (char === QUOTE) {
      const value = this.#string();
      return new JsonNode('string', start, this.#at, this.#place, value);
    }
    if (char === OPEN_OBJECT || char === OPEN_ARRAY) {
      if (++this.#depth > MAX_DEPTH) throw new Unreadable(`the text is nested more than ${MAX_DEPTH} levels deep`, start);
      this.#at++;
      const node = new JsonNode(char === OPEN_OBJECT ? 'object' : 'array', start, start, this.#place, null);
      node.items = [];
      return node;
    }
    const number = match(NUMBER, this.#text, start);
    if (number !== undefined) {
      this.#at += number.length;
      return new JsonNode('number', start, this.#at, this.#place, Number(number));
    }
    const word = match(WORD, this.#text, start);
    const literal = word === undefined ? undefined : WORDS.get(word);
    if (word === undefined || literal === undefined) throw this.#unexpected('a value');
    this.#at += word.length;
    const kind: JsonKind = literal === null ? 'null' : 'boolean';
    return new JsonNode(kind, start, this.#at, this.#place, literal);
  }

  #string(): string {
    const text = this.#text;
    const start = this.#at;
    let hasEscape = false;
    for (let at = start + 1; ; at++) {
      const char = text.charCodeAt(at);
      if (char === QUOTE) {
        this.#at = at + 1;
        return hasEscape ? (JSON.parse(text.slice(start, at + 1)) as string) : text.slice(start + 1, at);
      }
      if (char === BACKSLASH) {
        hasEscape = true;
        at = this.#escape(at);
      } else if (char < 32) throw new Unreadable(`a string contains the control character ${charName(char)}, which must be escaped`, at);
      else if (at >= text.length) throw new Unreadable('a string does not end', start);
    }
  }

  /** @returns the offset of the last character of an escape that begins here */
  #escape(at: number): number {
    const letter = this.#text[at + 1];
    if (letter === undefined) return at;
    if (!ESCAPES.includes(letter)) throw new Unreadable(`a string contains '\\${letter}', which is not a JSON escape`, at);
    if (letter !== 'u') return at + 1;
    if (match(HEX, this.#text, at + 2) === undefined) throw new Unreadable("'\\u' must be followed by four hexadecimal digits", at);
    return at + 5;
  }

  #blank(): void {
    for (;;) {
      const char = this.#text.charCodeAt(this.#at);
      if (char !== 32 && char !== 10 && char !== 13 && char !== 9) return;
      this.#at++;
    }
  }

  #unexpected(expected: string): Unreadable {
    const at = this.#at;
    const found = this.#text.codePointAt(at);
    if (found === undefined) return new Unreadable(`expected ${expected}, but the text ends`, Math.max(0, this.#text.length - 1));
    const isComment = /^\/[/*]/.test(this.#text.slice(at, at + 2));
    if (isComment) return new Unreadable('JSON has no comments', at);
    return new Unreadable(`expected ${expected}, found ${charName(found)}`, at);
  }
}

const isOpen = (node: JsonNode): boolean => node.kind === 'object' || node.kind === 'array';

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** A character for a message: itself if printable, else as `U+0000`. */
const charName = (char: number): string => {
  const shown = String.fromCodePoint(char);
  return /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(shown) ? `'${shown}'` : `U+${char.toString(16).toUpperCase().padStart(4, '0')}`;
};
