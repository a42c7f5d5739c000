import { type Cards, cardsByName, checkCards } from './check.js';
import { Findings } from './findings.js';
import { NOTEBOOK_LIMITS } from './limits.js';
import { Lines } from './lines.js';
import { type Markdown, readMarkdown } from './markdown.js';
import { parse } from './parse.js';
import type { Layout } from './reading.js';
import type { Program } from './syntax.js';
import { tokenize } from './tokenize.js';
import { Tokens } from './tokens.js';

/** A parsed notebook. */
export interface ReadNotebook {
  /** The text that offsets refer to: no byte order mark, single line feeds. */
  readonly source: string;
  readonly lines: Lines;
  readonly markdown: Markdown;
  readonly tokens: Tokens;
  readonly program: Program;
  readonly cards: Cards;
  readonly layout: Layout;
  readonly findings: Findings;
}

/** Removes a byte order mark and turns CRLF into LF. Offsets refer to the result. */
export const normalized = (text: string): string => {
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  return plain.includes('\r\n') ? plain.replaceAll('\r\n', '\n') : plain;
};

const utf8 = new TextEncoder();

/** The limit that a text exceeds, found without reading it. */
function excessOf(text: string): string | undefined {
  // Not `Buffer`: editors run this in a browser.
  const bytes = text.length > NOTEBOOK_LIMITS.bytes ? text.length : utf8.encode(text).length;
  if (bytes > NOTEBOOK_LIMITS.bytes) return `a notebook has at most ${NOTEBOOK_LIMITS.bytes} bytes, this has ${bytes} or more`;
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines > NOTEBOOK_LIMITS.lines ? `a notebook has at most ${NOTEBOOK_LIMITS.lines} lines, this has ${lines}` : undefined;
}

/** Parses and checks a notebook. Never throws; faults are findings. */
export function readNotebook(text: string): ReadNotebook {
  const findings = new Findings();
  const excess = excessOf(text);
  const source = excess === undefined ? normalized(text) : '';
  if (excess !== undefined) findings.error('too_large', 0, 0, excess);
  const lines = new Lines(source);
  const markdown = readMarkdown(source, findings);
  const tokens = tokenize(source, markdown.fences, findings);
  const isReadable = tokens.kinds.length <= NOTEBOOK_LIMITS.tokens;
  const { program, layout } = parse(isReadable ? tokens : new Tokens(source), findings);
  if (program.cards.length === 0 && !findings.hasErrors)
    findings.error('no_card', 0, 0, 'at least one card in a fence marked stack expected', { expected: 'card Name do' });
  const cards = cardsByName(program);
  checkCards(program, cards, findings);
  return { source, lines, markdown, tokens, program, cards, layout, findings };
}
