/** A position in a notebook, 1-based. Columns count code points. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

const SURROGATE = /[\ud800-\udbff]/;
const isSecondHalf = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** Converts offsets to lines and columns. */
export class Lines {
  private readonly source: string;
  private readonly starts: number[] = [0];
  private readonly hasPairs: boolean;
  /** Last conversion. Columns are counted from there, so that ascending lookups on one long line stay linear. */
  private last = { offset: 0, line: 0, column: 0 };

  constructor(source: string) {
    this.source = source;
    this.hasPairs = SURROGATE.test(source);
    for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) this.starts.push(at + 1);
  }

  get count(): number {
    return this.starts.length;
  }

  /** The text between two offsets. */
  between(start: number, end: number): string {
    return this.source.slice(start, end);
  }

  at(offset: number): SourcePosition {
    const line = this.lineOf(offset);
    const start = this.starts[line]!;
    const column = this.hasPairs ? this.columnOf(offset, line, start) : offset - start;
    return { line: line + 1, column: column + 1 };
  }

  private columnOf(offset: number, line: number, start: number): number {
    const { last } = this;
    const isNear = last.line === line && Math.abs(offset - last.offset) < offset - start;
    const from = isNear ? last.offset : start;
    const [low, high] = [Math.min(from, offset), Math.max(from, offset)];
    let count = high - low;
    for (let i = low; i < high; i++) if (isSecondHalf(this.source.charCodeAt(i))) count--;
    const column = (isNear ? last.column : 0) + (from < offset ? count : -count);
    this.last = { offset, line, column };
    return column;
  }

  /** Line number of an offset, from 0. */
  lineOf(offset: number): number {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Offset of the first character of a line, lines from 0. */
  startOf(line: number): number {
    return this.starts[line] ?? this.source.length;
  }
}
