import type { NotebookCode } from './codes.js';
import { type Expression, ExpressionReader } from './expression.js';
import type { Findings, Hint } from './findings.js';
import type { Span, Target } from './syntax.js';
import { contentOf } from './texts.js';
import type { Range, Tokens } from './tokens.js';
import { topWords } from './words.js';

/** Statement starts and matching `do`/`end` tokens, for the formatter. */
export interface Layout {
  readonly statements: number[];
  readonly bodies: (readonly [start: number, end: number])[];
}

/** Parser state shared by all parts of the grammar, and error recovery. */
export class Reading {
  readonly tokens: Tokens;
  readonly findings: Findings;
  readonly expressions: ExpressionReader;
  readonly layout: Layout = { statements: [], bodies: [] };
  at = 0;
  /** First token of the current statement. */
  private statement = 0;
  private fence = -1;
  /** The token that the current card cannot cross: the next `card` line or the end of the fence. */
  limit = 0;

  constructor(tokens: Tokens, findings: Findings) {
    this.tokens = tokens;
    this.findings = findings;
    this.expressions = new ExpressionReader(tokens, findings);
  }

  span(from: number, to = from): Span {
    return { start: this.tokens.starts[from]!, end: this.tokens.ends[to]! };
  }

  error(code: NotebookCode, i: number, message: string, hint?: Hint, to = i): void {
    this.findings.error(code, this.tokens.starts[i]!, this.tokens.ends[to]!, message, hint);
  }

  /** Reports what was found instead; not for tokens of an unclosed text, which is reported already. */
  unexpected(code: NotebookCode, i: number, message: string, hint?: Hint): void {
    if (this.tokens.kinds[i] !== 'lost') this.error(code, i, `${message}, found ${this.tokens.shown(i)}`, hint);
  }

  isCall(i: number): boolean {
    return this.tokens.kinds[i] === 'name' && this.tokens.kinds[i + 1] === '(' && this.tokens.isGlued(i + 1);
  }

  /** Parses an expression that must fill a range. */
  whole({ from, to }: Range): Expression | undefined {
    const expression = this.expressions.read(from, to);
    if (!expression || this.expressions.at === to) return expression;
    this.unexpected('missing_comma', this.expressions.at, `',' or ')' between arguments expected`, { expected: ',' });
    return undefined;
  }

  /** A card reference: a name, or a text for cards named by one. */
  target(i: number): Target | undefined {
    const kind = this.tokens.kinds[i];
    if (kind !== 'name' && kind !== 'text') return undefined;
    return { name: kind === 'name' ? this.tokens.textOf(i) : contentOf(this.tokens, i), ...this.span(i) };
  }

  /** Marks the first token of a statement. */
  begin(i: number): void {
    this.statement = i;
    this.layout.statements.push(i);
  }

  /** Whether a top-level declaration begins here. */
  isTop(i: number): boolean {
    const kind = this.tokens.kinds[i];
    return kind === 'card' || kind === 'stack' || (this.isCall(i) && (topWords as readonly string[]).includes(this.tokens.textOf(i)));
  }

  /** The `fence` token at or after a token. */
  fenceFrom(i: number): number {
    if (this.fence < i) this.fence = this.tokens.kinds.indexOf('fence', i);
    return this.fence;
  }

  /** The next `card` at the start of a line, or the end of the fence. */
  cardFrom(from: number): number {
    const { kinds, breaks } = this.tokens;
    let i = from;
    while (kinds[i] !== 'fence' && !(kinds[i] === 'card' && breaks[i] && kinds[i + 1] !== '=')) i++;
    return i;
  }

  /** Recovery: continues at the next line with a top-level declaration. */
  skipToTop(): void {
    const { kinds, breaks } = this.tokens;
    while (kinds[this.at] !== 'fence' && !(breaks[this.at] && this.isTop(this.at))) this.at++;
  }

  /** Recovery: continues at the next line that can start a statement, over matched brackets and bodies. */
  skipStatement(from: number): void {
    const { kinds, matches, breaks } = this.tokens;
    let i = from;
    for (; i < this.limit; i++) {
      const kind = kinds[i]!;
      if (i > this.statement && breaks[i] && (kind === 'name' || kind === 'end' || kinds[i + 1] === '=')) break;
      if (kind === 'do') {
        this.skipBody(i);
        return;
      }
      if (matches[i]! > 0 && matches[i]! < this.limit) i = matches[i]!;
    }
    this.at = i;
  }

  /** Recovery: continues behind the `end` of a `do`, or at the limit. */
  skipBody(start: number): void {
    const { kinds } = this.tokens;
    let depth = 0;
    for (let i = start; i < this.limit; i++) {
      if (kinds[i] === 'do') depth++;
      else if (kinds[i] === 'end' && --depth === 0) {
        this.at = i + 1;
        return;
      }
    }
    this.at = this.limit;
  }
}
