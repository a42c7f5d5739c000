import { parseExpression } from '../../expression/parse.js';
import type { Node, Parsed } from '../../expression/syntax.js';
import { ExpressionError } from '../../expression/value.js';
import { ExpressionReader } from '../expression.js';
import { Findings } from '../findings.js';
import { NOTEBOOK_LIMITS } from '../limits.js';
import { quoted } from '../texts.js';
import { tokenize } from '../tokenize.js';
import type { Range, Tokens } from '../tokens.js';

const HEREDOC_UNSAFE = /^[ \t]*"""/m;

/** A text literal: a `"""` block if the content ends with a line break, otherwise quoted. */
export function textLiteral(content: string): string {
  if (!content.endsWith('\n') || HEREDOC_UNSAFE.test(content)) return quoted(content);
  return `"""\n${content}"""`;
}

/** Tokenises a single expression. */
function tokensOf(source: string, findings: Findings): Tokens {
  return tokenize(source, [{ at: 0, from: 0, to: source.length, indent: 0, canvas: undefined }], findings);
}

/** The canonical text of a container's expression; undefined when a notebook cannot express it. */
export function canonical(source: string): string | undefined {
  const findings = new Findings();
  const tokens = tokensOf(source, findings);
  const reader = new ExpressionReader(tokens, findings);
  const expression = reader.read(0, tokens.kinds.length - 1);
  const isWhole = expression !== undefined && reader.at === tokens.kinds.length - 1;
  // Hyphenated names would become subtractions. And notebook syntax that is not valid in containers must not be "repaired" here.
  return isWhole && parsed(source)?.hyphenated.length === 0 ? expression.text : undefined;
}

/** Parses with the parser of expressions; undefined on syntax errors. */
function parsed(source: string): Parsed<Node> | undefined {
  try {
    return parseExpression(source);
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}

/** Whether two expressions have the same syntax tree, or the same canonical text. */
export function sameMeaning(a: string, b: string): boolean {
  if (a === b) return true;
  const [one, other] = [parsed(a), parsed(b)];
  if (!one || !other) return false;
  return JSON.stringify(one.tree) === JSON.stringify(other.tree) || (canonical(a) ?? a) === (canonical(b) ?? b);
}

/** Rewrites a canonical expression with operators: `a and b` for `and(a, b)`. Compiling it gives the canonical text back. */
export function readable(expression: string): string {
  return new Readable(tokensOf(expression, new Findings())).text();
}

type Level = 'or' | 'and' | 'operand';

interface Infix {
  readonly text: string;
  readonly level: Level;
  /** Number of terms in the chain. */
  readonly terms: number;
}

class Readable {
  private readonly tokens: Tokens;

  constructor(tokens: Tokens) {
    this.tokens = tokens;
  }

  text(): string {
    return this.part({ from: 0, to: this.tokens.kinds.length - 1 }).text;
  }

  /** An argument, an element or the whole. */
  private part({ from, to }: Range): Infix {
    const { kinds, matches } = this.tokens;
    const isWhole = kinds[from + 1] === '(' && matches[from + 1] === to - 1;
    if (isWhole && (kinds[from] === 'and' || kinds[from] === 'or')) {
      const joined = this.joined(kinds[from], this.tokens.parts(from + 1));
      if (joined) return joined;
    }
    if (isWhole && kinds[from] === 'not') {
      const [operand, more] = this.tokens.parts(from + 1);
      if (operand && !more && this.isPrimary(operand)) return { text: `not ${this.plain(operand)}`, level: 'operand', terms: 1 };
    }
    return { text: this.plain({ from, to }), level: 'operand', terms: 1 };
  }

  /** Writes a call as an infix chain, if compiling it gives this call back. */
  private joined(level: 'and' | 'or', parts: readonly Range[]): Infix | undefined {
    const isLong = parts.length > NOTEBOOK_LIMITS.chain;
    // Compiling drops brackets directly around an operand.
    if (
      (parts.length !== 2 && !isLong) ||
      parts.some(({ from, to }) => this.tokens.kinds[from] === '(' && this.tokens.matches[from] === to - 1)
    )
      return undefined;
    const operands = parts.map((part) => this.part(part));
    const text = operands.map((operand, i) =>
      this.needsBrackets(level, operand, i === 0 && !isLong) ? `(${operand.text})` : operand.text,
    );
    const [first] = operands;
    const terms = isLong ? parts.length : first!.level === level && !text[0]!.startsWith('(') ? first!.terms + 1 : 2;
    return { text: text.join(` ${level} `), level, terms };
  }

  private needsBrackets(level: 'and' | 'or', operand: Infix, isFirst: boolean): boolean {
    if (operand.level === 'operand') return false;
    if (operand.level === level) return !isFirst || operand.terms >= NOTEBOOK_LIMITS.chain;
    return level === 'and';
  }

  /** Whether a range is a single name, path or call. */
  private isPrimary({ from, to }: Range): boolean {
    const { kinds, matches } = this.tokens;
    if (kinds[from] !== 'name') return false;
    let i = from + 1;
    while (i < to && (kinds[i] === '.' || kinds[i] === '[' || kinds[i] === '(')) i = kinds[i] === '.' ? i + 2 : matches[i]! + 1;
    return i === to;
  }

  /** The source, with the insides of brackets rewritten. */
  private plain({ from, to }: Range): string {
    const { source, starts, ends, matches } = this.tokens;
    let text = '';
    for (let i = from; i < to; i++) {
      if (i > from) text += source.slice(ends[i - 1], starts[i]);
      text += source.slice(starts[i], ends[i]);
      if (matches[i]! <= 0) continue;
      text += this.tokens
        .parts(i)
        .map((part) => this.part(part).text)
        .join(', ');
      i = matches[i]!;
      text += source.slice(starts[i], ends[i]);
    }
    return text;
  }
}
