import { parseReference, type Reference } from './reference.js';
import { ExpressionProblem, type Operator, operators } from './syntax.js';

export type Token =
  | { readonly kind: 'literal'; readonly value: string | number | boolean; readonly at: number }
  | { readonly kind: 'reference'; readonly reference: Reference; readonly at: number }
  | { readonly kind: 'operator'; readonly operator: Operator; readonly at: number }
  | { readonly kind: 'not' | 'open' | 'close'; readonly at: number };

/** Bounds the depth of the parsed expression, which is evaluated recursively. */
const MAX_TOKENS = 1000;

const BLANK = /\s+/y;
const NUMBER = /\d+(?:\.\d+)?/y;
const WORD = /[\p{L}_][\p{L}\p{N}_.]*/uy;
const REFERENCE = /\$\{[^{}]*\}/y;
const OPERATOR = /[=!<>&|+\-*/%]+/y;

/** Splits an expression into tokens. @throws ExpressionProblem */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = match(BLANK, text, 0)?.length ?? 0;
  while (at < text.length) {
    const { token, length } = tokenAt(text, at, tokens.at(-1));
    tokens.push(token);
    if (tokens.length > MAX_TOKENS) throw new ExpressionProblem(`it has more than ${MAX_TOKENS} parts`, at);
    at += length;
    at += match(BLANK, text, at)?.length ?? 0;
  }
  return tokens;
}

function tokenAt(text: string, at: number, previous: Token | undefined): { token: Token; length: number } {
  const char = text[at]!;
  if (char === '(' || char === ')') return { token: { kind: char === '(' ? 'open' : 'close', at }, length: 1 };
  if (char === "'") return textAt(text, at);
  if (char === '$') return referenceAt(text, at);
  const number = match(NUMBER, text, at);
  if (number !== undefined) return { token: { kind: 'literal', value: Number(number), at }, length: number.length };
  const word = match(WORD, text, at);
  if (word !== undefined) return wordAt(word, at);
  const symbols = match(OPERATOR, text, at);
  if (symbols !== undefined) return operatorAt(text, symbols, at, previous);
  throw new ExpressionProblem(`unexpected character '${String.fromCodePoint(text.codePointAt(at)!)}'`, at);
}

function textAt(text: string, at: number): { token: Token; length: number } {
  let end = at + 1;
  while (end < text.length && text[end] !== "'") end += text[end] === '\\' ? 2 : 1;
  if (end >= text.length) throw new ExpressionProblem('a closing quote is missing', at);
  const value = text.slice(at + 1, end).replace(/\\(['`\\])/g, '$1');
  return { token: { kind: 'literal', value, at }, length: end + 1 - at };
}

function referenceAt(text: string, at: number): { token: Token; length: number } {
  const written = match(REFERENCE, text, at);
  const reference = written === undefined ? undefined : parseReference(written);
  if (!reference || written === undefined) {
    throw new ExpressionProblem('invalid format of an operand; use a reference to data.x, form.x or screen.ID.data.x', at);
  }
  return { token: { kind: 'reference', reference, at }, length: written.length };
}

function wordAt(word: string, at: number): { token: Token; length: number } {
  if (word !== 'true' && word !== 'false') {
    throw new ExpressionProblem(`invalid literal '${word}'; put text in single quotes`, at);
  }
  return { token: { kind: 'literal', value: word === 'true', at }, length: word.length };
}

/** The last of several adjacent symbols may belong to the next value: `&&!x`, `==-1`. */
function operatorAt(text: string, symbols: string, at: number, previous: Token | undefined): { token: Token; length: number } {
  const followsValue = previous?.kind === 'literal' || previous?.kind === 'reference' || previous?.kind === 'close';
  const isOneOf = (written: string): written is Operator => Object.hasOwn(operators, written);
  if (!followsValue) {
    if (symbols[0] === '!' && symbols[1] !== '=') return { token: { kind: 'not', at }, length: 1 };
    if (symbols[0] === '-') {
      const number = match(NUMBER, text, at + 1);
      if (number === undefined) throw new ExpressionProblem('a minus must be followed by a number', at);
      return { token: { kind: 'literal', value: -Number(number), at }, length: number.length + 1 };
    }
  } else if (symbols[0] === '!' && symbols[1] !== '=') return { token: { kind: 'not', at }, length: 1 };
  const written = [symbols.slice(0, 2), symbols.slice(0, 1)].find(isOneOf);
  const rest = written === undefined ? '' : symbols.slice(written.length);
  if (written === undefined || !/^(?:!+|-|!*-)?$/.test(rest)) throw new ExpressionProblem(`invalid operator '${symbols}'`, at);
  return { token: { kind: 'operator', operator: written as Operator, at }, length: written.length };
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
