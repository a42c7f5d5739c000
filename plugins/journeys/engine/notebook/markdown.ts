import { type JsonObject, nearest } from '#core/basics';
import type { Findings } from './findings.js';

/** A fence marked `stack`, or a bare text of code. */
export interface Fence {
  /** Offset of the opening line. */
  readonly at: number;
  /** Offsets of the body, including its last line break. */
  readonly from: number;
  readonly to: number;
  /** Spaces before the fence marks; Markdown removes as many from each line inside. */
  readonly indent: number;
  readonly canvas: Canvas | undefined;
}

/** Canvas position of the blocks of a fence. */
export interface Canvas {
  readonly section: string;
  readonly x: number;
  readonly y: number;
}

/** Code and parameters of a notebook. */
export interface Markdown {
  readonly fences: readonly Fence[];
  /** The journey's parameters, as expressions read them from `config`: the dictionary `config` as `items`, and each table under its name. */
  readonly config: JsonObject;
  /** The first heading of the first level. */
  readonly title: string | undefined;
}

const OPENING = /^( {0,3})(`{3,}|~{3,})[ \t]*([^\n]*)$/;
const ANY_FENCE = /^ {0,3}(?:`{3}|~{3})/m;
const SPACE = /\s*/y;
const FIRST_WORD = /(?:card|stack|trigger|interaction_timeout)\b/y;
const CANVAS = /^\s*\{\s*section:\s*"([^"]*)"\s*,\s*x:\s*(-?\d+(?:\.\d+)?)\s*,\s*y:\s*(-?\d+(?:\.\d+)?)\s*\}\s*$/;
const NAMED = /^[ \t]*(dictionary|table):[ \t]*"([^"\n]*)"[ \t]*$/m;

/** Finds code and parameters. Line breaks must be single line feeds. */
export function readMarkdown(source: string, findings: Findings): Markdown {
  if (!ANY_FENCE.test(source) && beginsWithCode(source))
    return { fences: [{ at: 0, from: 0, to: source.length, indent: 0, canvas: undefined }], config: {}, title: undefined };
  const fences: Fence[] = [];
  const config: [string, JsonObject | readonly JsonObject[]][] = [];
  let canvas: Canvas | undefined;
  let title: string | undefined;
  for (let at = 0; at < source.length; ) {
    const end = endOfLine(source, at);
    const mark = source.charCodeAt(at + indentAt(source, at));
    if (mark === LESS && source.startsWith('<!--', at + indentAt(source, at))) {
      const close = source.indexOf('-->', at);
      if (close < 0) {
        findings.error('unclosed_comment', at, end, "'-->' expected: this comment is never closed", { expected: '-->' });
        break;
      }
      const comment = source.slice(source.indexOf('<!--', at) + 4, close);
      canvas = canvasIn(comment) ?? canvas;
      at = endOfLine(source, close) + 1;
      const parameter = parameterIn(comment, source, at);
      if (parameter) config.push(parameter);
      continue;
    }
    const opening = mark === BACKTICK || mark === TILDE ? openingOf(source.slice(at, end)) : undefined;
    if (opening) {
      const from = Math.min(end + 1, source.length);
      const close = closingOf(source, from, opening.marks);
      if (opening.isStack) {
        if (close === undefined)
          findings.error('unclosed_fence', at, end, `'${opening.marks}' expected: this fence is never closed`, { expected: opening.marks });
        fences.push({ at, from, to: close ?? source.length, indent: opening.indent, canvas });
      }
      if (!opening.isStack) checkUnread(source.slice(at, end), at, findings);
      canvas = undefined;
      at = close === undefined ? source.length : endOfLine(source, close) + 1;
      continue;
    }
    if (!opening) checkUnread(source.slice(at, end), at, findings);
    if (mark === HASH && title === undefined && source.startsWith('# ', at)) title = headingOf(source.slice(at, end));
    at = end + 1;
  }
  return { fences, config: Object.fromEntries(config), title };
}

/** Whether the text starts with code, after comments. */
function beginsWithCode(source: string): boolean {
  let at = 0;
  for (;;) {
    SPACE.lastIndex = at;
    SPACE.test(source);
    at = SPACE.lastIndex;
    if (source[at] !== '#') break;
    at = endOfLine(source, at);
  }
  FIRST_WORD.lastIndex = at;
  return FIRST_WORD.test(source);
}

/** The text of a heading line, without its marks. */
export function headingOf(line: string): string {
  const title = line.replace(/^#+/, '').trim();
  let end = title.length;
  while (title[end - 1] === '#') end--;
  return end === 0 || title[end - 1] === ' ' ? title.slice(0, end).trimEnd() : title;
}

const HASH = 0x23;
const LESS = 0x3c;
const BACKTICK = 0x60;
const TILDE = 0x7e;

function endOfLine(source: string, at: number): number {
  const end = source.indexOf('\n', at);
  return end < 0 ? source.length : end;
}

/** At most three spaces: Markdown reads four as an indented code block. */
function indentAt(source: string, at: number): number {
  let indent = 0;
  while (indent < 3 && source.charCodeAt(at + indent) === 0x20) indent++;
  return indent;
}

function openingOf(line: string): { marks: string; indent: number; isStack: boolean } | undefined {
  const [, indent = '', marks = '', info = ''] = OPENING.exec(line) ?? [];
  if (marks === '' || (marks.startsWith('`') && info.includes('`'))) return undefined;
  return { marks, indent: indent.length, isStack: info.split(/\s/, 1)[0]?.toLowerCase() === 'stack' };
}

/** A fence in a list, a quotation or indented code too, with its first word. */
const MARKED = /^([\s>]{0,40}(?:(?:[-*+]|\d{1,3}[.)])\s+)?[\s>]{0,40})(?:`{3,}|~{3,})[ \t]*([^\s`]{1,40})/;

const ANY_MARK = /`{3}|~{3}/;

/** Warns about a fence that its author probably meant as code, because nothing in it is read. */
function checkUnread(line: string, at: number, findings: Findings): void {
  const [, before = '', info = ''] = (ANY_MARK.test(line) && MARKED.exec(line)) || [];
  const word = info.toLowerCase().replace(/[^a-z]/g, '');
  if (!word.startsWith('stack') && (word.length < 4 || nearest(word, ['stack']) === undefined)) return;
  const isPlaced = /^ {0,3}$/.test(before);
  const reason = isPlaced ? `it is marked '${info}' instead of 'stack'` : 'it is indented too far, quoted, or part of a list';
  findings.warning('unread_fence', at, at + line.length, `this fence is not read, because ${reason}`, { expected: 'stack' });
}

/** Offset of the line that closes a fence: at least as many of the same mark, and nothing else. */
function closingOf(source: string, from: number, marks: string): number | undefined {
  for (let at = from; at < source.length; at = endOfLine(source, at) + 1) {
    if (!source.startsWith(marks, at + indentAt(source, at))) continue;
    const line = source.slice(at, endOfLine(source, at)).trim();
    if (line.split('').every((sign) => sign === marks[0])) return at;
  }
  return undefined;
}

function canvasIn(comment: string): Canvas | undefined {
  const [, section, x, y] = CANVAS.exec(comment) ?? [];
  return section === undefined ? undefined : { section, x: Number(x), y: Number(y) };
}

/** The parameter that a comment names, read from the table after it. */
function parameterIn(comment: string, source: string, after: number): [string, JsonObject | readonly JsonObject[]] | undefined {
  const [, kind, name] = NAMED.exec(comment) ?? [];
  if (kind === undefined || name === undefined) return undefined;
  const [head = [], ...rows] = tableAt(source, after);
  if (kind === 'table') return [name, rows.map((row) => Object.fromEntries(head.map((key, i) => [key, row[i] ?? ''])))];
  return [name === 'config' ? 'items' : name, Object.fromEntries(rows.map(([key = '', value = '']) => [key, value]))];
}

/** Rows of the Markdown table that follows, without the separator line. */
function tableAt(source: string, after: number): string[][] {
  const rows: string[][] = [];
  for (let at = after; at < source.length; at = endOfLine(source, at) + 1) {
    const line = source.slice(at, endOfLine(source, at)).trim();
    if (line === '' && rows.length === 0) continue;
    if (!line.startsWith('|')) break;
    const cells = cellsOf(line);
    if (!(rows.length === 1 && cells.every((cell) => /^:?-+:?$/.test(cell)))) rows.push(cells);
  }
  return rows;
}

const cellsOf = (line: string): string[] =>
  line
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
