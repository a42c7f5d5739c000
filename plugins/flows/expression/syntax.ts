import type { Reference } from './reference.js';

export type ValueType = 'string' | 'number' | 'boolean' | 'array' | 'object';

export type Operator = '==' | '!=' | '<' | '<=' | '>' | '>=' | '&&' | '||' | '+' | '-' | '*' | '/' | '%';

/** A parsed expression. `type` is the type of its result, undefined if that depends on the data. `at` is its offset in the text. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean; readonly type: ValueType; readonly at: number }
  | { readonly kind: 'reference'; readonly reference: Reference; readonly type: ValueType | undefined; readonly at: number }
  | { readonly kind: 'not'; readonly operand: Expression; readonly type: 'boolean'; readonly at: number }
  | {
      readonly kind: 'operation';
      readonly operator: Operator;
      readonly left: Expression;
      readonly right: Expression;
      readonly type: ValueType;
      readonly at: number;
    }
  /** Adjacent values, concatenated as text. */
  | { readonly kind: 'join'; readonly parts: readonly Expression[]; readonly type: 'string'; readonly at: number };

/** The precedence of each operator (higher binds tighter) and the type of its result. */
export const operators: Readonly<Record<Operator, { readonly binding: number; readonly yields: ValueType }>> = {
  '||': { binding: 1, yields: 'boolean' },
  '&&': { binding: 2, yields: 'boolean' },
  '==': { binding: 3, yields: 'boolean' },
  '!=': { binding: 3, yields: 'boolean' },
  '<': { binding: 4, yields: 'boolean' },
  '<=': { binding: 4, yields: 'boolean' },
  '>': { binding: 4, yields: 'boolean' },
  '>=': { binding: 4, yields: 'boolean' },
  '+': { binding: 5, yields: 'number' },
  '-': { binding: 5, yields: 'number' },
  '*': { binding: 6, yields: 'number' },
  '/': { binding: 6, yields: 'number' },
  '%': { binding: 6, yields: 'number' },
};

export class ExpressionProblem extends Error {
  override readonly name = 'ExpressionProblem';
  /** Offset in the text; undefined for a problem of the expression as a whole. */
  readonly at: number | undefined;

  constructor(message: string, at?: number) {
    super(message);
    this.at = at;
  }
}
