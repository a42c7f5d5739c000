import type { TextRange } from './result.js';

/** Converts offsets to lines and columns. A line ends with LF, CR LF or CR. */
export function positionsIn(text: string) {
  let starts: number[] | undefined;

  /** Line numbers start at 0 here. */
  const lineOf = (offset: number): number => {
    starts ??= lineStarts(text);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  };

  /** @param end the offset after the last character */
  return function rangeOf(start: number, end: number): TextRange {
    const last = Math.max(start, end - 1);
    const first = lineOf(start);
    const final = lineOf(last);
    return {
      line_start: first + 1,
      line_end: final + 1,
      column_start: start - starts![first]! + 1,
      column_end: last - starts![final]! + 1,
    };
  };
}

/** `indexOf` for each character, because a regular expression takes as long as parsing the JSON. */
function lineStarts(text: string): number[] {
  const starts = [0];
  let feed = text.indexOf('\n');
  let carriage = text.indexOf('\r');
  while (feed >= 0 || carriage >= 0) {
    const isFeed = carriage < 0 || (feed >= 0 && feed < carriage);
    const at = isFeed ? feed : carriage;
    const end = !isFeed && feed === at + 1 ? feed : at;
    starts.push(end + 1);
    if (feed >= 0 && feed <= end) feed = text.indexOf('\n', end + 1);
    if (carriage >= 0 && carriage <= end) carriage = text.indexOf('\r', end + 1);
  }
  return starts;
}
