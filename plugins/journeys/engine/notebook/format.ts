import type { NotebookFinding } from './findings.js';
import type { Fence } from './markdown.js';
import { type ReadNotebook, readNotebook } from './read-notebook.js';
import { contentOf } from './texts.js';
import type { TokenKind } from './tokens.js';

export interface FormattedNotebook {
  /** The formatted notebook; unchanged when it has errors. */
  readonly text: string;
  readonly findings: readonly NotebookFinding[];
}

/**
 * Formats the code of a notebook: two spaces per level, one around operators, one empty line between cards. Line breaks inside
 * statements, comments and prose are kept. Idempotent, and the formatted notebook compiles to the same container.
 */
export function formatNotebook(text: string): FormattedNotebook {
  const notebook = readNotebook(text);
  const findings = notebook.findings.list(notebook.lines);
  if (notebook.findings.hasErrors) return { text, findings };
  const { source, tokens } = notebook;
  const printer = new Printer(notebook);
  let [made, at] = ['', 0];
  for (const fence of tokens.fences) {
    made += source.slice(at, fence.from) + printer.print(fence);
    at = fence.to;
  }
  made += source.slice(at);
  return { text: text.includes('\r\n') ? made.replaceAll('\n', '\r\n') : made, findings };
}

/** An open bracket or body, with the indent of the line that opened it. */
interface Open {
  readonly kind: 'bracket' | 'if' | 'body' | 'card';
  readonly indent: number;
}

const STEP = 2;
const OPERANDS: ReadonlySet<TokenKind> = new Set<TokenKind>([
  ...(['name', 'number', 'date', 'text', 'heredoc', 'capture', 'true', 'false', 'nil', 'null', 'end', ')', ']'] as const),
]);
/** Tokens without spaces around them. */
const TIGHT: ReadonlySet<TokenKind> = new Set<TokenKind>(['.', '..', '//']);

class Printer {
  private readonly notebook: ReadNotebook;
  private readonly statements: ReadonlySet<number>;
  private readonly starts: ReadonlySet<number>;
  private readonly ends: ReadonlySet<number>;
  private token = 0;
  private comment = 0;
  private lines: string[] = [];
  private line = '';
  /** Indent of the current line, and of the first line of the current statement. */
  private indent = 0;
  private statement = 0;
  private isHead = false;
  private open: Open[] = [];
  /** End of the last token or comment in the source. */
  private last = 0;
  private before: 'start' | 'opening' | 'comment' | 'closing' | 'item' = 'start';
  private fence: Fence | undefined;

  constructor(notebook: ReadNotebook) {
    this.notebook = notebook;
    const { statements, bodies } = notebook.layout;
    this.statements = new Set(statements);
    this.starts = new Set(bodies.map(([start]) => start));
    this.ends = new Set(bodies.map(([, end]) => end));
  }

  /** The formatted code of a fence, with a final line break. */
  print(fence: Fence): string {
    const { tokens } = this.notebook;
    this.lines = [];
    this.line = '';
    this.open = [];
    this.indent = this.statement = 0;
    this.before = 'start';
    this.last = fence.from;
    this.fence = fence;
    for (; tokens.kinds[this.token] !== 'fence'; this.token++) {
      this.comments(tokens.starts[this.token]!);
      this.write(this.token);
    }
    this.comments(fence.to);
    this.token++;
    this.finishLine();
    return this.lines.length === 0 ? '' : `${this.lines.join('\n')}\n`;
  }

  private get source(): string {
    return this.notebook.source;
  }

  private write(i: number): void {
    const { tokens } = this.notebook;
    const kind = tokens.kinds[i]!;
    const closed = this.ends.has(i) ? this.open.pop()! : undefined;
    if (this.statements.has(i)) this.beginStatement(i);
    else if (closed) this.newLine(closed.indent, false);
    else if (tokens.breaks[i]) this.newLine(this.continued(kind), false);
    else if (this.line !== '') this.line += this.gap(i);
    if (kind === ')' || kind === ']' || (kind === 'end' && !closed)) this.open.pop();
    this.line += kind === 'heredoc' ? this.heredoc(i) : this.source.slice(tokens.starts[i], tokens.ends[i]);
    this.last = tokens.ends[i]!;
    this.before = closed?.kind === 'card' ? 'closing' : 'item';
    if (kind === '(' || kind === '[') this.open.push({ kind: 'bracket', indent: this.indent });
    if (kind === 'do') {
      const isBody = this.starts.has(i);
      const kind = !isBody ? 'if' : this.isHead ? 'card' : 'body';
      this.open.push({ kind, indent: this.isHead ? this.statement : this.indent });
      if (isBody) this.before = 'opening';
      this.isHead = false;
    }
  }

  private beginStatement(i: number): void {
    const { tokens } = this.notebook;
    const { before } = this;
    this.isHead = tokens.kinds[i] === 'card';
    // One empty line between cards, above the comments of the second.
    const isApart = before === 'closing' || (this.isHead && before === 'item') ? true : undefined;
    this.newLine(this.level(), isApart ?? this.hadEmptyLine(tokens.starts[i]!));
    this.statement = this.indent;
  }

  /** Indent of a statement in the innermost body. */
  private level(): number {
    const top = this.open.at(-1);
    return top ? top.indent + STEP : 0;
  }

  /** Indent of a continuation line that starts with this token. */
  private continued(kind: TokenKind): number {
    const top = this.open.at(-1);
    const closes = kind === ')' || kind === ']' || kind === 'else' || kind === 'end';
    if (top?.kind === 'bracket' || top?.kind === 'if') return closes ? top.indent : top.indent + STEP;
    return this.statement + (this.isHead ? 2 * STEP : STEP);
  }

  private hadEmptyLine(at: number): boolean {
    const between = this.source.slice(this.last, at);
    return between.indexOf('\n') !== between.lastIndexOf('\n') && this.before !== 'opening' && this.before !== 'start';
  }

  private newLine(indent: number, isApart: boolean): void {
    this.finishLine();
    if (isApart) this.lines.push('');
    this.indent = indent;
    this.line = ' '.repeat(indent + (this.fence?.indent ?? 0));
  }

  private finishLine(): void {
    const line = this.line.trimEnd();
    if (line !== '') this.lines.push(line);
    this.line = '';
  }

  /** Writes the comments before an offset: on lines of their own, or behind the code as in the source. */
  private comments(until: number): void {
    const { comments } = this.notebook.tokens;
    for (; this.comment < comments.length && comments[this.comment]! < until; this.comment += 2) {
      const [start, end] = [comments[this.comment]!, comments[this.comment + 1]!];
      const text = this.source.slice(start, end).trimEnd();
      const isOwn = this.source.slice(this.last, start).includes('\n') || this.before === 'start';
      const isInside = this.open.at(-1)?.kind === 'bracket' || this.open.at(-1)?.kind === 'if' || this.isHead;
      if (isOwn)
        this.newLine(
          isInside ? this.continued('name') : this.level(),
          !isInside && (this.hadEmptyLine(start) || this.before === 'closing'),
        );
      else this.line += ' ';
      this.line += text;
      this.last = end;
      if (isOwn) this.before = 'comment';
    }
  }

  /** The space before a token, which depends on its left neighbour on the line. */
  private gap(i: number): string {
    const { tokens } = this.notebook;
    const kind = tokens.kinds[i]!;
    const before = tokens.kinds[i - 1]!;
    if (kind === ')' || kind === ']' || kind === ',' || before === '(' || before === '[' || before === '@') return '';
    if (TIGHT.has(kind) || TIGHT.has(before)) return '';
    if ((before === '-' || before === '&') && !OPERANDS.has(tokens.kinds[i - 2]!)) return before === '&' && kind === 'capture' ? ' ' : '';
    if (kind === '(' || kind === '[') return tokens.isGlued(i) && before !== ',' && !this.isOperator(i - 1) ? '' : ' ';
    return ' ';
  }

  /** Whether a bracket after this token needs a space. */
  private isOperator(i: number): boolean {
    const kind = this.notebook.tokens.kinds[i]!;
    return !OPERANDS.has(kind) && !['not', 'and', 'or', 'if'].includes(kind);
  }

  /** A `"""` text with its lines indented like the line it starts on. */
  private heredoc(i: number): string {
    const margin = ' '.repeat(this.indent + (this.fence?.indent ?? 0));
    const lines = contentOf(this.notebook.tokens, i).split('\n').slice(0, -1);
    return ['"""', ...lines.map((line) => (line === '' ? '' : margin + line)), `${margin}"""`].join('\n');
  }
}
