import { ExpressionError } from './value.js';

/** Limits of one expression: far above what authors need, low enough to stop hostile input. */
export const EXPRESSION_LIMITS = { source: 65_536, depth: 64, steps: 100_000, list: 10_000, text: 65_536 } as const;

/** Bounds the cost of evaluating one expression. Each cost is also charged to `shared`, the budget of several expressions together. */
export class Budget {
  private remaining: number;
  private depth = 0;
  private readonly shared: Meter | undefined;
  private readonly isShort: boolean;

  constructor(shared?: Meter) {
    this.remaining = Math.min(EXPRESSION_LIMITS.steps, shared?.remaining ?? EXPRESSION_LIMITS.steps);
    this.shared = shared;
    this.isShort = shared?.isShort ?? false;
  }

  /** In a short step, charges for a source, which may be new: 1 per 4 characters. @throws ExpressionError when the budget is exceeded */
  spendSource(source: string): void {
    if (this.isShort) this.spend(source.length >> 2);
  }

  /** In a short step, charges for a rendered text: 1 per 64 characters. @throws ExpressionError when the budget is exceeded */
  spendRendered(text: string): void {
    if (this.isShort) this.spend(text.length >> 6);
  }

  /** Exceeds the budget of a short step, for work whose duration its cost does not bound. @throws ExpressionError in a short step */
  spendUnbounded(): void {
    if (this.isShort) this.spend(EXPRESSION_LIMITS.steps);
  }

  /** Charges a cost; evaluating one node costs 1. @throws ExpressionError when the budget is exceeded */
  spend(cost: number): void {
    this.remaining -= cost;
    if (this.shared) this.shared.remaining -= cost;
    if (this.remaining < 0) throw new ExpressionError('too_costly', 'the expression takes too many steps; simplify it');
  }

  /** Charges for creating a text: 1 per 128 characters. @throws ExpressionError when the text is too long */
  spendText(length: number): void {
    if (length > EXPRESSION_LIMITS.text)
      throw new ExpressionError('too_costly', `a text of ${length} characters is too long; the maximum is ${EXPRESSION_LIMITS.text}`);
    this.spend(length >> 7);
  }

  /** Charges for creating a list: 1 per 4 items. @throws ExpressionError when the list is too long */
  spendList(length: number): void {
    if (length > EXPRESSION_LIMITS.list)
      throw new ExpressionError('too_costly', `a list of ${length} items is too long; the maximum is ${EXPRESSION_LIMITS.list}`);
    this.spend(length >> 2);
  }

  /** Runs work one nesting level deeper, on a value or expression inside another. */
  nested<T>(work: () => T): T {
    if (++this.depth > EXPRESSION_LIMITS.depth) {
      this.depth--;
      throw new ExpressionError('too_costly', `the expression is nested more than ${EXPRESSION_LIMITS.depth} levels deep`);
    }
    try {
      return work();
    } finally {
      this.depth--;
    }
  }
}

/** The evaluation cost that several expressions together may still incur. */
export interface Meter {
  remaining: number;
  /** This is the budget of a short step (`shortStep`), which charges for more, and leaves out the details of messages. */
  readonly isShort?: true;
}
