import { ExpressionError } from './value.js';

/** How far an expression may go. Generous for people, tight for attackers. */
export const EXPRESSION_LIMITS = { source: 65_536, depth: 64, steps: 100_000, list: 10_000, text: 65_536 } as const;

/** What may still be spent, by one expression and by all the expressions of a step together. */
export class Budget {
  private left: number;
  private depth = 0;
  private readonly shared: Meter | undefined;

  constructor(shared?: Meter) {
    this.left = Math.min(EXPRESSION_LIMITS.steps, shared?.left ?? EXPRESSION_LIMITS.steps);
    this.shared = shared;
  }

  spend(steps: number): void {
    this.left -= steps;
    if (this.shared) this.shared.left -= steps;
    if (this.left < 0) throw new ExpressionError('too_costly', 'the expression takes too many steps');
  }

  /** Text is cheap, but not free. */
  spendText(length: number): void {
    if (length > EXPRESSION_LIMITS.text) throw new ExpressionError('too_costly', `a text of ${length} characters is too long`);
    this.spend(length >> 7);
  }

  spendList(length: number): void {
    if (length > EXPRESSION_LIMITS.list) throw new ExpressionError('too_costly', `a list of ${length} items is too long`);
    this.spend(length >> 2);
  }

  /** Work one level deeper, on a value or an expression inside another. */
  nested<T>(work: () => T): T {
    if (++this.depth > EXPRESSION_LIMITS.depth) {
      this.depth--;
      throw new ExpressionError('too_costly', 'the expression is nested too deeply');
    }
    try {
      return work();
    } finally {
      this.depth--;
    }
  }
}

/** Steps that several expressions share. */
export interface Meter {
  left: number;
}
