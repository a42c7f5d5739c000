import { ExpressionError } from './value.js';

const SPACE = /[ \t\r\n]*/y;

/** A position in a source text. Patterns must be sticky. */
export class Cursor {
  readonly source: string;
  at = 0;

  constructor(source: string) {
    this.source = source;
  }

  starts(text: string): boolean {
    return this.source.startsWith(text, this.at);
  }

  take(text: string): boolean {
    if (!this.starts(text)) return false;
    this.at += text.length;
    return true;
  }

  startsAfterSpace(text: string): boolean {
    const start = this.at;
    this.skipSpace();
    const starts = this.starts(text);
    this.at = start;
    return starts;
  }

  takeAfterSpace(text: string): boolean {
    const start = this.at;
    this.skipSpace();
    if (this.take(text)) return true;
    this.at = start;
    return false;
  }

  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.source)?.[0];
    if (match === undefined) return undefined;
    this.at += match.length;
    return match;
  }

  skipSpace(): void {
    this.match(SPACE);
  }

  expect(text: string): void {
    this.skipSpace();
    if (!this.take(text)) throw this.fault(`expected '${text}'`);
  }

  /** An error with its position and the text that follows. */
  fault(reason: string): ExpressionError {
    const found = this.at < this.source.length ? `before '${this.source.slice(this.at, this.at + 20)}'` : 'at the end';
    return new ExpressionError('parse', `${reason} ${found} (position ${this.at + 1})`);
  }
}
