import { readTimeLiteral } from '../expression/literals.js';
import type { Findings } from './findings.js';
import { NOTEBOOK_LIMITS } from './limits.js';
import type { Fence } from './markdown.js';
import { reservedWords, SIGNS, type Sign, type TokenKind, Tokens } from './tokens.js';

const [SPACE, LETTER, DIGIT] = [1, 2, 3];
const classes = new Uint8Array(256);
for (const code of [0x20, 0x09, 0x0d, 0xa0]) classes[code] = SPACE;
for (let code = 0x30; code <= 0x39; code++) classes[code] = DIGIT;
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_') classes[letter.charCodeAt(0)] = LETTER;

const signsByFirst: (readonly Sign[] | undefined)[] = [];
for (const sign of SIGNS) signsByFirst[sign.charCodeAt(0)] = [...(signsByFirst[sign.charCodeAt(0)] ?? []), sign];
const LONGEST_RESERVED = Math.max(...[...reservedWords].map(({ length }) => length));

const [LINE_FEED, HASH, COLON, QUOTE, APOSTROPHE, AMPERSAND, DOT] = [0x0a, 0x23, 0x3a, 0x22, 0x27, 0x26, 0x2e];
const HEREDOC_START = /"""[ \t]*\n/y;
const NUMBER = /[0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+(?![A-Za-z0-9_]))?|\.[0-9]+/y;
const DIGITS = /[0-9]+/y;
/** A multi-line text that contains a card head probably lacks its closing quote, and so does one whose closing quote directly precedes a letter. */
const CARD_INSIDE = /^[ \t]*card[ \t]+[A-Za-z_][A-Za-z0-9_]*\b[^\n]*\bdo[ \t]*$/m;
const NEXT_CARD = /^[ \t]*card[ \t]+[A-Za-z_"']/m;

const isWord = (source: string, at: number): boolean => (classes[source.charCodeAt(at)] ?? 0) >= LETTER;

/** Tokenises the code of all fences. Linear in the text, whatever it contains. */
export function tokenize(source: string, fences: readonly Fence[], findings: Findings): Tokens {
  const tokens = new Tokens(source);
  const lexer = new Lexer(tokens, findings);
  for (const fence of fences) lexer.read(fence);
  return tokens;
}

class Lexer {
  private readonly source: string;
  private readonly tokens: Tokens;
  private readonly findings: Findings;
  /** Stack of open brackets, and for each the first token of its line. */
  private open: number[] = [];
  private firsts: number[] = [];
  /** First token of the current line. */
  private first = 0;
  private at = 0;
  private to = 0;
  private isFirst = true;
  /** Next occurrence per character. Without this cache, unclosed texts would make tokenising quadratic. */
  private readonly nextOf = new Map<string, number>();
  private hasHeredocEnd = true;

  constructor(tokens: Tokens, findings: Findings) {
    this.source = tokens.source;
    this.tokens = tokens;
    this.findings = findings;
  }

  read(fence: Fence): void {
    this.at = fence.from;
    this.to = fence.to;
    this.isFirst = true;
    this.hasHeredocEnd = true;
    while (this.at < this.to && !this.isFull) this.next();
    this.tokens.fences.push(fence);
    this.tokens.add('fence', this.to, this.to, true);
    this.forgetBrackets();
  }

  /** Whether the token limit is exceeded; reported once. */
  private get isFull(): boolean {
    const most = NOTEBOOK_LIMITS.tokens;
    if (this.tokens.kinds.length <= most) return false;
    if (this.tokens.kinds.length === most + 1)
      this.findings.error('too_large', this.at, this.at, `a notebook has at most ${most} words and signs`);
    return true;
  }

  private next(): void {
    const code = this.source.charCodeAt(this.at);
    const kind = classes[code];
    if (kind === SPACE) this.at++;
    else if (code === LINE_FEED) {
      this.at++;
      this.isFirst = true;
    } else if (kind === LETTER) this.word();
    else if (kind === DIGIT || (code === DOT && this.startsFraction())) this.number();
    else if (code === HASH) this.comment();
    else if (code === QUOTE || code === APOSTROPHE) this.text(code === QUOTE ? '"' : "'");
    else if (code === AMPERSAND && classes[this.source.charCodeAt(this.at + 1)] === DIGIT) this.capture();
    else this.sign(code);
  }

  private add(kind: TokenKind, end: number): void {
    if (this.isFirst) this.first = this.tokens.kinds.length;
    this.tokens.add(kind, this.at, end, this.isFirst);
    this.at = end;
    this.isFirst = false;
  }

  private get last(): TokenKind | undefined {
    return this.tokens.kinds.at(-1);
  }

  private word(): void {
    let end = this.at + 1;
    while (end < this.to && (classes[this.source.charCodeAt(end)] ?? 0) >= LETTER) end++;
    if (this.source.charCodeAt(end) === COLON) {
      if (!this.isSpaceAt(end + 1))
        this.findings.error('unknown_sign', end, end + 1, `a space expected behind '${this.source.slice(this.at, end)}:'`, {
          expected: 'a space',
        });
      this.add('keyword', end + 1);
      return;
    }
    if (end - this.at <= LONGEST_RESERVED && this.last !== '.') {
      const word = this.source.slice(this.at, end);
      if (reservedWords.has(word)) {
        if (word === 'card' && this.isFirst) this.forgetBrackets();
        this.add(word as TokenKind, end);
        return;
      }
    }
    this.add('name', end);
  }

  private isSpaceAt(at: number): boolean {
    const code = this.source.charCodeAt(at);
    return at >= this.to || code === LINE_FEED || classes[code] === SPACE;
  }

  /** Whether `.5` begins here; after a name or bracket the dot reads an attribute. */
  private startsFraction(): boolean {
    if (classes[this.source.charCodeAt(this.at + 1)] !== DIGIT) return false;
    const before = this.source[this.at - 1] ?? ' ';
    return !/[\w)\]"'.]/.test(before);
  }

  private number(): void {
    const pattern = this.last === '.' ? DIGITS : NUMBER;
    pattern.lastIndex = this.at;
    pattern.test(this.source);
    const end = Math.min(pattern.lastIndex, this.to);
    if (this.last === '.') {
      this.add('name', end);
      return;
    }
    if (/[-/:]/.test(this.source[end] ?? '')) {
      const literal = readTimeLiteral(this.source, this.at);
      if (literal && literal.end <= this.to) {
        if (literal.value === undefined) this.findings.error('unexpected', this.at, literal.end, 'a day or time that exists expected');
        this.add('date', literal.end);
        return;
      }
    }
    this.add('number', end);
  }

  private capture(): void {
    DIGITS.lastIndex = this.at + 1;
    DIGITS.test(this.source);
    this.add('capture', DIGITS.lastIndex);
  }

  private comment(): void {
    const end = this.source.indexOf('\n', this.at);
    const stop = end < 0 || end > this.to ? this.to : end;
    this.tokens.comments.push(this.at, stop);
    this.at = stop;
  }

  private text(quote: '"' | "'"): void {
    HEREDOC_START.lastIndex = this.at;
    if (quote === '"' && HEREDOC_START.test(this.source)) {
      this.heredoc(HEREDOC_START.lastIndex);
      return;
    }
    let close = this.find(quote, this.at + 1);
    // A backslash escapes the quote behind it, and nothing else: a text cannot end with a backslash.
    while (close < this.to && this.source[close - 1] === '\\') close = this.find(quote, close + 1);
    if (close >= this.to) {
      this.lose(quote, 'a closing quote');
      return;
    }
    const isLong = this.find('\n', this.at) < close;
    if (isLong && (isWord(this.source, close + 1) || CARD_INSIDE.test(this.source.slice(this.at + 1, close)))) {
      this.lose(quote, 'a closing quote');
      return;
    }
    this.add('text', close + 1);
  }

  private find(sign: string, from: number): number {
    const known = this.nextOf.get(sign) ?? -1;
    if (known >= from) return known;
    const found = this.source.indexOf(sign, from);
    const next = found < 0 ? Number.POSITIVE_INFINITY : found;
    this.nextOf.set(sign, next);
    return next;
  }

  private heredoc(from: number): void {
    const end = /^[ \t]*"""/m;
    const found = this.hasHeredocEnd ? end.exec(this.source.slice(from, this.to)) : null;
    if (found) {
      this.add('heredoc', from + found.index + found[0].length);
      return;
    }
    this.hasHeredocEnd = false;
    this.lose('"""', 'closing quotes');
  }

  /** Reports an unclosed text and skips to the next card, since the end of the text is unknown. */
  private lose(quotes: string, missing: string): void {
    const end = this.at + quotes.length;
    this.findings.error('unclosed_text', this.at, end, `${missing} expected: ${quotes} is never closed`, { expected: quotes });
    const next = NEXT_CARD.exec(this.source.slice(end, this.to));
    this.add('lost', next ? end + next.index : this.to);
    this.nextOf.clear();
    this.forgetBrackets();
    this.isFirst = true;
  }

  private sign(code: number): void {
    const sign = signsByFirst[code]?.find((candidate) => this.source.startsWith(candidate, this.at));
    if (sign === undefined) {
      this.unknown();
      return;
    }
    const at = this.tokens.kinds.length;
    this.add(sign, this.at + sign.length);
    if (sign === '(' || sign === '[') {
      this.open.push(at);
      this.firsts.push(this.first);
    } else if (sign === ')' || sign === ']') this.close(at, sign === ')' ? '(' : '[');
  }

  private close(at: number, opening: TokenKind): void {
    // Skips unclosed brackets of the same line; at most `depth` of them, to keep this constant time.
    const least = Math.max(0, this.open.length - NOTEBOOK_LIMITS.depth);
    for (let i = this.open.length - 1; i >= least; i--) {
      const open = this.open[i]!;
      if (this.firsts[i] !== this.firsts.at(-1)) return;
      if (this.tokens.kinds[open] !== opening) continue;
      this.tokens.matches[open] = at;
      this.open.length = this.firsts.length = i;
      return;
    }
  }

  private forgetBrackets(): void {
    this.open = [];
    this.firsts = [];
  }

  private unknown(): void {
    const start = this.at;
    const isKnown = (): boolean => {
      const code = this.source.charCodeAt(this.at);
      return (
        code === LINE_FEED ||
        code === HASH ||
        code === QUOTE ||
        code === APOSTROPHE ||
        (classes[code] ?? 0) > 0 ||
        signsByFirst[code] !== undefined
      );
    };
    do this.at++;
    while (this.at < this.to && !isKnown());
    const found = this.source.slice(start, Math.min(this.at, start + 12));
    this.findings.error('unknown_sign', start, this.at, `'${found}' has no meaning here`);
  }
}
