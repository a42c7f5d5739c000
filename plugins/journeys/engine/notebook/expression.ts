import { EXPRESSION_LIMITS } from '../expression/budget.js';
import { close, follow, operand, unfollowed } from './expression-rules.js';
import { ExpressionState, type State } from './expression-state.js';
import type { Findings } from './findings.js';
import { contentOf, quoted } from './texts.js';
import type { Tokens } from './tokens.js';

/** An expression with its canonical text, which is what the container stores. */
export interface Expression {
  /** Canonical: one space around operators, double quotes, `and`, `or`, `not`, `if` as functions, no comments. */
  readonly text: string;
  /** Offsets in the notebook. */
  readonly start: number;
  readonly end: number;
  /** `path`: a name with attributes and indexes. */
  readonly kind: 'text' | 'number' | 'flag' | 'list' | 'path' | 'other';
  /** The content of a text literal. */
  readonly content: string | undefined;
}

/**
 * Finds the end of an expression in the token stream and writes its canonical text. Only brackets, the alternation of operands and
 * operators, and notebook syntax (`and`, `or`, `not`, `if … do`, comments) are handled here. The grammar of expressions, including
 * operator precedence, stays in `../expression/parser.ts`, which parses the canonical text in lint and at run time.
 */
export class ExpressionReader {
  private readonly tokens: Tokens;
  private readonly state: ExpressionState;
  private readonly findings: Findings;

  constructor(tokens: Tokens, findings: Findings) {
    this.tokens = tokens;
    this.findings = findings;
    this.state = new ExpressionState(tokens, findings);
  }

  /** The token after the last expression, or the offending token. */
  get at(): number {
    return this.state.at;
  }

  /**
   * Reads the longest expression from a token on, up to `to`. Undefined when there is none; the error is reported, unless it follows
   * from an earlier one. `isStatement`: it stands alone, so it may be an `if` and ends before a line that starts a new statement.
   */
  read(from: number, to: number, isStatement = false): Expression | undefined {
    const { state, tokens } = this;
    const first = tokens.kinds[from];
    state.begin(from, to, isStatement);
    if (from + 1 === to && (first === 'text' || first === 'heredoc')) {
      state.at = to;
      const content = contentOf(tokens, from);
      const text = quoted(content);
      return { text, start: tokens.starts[from]!, end: tokens.ends[from]!, kind: 'text', content };
    }
    let next: State = 'operand';
    while (next !== 'end' && next !== 'fault') {
      const i = state.at;
      const kind = state.kindAt(i);
      if (next === 'follow') {
        const rule = state.isNewLine(i, kind) ? undefined : follow[kind];
        next = rule?.(state, i, kind) ?? unfollowed(state, i, kind)!;
      } else if (next === 'inside' && (kind === ')' || kind === ']')) next = close(state, i, kind)!;
      else next = operand[kind]?.(state, i, kind) ?? state.missing(i);
    }
    return next === 'end' ? this.result(from) : undefined;
  }

  /** After an error: the `do` of the outermost open `if`. Recovery skips to its `end`. */
  get body(): number | undefined {
    return this.state.frames.find(({ body }) => body !== undefined)?.body;
  }

  /** Reports an unclosed bracket. */
  unclosed(bracket: number): void {
    this.state.unclosed(bracket);
  }

  private result(from: number): Expression {
    const { starts, ends } = this.tokens;
    const { at, top } = this.state;
    const kind = this.kindOf(from, at - 1);
    const content = kind === 'text' ? contentOf(this.tokens, from) : undefined;
    const most = EXPRESSION_LIMITS.source;
    const [text, start, end] = [top.folded(), starts[from]!, ends[at - 1]!];
    if (text.length > most)
      this.findings.error('too_large', start, end, `an expression has at most ${most} characters, this has ${text.length}`);
    return { text, start, end, kind, content };
  }

  private kindOf(from: number, last: number): Expression['kind'] {
    const { kinds, matches } = this.tokens;
    const first = kinds[from];
    if (first === '[') return matches[from] === last ? 'list' : 'other';
    if (first === 'name') return this.isPath(from, last) ? 'path' : 'other';
    if (from < last) return 'other';
    if (first === 'text' || first === 'heredoc') return 'text';
    return first === 'number' ? 'number' : first === 'true' || first === 'false' ? 'flag' : 'other';
  }

  private isPath(from: number, last: number): boolean {
    const { kinds, matches } = this.tokens;
    let i = from + 1;
    while (i <= last && (kinds[i] === '.' || kinds[i] === '[')) i = kinds[i] === '.' ? i + 2 : matches[i]! + 1;
    return i > last;
  }
}
