import { NOTEBOOK_LIMITS } from './limits.js';

export type FrameKind = 'top' | 'group' | 'list' | 'call' | 'index' | 'not' | 'if';

/** An open part of an expression: the inside of a bracket, the operand of `not`, an `if`, or the whole. */
export class Frame {
  readonly kind: FrameKind;
  /** The token that opened it. */
  readonly at: number;
  /** The function of a call. */
  readonly name: string;
  /** Completed elements, arguments, or parts of an `if`. */
  readonly items: string[] = [];
  /** Current part of an `if`, and whether it is written with `do:`. */
  stage: 'condition' | 'then' | 'else' = 'condition';
  isInline = false;
  /** The `do` token of an `if … do … end`. */
  body: number | undefined;
  /** Current operand of `and`/`or`; its inside when it is exactly one pair of brackets, which are dropped there. */
  private piece = '';
  private inner: string | undefined;
  private ands: string[] = [];
  private ors: string[] = [];

  constructor(kind: FrameKind, at: number, name = '') {
    this.kind = kind;
    this.at = at;
    this.name = name;
  }

  get isEmpty(): boolean {
    return this.piece === '' && this.ands.length === 0 && this.ors.length === 0;
  }

  append(text: string): void {
    this.piece += text;
    this.inner = undefined;
  }

  group(text: string): void {
    const isAlone = this.piece === '';
    this.append(`(${text})`);
    if (isAlone) this.inner = text;
  }

  and(): void {
    this.ands.push(this.operand());
  }

  or(): void {
    this.and();
    this.ors.push(chained('and', this.ands.splice(0)));
  }

  /** Takes the operand, without brackets directly around it. */
  operand(): string {
    const text = this.inner ?? this.piece;
    this.piece = '';
    this.inner = undefined;
    return text;
  }

  /** Takes the whole text, with `and` and `or` as functions. */
  folded(): string {
    if (this.ands.length === 0 && this.ors.length === 0) {
      const text = this.piece;
      this.operand();
      return text;
    }
    this.or();
    return chained('or', this.ors.splice(0));
  }

  /** Completes an element, an argument or a part. */
  next(): void {
    this.items.push(this.folded());
  }

  /** The text it contributes to the frame around it. */
  closed(): string {
    switch (this.kind) {
      case 'call':
        return `${this.name}(${this.items.join(', ')})`;
      case 'list':
        return `[${this.items.join(', ')}]`;
      case 'index':
        return `[${this.folded()}]`;
      case 'not':
        return `not(${this.operand()})`;
      case 'if':
        return `if(${this.items.join(', ')})`;
      default:
        return this.folded();
    }
  }
}

/** `a and b and c` as `and(and(a, b), c)`. A long chain becomes one call, because expressions have a depth limit. */
function chained(name: 'and' | 'or', terms: readonly string[]): string {
  if (terms.length > NOTEBOOK_LIMITS.chain) return `${name}(${terms.join(', ')})`;
  return terms.reduce((left, right) => `${name}(${left}, ${right})`);
}
