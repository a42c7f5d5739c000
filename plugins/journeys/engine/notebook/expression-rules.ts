import { closers, type ExpressionState, type State } from './expression-state.js';
import { Frame } from './frame.js';
import { contentOf, quoted } from './texts.js';
import type { TokenKind } from './tokens.js';

/** Handles a token in one state. Undefined: the token cannot appear there. */
type Rule = (state: ExpressionState, i: number, kind: TokenKind) => State | undefined;

const itself: Rule = (state, i) => state.take(state.tokens.textOf(i));
const text: Rule = (state, i) => state.take(quoted(contentOf(state.tokens, i)));
const call: Rule = (state, i) => state.open('call', i, state.tokens.textOf(i));
const callOnly: Rule = (state, i, kind) => (state.isCall(i) ? call(state, i, kind) : undefined);
const numberText = (written: string): string => written.replaceAll('_', '').replace(/^0+(?=\d)/, '');

/** Tokens that can begin the body of a function. */
const BODIES: ReadonlySet<TokenKind> = new Set(['(', '[', 'capture', 'text', 'heredoc']);

/** Tokens that can begin an operand. */
export const operand: Partial<Record<TokenKind, Rule>> = {
  name: (state, i, kind) => (state.isCall(i) ? call : itself)(state, i, kind),
  text,
  heredoc: text,
  number: (state, i) => state.take(numberText(state.tokens.textOf(i))),
  capture: itself,
  date: itself,
  true: itself,
  false: itself,
  nil: itself,
  null: itself,
  '-': (state) => state.take('-', 'operand'),
  '(': (state, i) => state.open('group', i),
  '[': (state, i) => state.open('list', i),
  // Authors write @name in expressions as in texts; it means the same as name.
  '@': (state, i) => {
    const after = state.tokens.kinds[i + 1];
    if ((after !== 'name' && after !== '(') || !state.tokens.isGlued(i + 1))
      return state.unexpected(i + 1, `a name expected after '@'`, 'a name');
    return state.take('', 'operand');
  },
  '&': (state, i) => {
    const after = state.kindAt(i + 1);
    const begins = BODIES.has(after) || (after === 'name' && state.isCall(i + 1));
    if (!begins) return state.unexpected(i + 1, `a function as in &(&1 + 1) expected after '&'`, '(');
    return state.take(after === 'capture' ? '& ' : '&', 'operand');
  },
  and: callOnly,
  or: callOnly,
  not: (state, i, kind) => {
    if (state.isCall(i)) return call(state, i, kind);
    state.at++;
    return state.push(new Frame('not', i), 'operand');
  },
  if: (state, i, kind) => {
    // `if(a, b)` is a call; `if (a) and b do` and `if(a) do` have no comma in their brackets.
    if (state.isCall(i) && state.tokens.parts(i + 1).length > 1) return call(state, i, kind);
    if (!state.beginsValue()) return undefined;
    state.at++;
    return state.push(new Frame('if', i), 'operand');
  },
};

const operator: Rule = (state, _i, kind) => state.take(` ${kind} `, 'operand');
const glue: Rule = (state, _i, kind) => state.take(kind, 'operand');

const logic: Rule = (state, _i, kind) => {
  state.endNots();
  if (kind === 'and') state.top.and();
  else state.top.or();
  state.at++;
  return 'operand';
};

export const close: Rule = (state, i, kind) => {
  state.endNots();
  const { top } = state;
  if (top.kind === 'top') return 'end';
  if (top.kind === 'if') return branch(state, i, kind);
  if (closers[top.kind] !== kind) return state.unexpected(i, `'${closers[top.kind]}' expected`, closers[top.kind]!);
  // Nothing to complete after a trailing comma or in empty brackets.
  if (!top.isEmpty && (top.kind === 'call' || top.kind === 'list')) top.next();
  const frame = state.pop();
  if (frame.kind === 'call') state.checkCall(frame);
  state.at++;
  return 'follow';
};

const comma: Rule = (state, i, kind) => {
  state.endNots();
  const { top, tokens } = state;
  if (top.kind === 'top') return 'end';
  if (top.kind === 'if') return branch(state, i, kind);
  if (top.kind !== 'call' && top.kind !== 'list') return state.unexpected(i, `'${closers[top.kind]}' expected`, closers[top.kind]!);
  top.next();
  // `if(condition, do: a, else: b)` compiles to the plain call.
  const isNamed = top.name === 'if' && state.kindAt(i + 1) === 'keyword' && /^(?:do|else)$/.test(tokens.textOf(i + 1));
  state.at = isNamed ? i + 2 : i + 1;
  return 'inside';
};

const operators = ['=', '==', '!=', '<>', '<', '<=', '>', '>=', '+', '-', '*', '/', '%', '^'] as const;

/** Tokens that can follow an operand. */
export const follow: Partial<Record<TokenKind, Rule>> = {
  ...Object.fromEntries(operators.map((sign) => [sign, operator])),
  '.': (state, i) => {
    if (state.kindAt(i + 1) !== 'name') return state.unexpected(i + 1, `a name expected after '.'`, 'a name');
    state.top.append(`.${state.tokens.textOf(i + 1)}`);
    state.at = i + 2;
    return 'follow';
  },
  '[': (state, i) => (state.tokens.isGlued(i) ? state.open('index', i) : undefined),
  ')': close,
  ']': close,
  ',': comma,
  and: logic,
  or: logic,
  '..': glue,
  '//': glue,
  // After an operand, `&1` is the operator & and the number 1.
  capture: (state, i) => state.take(` & ${state.tokens.textOf(i).slice(1)}`),
  '&': (state, i, kind) => {
    const isDouble = state.kindAt(i + 1) === '&' && state.tokens.isGlued(i + 1);
    return isDouble ? state.unexpected(i, `'and' expected: '&&' is not an operator`, 'and') : operator(state, i, kind);
  },
};

/** Any other token after an operand ends the expression, unless a bracket or an `if` is open. */
export const unfollowed: Rule = (state, i, kind) => {
  state.endNots();
  const { top } = state;
  if (top.kind === 'top') return 'end';
  if (top.kind === 'if') return branch(state, i, kind);
  return state.unexpected(i, `',' or '${closers[top.kind]}' expected`, `, or ${closers[top.kind]}`);
};

/** Moves an `if` on to its next part, or ends it. */
function branch(state: ExpressionState, i: number, kind: TokenKind): State {
  const { top, tokens } = state;
  const named = kind === ',' && state.kindAt(i + 1) === 'keyword' ? tokens.textOf(i + 1) : undefined;
  const part = (stage: Frame['stage'], count: number): State => {
    top.next();
    top.stage = stage;
    state.at = i + count;
    return 'operand';
  };
  const ended = (count: number): State => {
    top.next();
    state.pop();
    state.at = i + count;
    return 'follow';
  };
  if (top.stage === 'condition') {
    if (kind === 'do') {
      top.body = i;
      return part('then', 1);
    }
    top.isInline = true;
    return named === 'do' ? part('then', 2) : state.unexpected(kind === ',' ? i + 1 : i, `'do:' expected`, 'do:');
  }
  if (top.isInline) {
    if (top.stage === 'then' && named === 'else') return part('else', 2);
    return named === undefined ? ended(0) : state.unexpected(i + 1, `'else:' expected`, 'else:');
  }
  if (kind === 'end') return ended(1);
  if (top.stage === 'then' && kind === 'else') return part('else', 1);
  // It consumed the end of its card, so the unclosed card is reported instead.
  if (kind === 'fence' || kind === 'card') return 'fault';
  const expected = top.stage === 'then' ? `'else' or 'end'` : `'end'`;
  return state.unexpected(i, `${expected} expected: the do of an if holds one value`, expected);
}
