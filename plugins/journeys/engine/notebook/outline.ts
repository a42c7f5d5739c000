import type { SourcePosition } from './lines.js';
import { headingOf } from './markdown.js';
import { type ReadNotebook, readNotebook } from './read-notebook.js';
import type { Card } from './syntax.js';

/** The documentation of a notebook: sections with prose, and cards. */
export interface Outline {
  readonly sections: readonly Section[];
  readonly cards: readonly CardOutline[];
}

export interface Section {
  /** Heading level 1 to 6; 0 before the first heading. */
  readonly level: number;
  readonly title: string;
  readonly line: number;
  /** Markdown without code and HTML comments. */
  readonly prose: string;
  /** Cards defined in the section. */
  readonly cards: readonly string[];
}

/** One definition of a card. */
export interface CardOutline extends SourcePosition {
  readonly name: string;
  /** Index of its section. */
  readonly section: number;
  /** The comment above the card; for the first card of a fence also the prose before the fence. */
  readonly documentation: string;
}

interface Draft {
  readonly level: number;
  readonly title: string;
  readonly line: number;
  readonly prose: string[];
  readonly cards: string[];
}

const HEADING = /^(#{1,6})[ \t]/;
const MARKS = /^ {0,3}(`{3,}|~{3,})/;

/** Extracts the documentation of a notebook. Works on text with errors, as far as its cards can be parsed. */
export function outlineOf(text: string): Outline {
  const notebook = readNotebook(text);
  const { source, lines, tokens, program } = notebook;
  const sections: Draft[] = [{ level: 0, title: '', line: 1, prose: [], cards: [] }];
  const cards: CardOutline[] = [];
  let at = 0;
  for (const fence of [...tokens.fences, undefined]) {
    const until = fence?.at ?? source.length;
    const lead = readProse(source.slice(at, until), lines.lineOf(at) + 1, sections);
    if (!fence) break;
    const inside = program.cards.filter((card) => card.fence === fence);
    for (const [i, card] of inside.entries()) {
      sections.at(-1)!.cards.push(card.name);
      const parts = [i === 0 ? lead : '', commentAbove(card, notebook)].filter((part) => part !== '');
      cards.push({ name: card.name, ...lines.at(card.start), section: sections.length - 1, documentation: parts.join('\n\n') });
    }
    const end = source.indexOf('\n', fence.to);
    at = end < 0 ? source.length : end + 1;
  }
  const shown = sections.filter((section, i) => i > 0 || section.prose.length > 0 || section.cards.length > 0);
  const shift = sections.length - shown.length;
  return {
    sections: shown.map(({ prose, cards: names, ...section }) => ({ ...section, prose: prose.join('\n\n'), cards: [...new Set(names)] })),
    cards: cards.map((card) => ({ ...card, section: card.section - shift })),
  };
}

/** Adds prose to the sections, and returns the part behind the last heading. */
function readProse(piece: string, firstLine: number, sections: Draft[]): string {
  let marks: string | undefined;
  let lead: string[] = [];
  const keep = (): string => {
    const prose = lead.join('\n').trim();
    if (prose !== '') sections.at(-1)!.prose.push(prose);
    lead = [];
    return prose;
  };
  for (const [i, line] of withoutComments(piece).split('\n').entries()) {
    const [, found] = MARKS.exec(line) ?? [];
    if (marks === undefined) marks = found;
    else if (found?.startsWith(marks)) marks = undefined;
    const [, level] = marks === undefined ? (HEADING.exec(line) ?? []) : [];
    if (level === undefined) {
      lead.push(line);
      continue;
    }
    keep();
    sections.push({ level: level.length, title: headingOf(line), line: firstLine + i, prose: [], cards: [] });
  }
  return keep();
}

/** Removes HTML comments but keeps their line breaks, so that line numbers stay right. */
function withoutComments(piece: string): string {
  let kept = '';
  let at = 0;
  for (let open = piece.indexOf('<!--'); open >= 0; open = piece.indexOf('<!--', at)) {
    const close = piece.indexOf('-->', open);
    const end = close < 0 ? piece.length : close + 3;
    kept += piece.slice(at, open) + piece.slice(open, end).replace(/[^\n]+/g, '');
    at = end;
  }
  return kept + piece.slice(at);
}

/** The comment lines directly above a card. */
function commentAbove({ start }: Card, { tokens: { comments }, source, lines }: ReadNotebook): string {
  const text: string[] = [];
  let line = lines.lineOf(start);
  for (let i = lastBefore(comments, start); i >= 0; i -= 2) {
    const [from, to] = [comments[i]!, comments[i + 1]!];
    const isOwn = source.slice(lines.startOf(lines.lineOf(from)), from).trim() === '';
    if (!isOwn || lines.lineOf(from) !== line - 1) break;
    line--;
    text.unshift(source.slice(from, to).replace(/^#+ ?/, '').trimEnd());
  }
  return text.join('\n');
}

/** Index of the last comment that starts before an offset. */
function lastBefore(comments: readonly number[], offset: number): number {
  let low = 0;
  let high = comments.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comments[middle * 2]! < offset) low = middle + 1;
    else high = middle;
  }
  return (low - 1) * 2;
}
