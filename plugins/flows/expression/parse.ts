import type { Reference } from './reference.js';
import { type Expression, ExpressionProblem, operators, type ValueType } from './syntax.js';
import { type Token, tokensOf } from './tokens.js';

export interface ParseOptions {
  /** Whether adjacent values are concatenated: true in expressions, false in conditions. */
  readonly joins: boolean;
  /** The type of a reference's value, if known. */
  readonly typeOf?: (reference: Reference) => ValueType | undefined;
}

export interface Parsed {
  readonly expression: Expression;
  readonly references: readonly Reference[];
}

/** Maximum depth of nested parentheses and negations. */
const MAX_DEPTH = 100;

/**
 * Parses a nested expression (without its backticks) or a condition. Operators have the usual precedence; concatenation of adjacent
 * values has the lowest.
 * @throws ExpressionProblem
 */
export function parseExpression(text: string, { joins, typeOf = () => undefined }: ParseOptions): Parsed {
  const tokens = tokensOf(text);
  const references: Reference[] = [];
  let next = 0;
  let depth = 0;

  const members = (): Expression => {
    const first = operation(0);
    const parts = [first];
    while (startsValue(tokens[next])) {
      if (!joins) throw new ExpressionProblem('an operator is missing between two values', tokens[next]!.at);
      parts.push(operation(0));
    }
    return parts.length === 1 ? first : { kind: 'join', parts, type: 'string', at: first.at };
  };

  const operation = (binding: number): Expression => {
    let left = operand();
    for (;;) {
      const token = tokens[next];
      if (token?.kind !== 'operator' || operators[token.operator].binding <= binding) return left;
      next++;
      if (next === tokens.length)
        throw new ExpressionProblem(`an operand is missing after the last operator '${token.operator}'`, token.at);
      const right = operation(operators[token.operator].binding);
      left = checkOperands({
        kind: 'operation',
        operator: token.operator,
        left,
        right,
        type: operators[token.operator].yields,
        at: token.at,
      });
    }
  };

  const operand = (): Expression => {
    const token = tokens[next++];
    if (!token) throw new ExpressionProblem('a value is missing at the end', text.length);
    if (token.kind === 'literal') return { kind: 'literal', value: token.value, type: typeof token.value as ValueType, at: token.at };
    if (token.kind === 'reference') {
      references.push(token.reference);
      return { kind: 'reference', reference: token.reference, type: typeOf(token.reference), at: token.at };
    }
    if (token.kind === 'operator') throw new ExpressionProblem(`the operator '${token.operator}' needs a value before it`, token.at);
    if (token.kind === 'close') throw new ExpressionProblem("a ')' without a '(' before it", token.at);
    if (++depth > MAX_DEPTH) throw new ExpressionProblem(`it is nested more than ${MAX_DEPTH} levels deep`, token.at);
    const inner: Expression =
      token.kind === 'not' ? { kind: 'not', operand: operand(), type: 'boolean', at: token.at } : inParentheses(token);
    depth--;
    return inner;
  };

  const inParentheses = (open: Token): Expression => {
    if (tokens[next]?.kind === 'close') throw new ExpressionProblem('parentheses are empty', open.at);
    const inner = members();
    if (tokens[next]?.kind !== 'close') throw new ExpressionProblem("a closing ')' is missing", open.at);
    next++;
    return inner;
  };

  if (tokens.length === 0) throw new ExpressionProblem('it is blank');
  const expression = members();
  const rest = tokens[next];
  if (rest) throw new ExpressionProblem("a ')' without a '(' before it", rest.at);
  return { expression, references };
}

const startsValue = (token: Token | undefined): boolean =>
  token?.kind === 'literal' || token?.kind === 'reference' || token?.kind === 'open' || token?.kind === 'not';

function checkOperands(expression: Expression & { kind: 'operation' }): Expression {
  const { operator, left, right, at } = expression;
  if (left.kind === 'literal' && right.kind === 'literal') {
    throw new ExpressionProblem(`the operator '${operator}' has literals on both sides`, at);
  }
  const isEquality = operator === '==' || operator === '!=';
  if (isEquality && left.type !== undefined && right.type !== undefined && left.type !== right.type) {
    throw new ExpressionProblem(`'${operator}' compares values of the same type, not ${left.type} and ${right.type}`, at);
  }
  return expression;
}
