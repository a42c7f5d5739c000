import getStringTruncatedWidth from 'fast-string-truncated-width';
import { escapeControls } from './escape.js';
import { hyperlink } from './hyperlink.js';
import { painter, type Style } from './painter.js';
import type { Terminal } from './terminal.js';

/** A cell of a table. */
export interface Cell {
  readonly text: string;
  readonly style?: Style | undefined;
  /** The URL that the cell opens, in terminals that have links. */
  readonly link?: string | undefined;
  /** A shorter form of the text, for terminals that are too narrow for the table. */
  readonly short?: string | undefined;
  /** Cut this column last, because its texts are arguments of other commands. */
  readonly isKey?: boolean;
  /** Align the text to the right. */
  readonly isNumber?: boolean;
}

export type Row = readonly (Cell | string)[];

const GAP = '  ';
const ELLIPSIS = '…';
/** Columns are cut to these widths, one after the other; a narrower one is used only if a wider one is too wide for the terminal. */
const MINIMUM_WIDTHS = [8, 4, 1] as const;

/** The time of day of an ISO time, in UTC. */
export const timeOfDay = (time: string): string => time.slice(11, 19);

/** The time of an event: the date is left out where it does not fit. */
export const timeCell = (time: string): Cell => ({ text: time, short: timeOfDay(time), style: 'dim' });

/**
 * Prints rows with aligned columns. In a terminal, each row fits into one line: short forms are used first, then the last columns are cut
 * first. A pipe or a file gets everything.
 */
export function printTable(rows: readonly Row[], terminal: Terminal, indent = ''): void {
  for (const line of tableLines(rows, terminal, indent)) terminal.out(line);
}

/** The capabilities of a terminal. */
export type TerminalLooks = Pick<Terminal, 'columns' | 'isColoured' | 'hasLinks'>;

/** The lines of `printTable`. */
export function tableLines(rows: readonly Row[], { columns, isColoured, hasLinks = false }: TerminalLooks, indent = ''): string[] {
  const table = rows.map((row) => row.map((cell): Cell => plain(typeof cell === 'string' ? { text: cell } : cell)));
  const { cells, widths } = fitted(table, columns === undefined ? Number.POSITIVE_INFINITY : columns - indent.length);
  const paint = painter(isColoured);
  const shown = ({ text, style, link, isNumber }: Cell, i: number): string => {
    const cut = cutText(text, widths[i]!);
    const painted = style && cut !== '' ? paint(style, cut) : cut;
    const linked = hasLinks && link !== undefined ? hyperlink(painted, link) : painted;
    const space = ' '.repeat(widths[i]! - widthOf(cut));
    return isNumber ? space + linked : linked + space;
  };
  return cells.map((row) => {
    const last = row.findLastIndex(({ text }) => text !== '');
    return (
      indent +
      row
        .slice(0, last + 1)
        .map(shown)
        .join(GAP)
        .trimEnd()
    );
  });
}

/** A cell whose text is one line without control characters. */
const plain = (cell: Cell): Cell => ({ ...cell, text: escapeControls(cell.text) });

/** The width of a text in a terminal: wide characters take two columns. */
const widthOf = (text: string): number => getStringTruncatedWidth(text).width;

/** Characters as people see them: an emoji of several code points is one. */
const characters = new Intl.Segmenter();

/** Cuts a text to a width, with an ellipsis where it was cut. */
export function cutText(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return '';
  // The package can cut, too, but does not count a character such as ▶ before it cuts the words after it.
  let [cut, used] = ['', widthOf(ELLIPSIS)];
  for (const { segment } of characters.segment(text)) {
    used += widthOf(segment);
    if (used > width) break;
    cut += segment;
  }
  return cut + ELLIPSIS;
}

/** The cells, with short forms where they are needed, and the widths of the columns. */
function fitted(table: readonly (readonly Cell[])[], limit: number): { cells: readonly (readonly Cell[])[]; widths: readonly number[] } {
  const count = Math.max(0, ...table.map((row) => row.length));
  const all = [...Array(count).keys()];
  let cells = table;
  const measured = (): number[] => all.map((i) => Math.max(0, ...cells.map((row) => widthOf(row[i]?.text ?? ''))));
  let widths = measured();
  const excess = (): number => widths.reduce((sum, width) => sum + width, 0) + GAP.length * (count - 1) - limit;
  for (const i of all) {
    if (excess() <= 0) break;
    cells = cells.map((row) => row.map((cell, at) => (at === i && cell.short !== undefined ? { ...cell, text: cell.short } : cell)));
    widths = measured();
  }
  const isKey = (i: number): boolean => cells.some((row) => row[i]?.isKey === true);
  const shrink = (columns: readonly number[], minimum: number): void => {
    for (const i of columns.toReversed()) {
      const surplus = Math.min(excess(), widths[i]! - minimum);
      if (surplus > 0) widths = widths.with(i, widths[i]! - surplus);
    }
  };
  const [readable, tight, least] = MINIMUM_WIDTHS;
  const others = all.filter((i) => !isKey(i));
  shrink(others, readable);
  shrink(others, tight);
  shrink(all, least);
  return { cells, widths };
}
