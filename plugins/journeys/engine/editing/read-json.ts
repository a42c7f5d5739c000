import { createRequire } from 'node:module';
import type { Location } from 'jsonc-parser';
import type { Json } from '#core/basics';

/** More than a definition may have. */
const MAX_DEPTH = 200;

type Parser = typeof import('jsonc-parser');
let parser: Parser | undefined;
/** Its ES module does not load in Node; loaded when it is first needed. */
const jsonc = (): Parser => (parser ??= createRequire(import.meta.url)('jsonc-parser') as Parser);

/** A text that need not be JSON, and what is at an offset of it. */
export interface ReadAt {
  /** As much as can be read. */
  readonly value: Json | undefined;
  /** The keys and indexes that lead to the place; the last one is the key that is being written, if one is. */
  readonly path: Location['path'];
  readonly isKey: boolean;
  /** The text to replace: the rest of a quoted text, or a word. */
  readonly from: number;
  readonly to: number;
  /** Whether the place is within quotes. */
  readonly isQuoted: boolean;
}

/** Undefined if nothing can be written at the offset, or the text is nested too deeply. */
export function readAt(json: string, offset: number): ReadAt | undefined {
  // The parser is recursive.
  if (depthOf(json) > MAX_DEPTH) return undefined;
  const { path, isAtPropertyKey: isKey, previousNode } = jsonc().getLocation(json, offset);
  const place = textAt(json, offset, previousNode) ?? wordAt(json, offset, isKey);
  return place && { value: jsonc().parse(json, [], { allowTrailingComma: true }) as Json | undefined, path, isKey, ...place };
}

type Range = Pick<ReadAt, 'from' | 'to' | 'isQuoted'>;

function textAt(json: string, offset: number, node: Location['previousNode']): Range | undefined {
  if (!node || json[node.offset] !== '"' || offset <= node.offset) return undefined;
  const end = node.offset + node.length;
  const isClosed = node.length > 1 && /(?<!\\)(?:\\\\)*"$/.test(json.slice(node.offset + 1, end));
  if (offset > end || (isClosed && offset === end)) return undefined;
  // The quote behind other characters may begin the next text: the one being written has no end yet.
  const rest = json.slice(offset, end);
  return { from: node.offset + 1, to: isClosed && /^[^\s,:{}[\]"]*"$/.test(rest) ? end : offset, isQuoted: true };
}

const BEFORE_KEY = /[{,]\s*$/;
const BEFORE_VALUE = /[:[,]\s*$/;

function wordAt(json: string, offset: number, isKey: boolean): Range | undefined {
  const word = /[\w.-]*$/.exec(json.slice(Math.max(0, offset - 100), offset))![0];
  const from = offset - word.length;
  const isPlace = (isKey ? BEFORE_KEY : BEFORE_VALUE).test(json.slice(Math.max(0, from - 1_000), from));
  return isPlace ? { from, to: offset, isQuoted: false } : undefined;
}

function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (char === '{' || char === '[') deepest = Math.max(deepest, ++depth);
    else if (char === '}' || char === ']') depth--;
  }
  return deepest;
}
