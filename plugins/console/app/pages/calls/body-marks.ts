import { findNodeAtLocation, format, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { RecordedCall } from '#core';
import { texts } from './detail-texts.js';

/** A place in a body. Lines and columns count from 1. */
export interface Mark {
  readonly message: string;
  readonly line: number;
  readonly column: number;
  /** In characters of its line. */
  readonly length: number;
}

export interface BodyWithMarks {
  readonly lines: readonly string[];
  readonly marks: readonly Mark[];
  /** Whether lines and columns are those of the body as it was sent, and not those of the formatted one. */
  readonly isAsSent: boolean;
}

const INVALID_UTF8 = '\uFFFD';
/** Deeper bodies are refused by the platform, and could overflow the stack of the parser. */
const MAX_DEPTH = 100;
const BAD_REQUEST = 400;

/** The body of a call as lines, formatted if it is JSON, with the places that the response complains about. */
export function markedBody({ status, request: { body, problems } }: Pick<RecordedCall, 'status' | 'request'>): BodyWithMarks {
  const text = body.text ?? '';
  if (text === '' || body.cut || depthOf(text) > MAX_DEPTH) return { lines: linesOf(text), marks: [], isAsSent: true };
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true });
  const [error] = errors;
  if (error) {
    const invalid = text.indexOf(INVALID_UTF8);
    const isInvalid = invalid >= 0 && invalid <= error.offset;
    const message = isInvalid ? texts.notUtf8 : syntaxMessage(error, text);
    const mark = status === BAD_REQUEST && placeAt(text, isInvalid ? invalid : error.offset, error.length);
    return { lines: linesOf(text), marks: mark ? [{ message, ...mark }] : [], isAsSent: true };
  }
  const formatted = formattedJson(text);
  const tree = parseTree(formatted);
  const marks = tree
    ? problems.flatMap(({ path, message }) => {
        const node = closest(tree, path);
        return node ? [{ message, ...placeAt(formatted, node.offset, node.length) }] : [];
      })
    : [];
  const invalid = formatted.indexOf(INVALID_UTF8);
  if (status === BAD_REQUEST && marks.length === 0 && problems.length === 0 && invalid >= 0)
    return {
      lines: linesOf(formatted),
      marks: [{ message: texts.notUtf8, ...placeAt(formatted, invalid, 1) }],
      isAsSent: false,
    };
  return { lines: linesOf(formatted), marks, isAsSent: false };
}

/** JSON text with a line for each value. Not `applyEdits`, which copies the text for each edit: 3 s for 30,000 values. */
function formattedJson(text: string): string {
  const parts: string[] = [];
  let end = 0;
  for (const { offset, length, content } of format(text, undefined, { tabSize: 2, insertSpaces: true, eol: '\n' })) {
    parts.push(text.slice(end, offset), content);
    end = offset + length;
  }
  return parts.join('') + text.slice(end);
}

/** The part at a path; for a part that is missing, the part that lacks it. Undefined if the path is not one of the body, such as a query. */
function closest(tree: Node, path: readonly (string | number)[]): Node | undefined {
  for (let count = path.length; count > 0; count--) {
    const node = findNodeAtLocation(tree, path.slice(0, count));
    // A field is marked with its name.
    if (node) return node.parent?.type === 'property' ? node.parent : node;
  }
  return tree;
}

/** The place of a range; of one that continues in the next line, its part in the first. */
function placeAt(text: string, offset: number, length: number): Omit<Mark, 'message'> {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  const line = text.slice(0, start).split('\n').length;
  const rest = (end < 0 ? text.length : end) - offset;
  return { line, column: offset - start + 1, length: Math.max(1, Math.min(length, rest)) };
}

function syntaxMessage({ error, offset }: ParseError, text: string): string {
  const name = printParseErrorCode(error)
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  const found = offset >= text.length ? texts.endOfBody : JSON.stringify(text.slice(offset, offset + 1));
  return texts.notJson(name, found);
}

const linesOf = (text: string): string[] => text.split(/\r\n?|\n/);

/** How deeply brackets are nested, strings apart. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, ++depth);
    else if (token === ']' || token === '}') depth--;
  }
  return deepest;
}
