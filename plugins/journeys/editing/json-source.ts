import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';

/** A position in a text. Lines and columns count from 1, columns in UTF-16 units as in editors. */
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

export interface JsonFault {
  readonly severity: 'error' | 'warning';
  readonly code: 'invalid_json' | 'duplicate_key';
  readonly message: string;
  readonly at: Position;
}

/** Parsed JSON with the position of each part in its text. */
export interface JsonSource {
  readonly value: unknown;
  readonly faults: readonly JsonFault[];
  readonly lines: readonly string[];
  /** The position of a part. If the part does not exist, the position of its closest existing ancestor. */
  positionOf(steps: readonly (string | number)[]): Position;
  /** The range of an existing part. */
  rangeOf(steps: readonly (string | number)[]): Range | undefined;
}

/** From a position to the one after its last character. */
export interface Range {
  readonly line: number;
  readonly column: number;
  readonly end: { readonly line: number; readonly column: number };
}

/** Maximum depth of nesting: more than a real journey needs, and not enough to overflow the parser's stack. */
const MAX_LEVELS = 500;

export function readSource(given: string): JsonSource {
  const text = given.replace(/^\uFEFF/, '');
  const lines = text.split(/\r?\n/);
  const starts = lineStarts(text);
  const position = (offset: number, length: number): Position => {
    const line = starts.findLastIndex((start) => start <= offset);
    const column = offset - starts[line]! + 1;
    return { line: line + 1, column, length: Math.max(1, Math.min(length, (lines[line]?.length ?? 0) - column + 1)) };
  };
  const deepOffset = offsetOfTooDeep(text);
  if (deepOffset !== undefined) {
    const message = `it is nested more than ${MAX_LEVELS} levels deep`;
    const at = position(deepOffset, 1);
    const faults = [{ severity: 'error', code: 'invalid_json', message, at }] as const;
    return { value: undefined, faults, lines, positionOf: () => at, rangeOf: () => undefined };
  }
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const faults = errors.map(({ error, offset, length }): JsonFault => {
    const message = `this is not JSON: ${printParseErrorCode(error)
      .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase()}`;
    return { severity: 'error', code: 'invalid_json', message, at: position(offset, length) };
  });
  if (faults.length === 0 && !tree)
    faults.push({ severity: 'error', code: 'invalid_json', message: 'the file is empty', at: position(0, 1) });
  return {
    value: faults.length > 0 ? undefined : (JSON.parse(text) as unknown),
    faults: faults.length > 0 || !tree ? faults : duplicates(tree, position),
    lines,
    positionOf(steps) {
      for (let count = steps.length; count > 0; count--) {
        const node = tree && findNodeAtLocation(tree, steps.slice(0, count));
        // Point at the key and not at the value: authors search for the key.
        const shown = node?.parent?.type === 'property' ? node.parent : node;
        if (shown) return position(shown.offset, shown.length);
      }
      return position(tree?.offset ?? 0, 1);
    },
    rangeOf(steps) {
      const node = tree && findNodeAtLocation(tree, [...steps]);
      if (!node) return undefined;
      const [from, to] = [position(node.offset, 1), position(node.offset + node.length, 1)];
      return { line: from.line, column: from.column, end: { line: to.line, column: to.column } };
    },
  };
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The offset of the first bracket that is nested too deeply. Not recursive, so that it cannot overflow the stack itself. */
function offsetOfTooDeep(text: string): number | undefined {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === '[' || token === '{') depth++;
    if (token === ']' || token === '}') depth--;
    if (depth > MAX_LEVELS) return index;
  }
  return undefined;
}

/** Warnings for duplicate keys of an object: JSON parsers ignore all but the last. */
function duplicates(tree: Node, position: (offset: number, length: number) => Position): JsonFault[] {
  const found: JsonFault[] = [];
  const open = [tree];
  for (let node = open.pop(); node; node = open.pop()) {
    const seen = new Set<string>();
    for (const child of node.children ?? []) {
      open.push(child);
      const key = child.type === 'property' ? child.children?.[0] : undefined;
      if (!key) continue;
      const name = String(key.value);
      const message = `duplicate key "${name}"; only the last one counts`;
      if (seen.has(name)) found.push({ severity: 'warning', code: 'duplicate_key', message, at: position(key.offset, key.length) });
      seen.add(name);
    }
  }
  return found;
}
