import type { Fence } from './markdown.js';

/**
 * Reserved words and signs are kinds of their own. `lost` covers an unclosed text and everything up to the next card; `fence` ends
 * each fence.
 */
export type TokenKind = 'name' | 'keyword' | 'number' | 'date' | 'text' | 'heredoc' | 'capture' | 'lost' | 'fence' | Reserved | Sign;

const RESERVED = ['card', 'stack', 'do', 'end', 'when', 'else', 'and', 'or', 'not', 'true', 'false', 'nil', 'null', 'if'] as const;
type Reserved = (typeof RESERVED)[number];
/** Words that cannot be names of variables or cards. */
export const reservedWords: ReadonlySet<string> = new Set(RESERVED);

/** Longer signs first. */
export const SIGNS = [
  ...['==', '!=', '<>', '<=', '>=', '..', '//'],
  ...['(', ')', '[', ']', ',', '.', '=', '<', '>', '+', '-', '*', '/', '%', '^', '&', '@'],
] as const;
export type Sign = (typeof SIGNS)[number];

/** Tokens from one up to but not including another. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Initial capacity. */
const FIRST_ROOM = 256;

/** The tokens of all fences, as parallel columns: objects per token doubled the time of tokenising. */
export class Tokens {
  readonly source: string;
  readonly kinds: TokenKind[] = [];
  starts = new Int32Array(FIRST_ROOM);
  ends = new Int32Array(FIRST_ROOM);
  /** Closing bracket of an opening one; -1 for unclosed brackets and all other tokens. */
  matches = new Int32Array(FIRST_ROOM);
  /** 1 for the first token of a line. */
  breaks = new Uint8Array(FIRST_ROOM);
  readonly fences: Fence[] = [];
  /** Alternating start and end offsets of comments, including the `#`. */
  readonly comments: number[] = [];

  constructor(source: string) {
    this.source = source;
  }

  add(kind: TokenKind, start: number, end: number, isFirst: boolean): void {
    const i = this.kinds.length;
    if (i === this.starts.length) this.grow();
    this.kinds.push(kind);
    this.starts[i] = start;
    this.ends[i] = end;
    this.matches[i] = -1;
    this.breaks[i] = isFirst ? 1 : 0;
  }

  private grow(): void {
    const room = this.starts.length * 4;
    const wider = (column: Int32Array): Int32Array<ArrayBuffer> => {
      const copy = new Int32Array(room);
      copy.set(column);
      return copy;
    };
    [this.starts, this.ends, this.matches] = [wider(this.starts), wider(this.ends), wider(this.matches)];
    const breaks = new Uint8Array(room);
    breaks.set(this.breaks);
    this.breaks = breaks;
  }

  /** Source text of a token; without the colon for keywords. */
  textOf(i: number): string {
    return this.source.slice(this.starts[i], this.kinds[i] === 'keyword' ? this.ends[i]! - 1 : this.ends[i]);
  }

  /** Whether a token directly follows its left neighbour. */
  isGlued(i: number): boolean {
    return i > 0 && this.starts[i] === this.ends[i - 1];
  }

  /** The last token that ends at or before an offset; -1 for none. */
  before(offset: number): number {
    let low = 0;
    let high = this.kinds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.ends[middle]! <= offset) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Comma-separated parts inside a closed bracket. A trailing comma adds none. */
  parts(open: number): Range[] {
    const close = this.matches[open]!;
    const parts: Range[] = [];
    let from = open + 1;
    for (let i = from; i < close; i++) {
      if (this.matches[i]! > 0) i = this.matches[i]!;
      else if (this.kinds[i] === ',') {
        parts.push({ from, to: i });
        from = i + 1;
      }
    }
    return from < close ? [...parts, { from, to: close }] : parts;
  }

  /** A token for messages, shortened. */
  shown(i: number): string {
    const kind = this.kinds[i];
    if (kind === 'fence') return 'the end of the code';
    const text = this.source.slice(this.starts[i], this.ends[i]);
    return text.length > 24 || text.includes('\n') ? `${text.slice(0, 20).split('\n', 1)[0]}…` : kind === 'text' ? text : `'${text}'`;
  }
}
