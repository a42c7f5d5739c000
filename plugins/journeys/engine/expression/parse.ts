import { generations } from '../generations.js';
import { EXPRESSION_LIMITS } from './budget.js';
import { Cursor } from './cursor.js';
import { Parser } from './parser.js';
import type { HyphenatedNames, Node, Parsed, TemplateNode } from './syntax.js';
import { ExpressionError } from './value.js';

const NO_HYPHENATED_NAMES: HyphenatedNames = new Map();
const CACHED_CHARACTERS = 4_000_000;
const expressions = generations<Parsed<Node> | ExpressionError>(CACHED_CHARACTERS);
const templates = generations<Parsed<readonly TemplateNode[]>>(CACHED_CHARACTERS);

/**
 * Parses an expression. Results are cached by source.
 * @throws ExpressionError with the position of the error
 */
export function parseExpression(source: string, hyphenatedNames = NO_HYPHENATED_NAMES): Parsed<Node> {
  const key = keyOf(source, hyphenatedNames);
  let parsed = expressions.get(key);
  if (!parsed) {
    parsed = readExpression(source, hyphenatedNames);
    expressions.set(key, parsed, key.length);
  }
  if (parsed instanceof ExpressionError) throw parsed;
  return parsed;
}

/**
 * Parses a template. Every text is a valid template: parts that are not expressions are literal text.
 * @throws ExpressionError when it is too long
 */
export function parseTemplate(source: string, hyphenatedNames = NO_HYPHENATED_NAMES): Parsed<readonly TemplateNode[]> {
  if (source.length > EXPRESSION_LIMITS.source) {
    const most = EXPRESSION_LIMITS.source.toLocaleString('en');
    throw new ExpressionError('parse', `this template has ${source.length.toLocaleString('en')} characters; the maximum is ${most}`);
  }
  const key = keyOf(source, hyphenatedNames);
  let parsed = templates.get(key);
  if (!parsed) {
    parsed = readTemplate(source, hyphenatedNames);
    templates.set(key, parsed, key.length);
  }
  return parsed;
}

const keyOf = (source: string, hyphenatedNames: HyphenatedNames): string =>
  hyphenatedNames.size === 0 ? source : `${source}\0${[...hyphenatedNames.keys()].join(',')}`;

function readExpression(source: string, hyphenatedNames: HyphenatedNames): Parsed<Node> | ExpressionError {
  if (source.length > EXPRESSION_LIMITS.source)
    return new ExpressionError('parse', `the expression has more than ${EXPRESSION_LIMITS.source} characters`);
  const cursor = new Cursor(source);
  const parser = new Parser(cursor, hyphenatedNames);
  try {
    const tree = parser.expression();
    cursor.skipSpace();
    if (cursor.at < source.length) throw cursor.fault('unexpected text');
    return { tree, hyphenated: parser.hyphenated };
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
}

function readTemplate(source: string, hyphenatedNames: HyphenatedNames): Parsed<readonly TemplateNode[]> {
  const cursor = new Cursor(source);
  const parser = new Parser(cursor, hyphenatedNames);
  const parts: TemplateNode[] = [];
  let text = '';
  const push = (part: Exclude<TemplateNode, string>) => {
    if (text !== '') parts.push(text);
    text = '';
    parts.push(part);
  };
  for (;;) {
    const start = source.indexOf('@', cursor.at);
    if (start < 0) break;
    text += source.slice(cursor.at, start);
    cursor.at = start + 1;
    if (cursor.take('@')) {
      text += '@';
      continue;
    }
    const isAfterWord = /[\p{L}\p{N}._%+-]$/u.test(source.slice(Math.max(0, start - 2), start));
    const node = parser.block();
    if (node instanceof ExpressionError) {
      if (isAfterWord) text += '@';
      else push({ source: '@', reason: node.message });
    } else {
      push({ node, source: source.slice(start, cursor.at), isAfterWord });
    }
  }
  text += source.slice(cursor.at);
  if (text !== '') parts.push(text);
  return { tree: parts, hyphenated: parser.hyphenated };
}
