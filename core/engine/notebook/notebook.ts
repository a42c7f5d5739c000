import type { JsonObject } from '../../json.js';
import type { Container } from '../floip.js';
import { type Cards, cardsByName, checkCards } from './check.js';
import { compileProgram, type JourneyOptions } from './compile.js';
import { Findings, type NotebookFinding } from './findings.js';
import { NOTEBOOK_LIMITS } from './limits.js';
import { Lines } from './lines.js';
import { type Markdown, readMarkdown } from './markdown.js';
import { parse } from './parse.js';
import type { Layout } from './reading.js';
import type { Sources } from './sources.js';
import type { Program, TriggerNode } from './syntax.js';
import { tokenize } from './tokenize.js';
import { Tokens } from './tokens.js';

/** A trigger: an event, or an interval before or after a date field of the contact. */
export type NotebookTrigger =
  | { readonly on: string; readonly when?: string }
  | { readonly interval: string; readonly relative_to: string; readonly when?: string };

export interface CompiledNotebook {
  /** Undefined when the notebook has errors. */
  readonly container: Container | undefined;
  readonly triggers: readonly NotebookTrigger[];
  /** The journey's parameters, for `config` in expressions. Also in `vendor_metadata.svc.config` of the container. */
  readonly config: JsonObject;
  /** The first heading of the first level. */
  readonly title: string | undefined;
  /** Errors and warnings in source order. */
  readonly findings: readonly NotebookFinding[];
  /** Source positions of the parts of the container. */
  readonly sources: Sources | undefined;
}

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

/** The limit that a text exceeds, found without reading it. */
function excessOf(text: string): string | undefined {
  const bytes = text.length > NOTEBOOK_LIMITS.bytes ? text.length : Buffer.byteLength(text);
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

/**
 * Compiles a notebook to a container. Deterministic, uuids included; editing one card keeps the uuids of the others. Never throws:
 * all faults of the text are in `findings`.
 */
export function compileNotebook(text: string, options: JourneyOptions = {}): CompiledNotebook {
  return compileRead(readNotebook(text), options);
}

export function compileRead(
  { lines, markdown, tokens, program, cards, findings }: ReadNotebook,
  options: JourneyOptions,
): CompiledNotebook {
  const { config, title } = markdown;
  const around = { config, title, fences: tokens.fences, lines };
  const compiled = findings.hasErrors ? undefined : compileProgram(program, cards, around, findings, options);
  return {
    container: compiled?.container,
    triggers: program.triggers.map(triggerOf),
    config,
    title,
    findings: findings.list(lines),
    sources: compiled?.sources,
  };
}

const triggerOf = ({ on, interval, relativeTo, when }: TriggerNode): NotebookTrigger => {
  const condition = when && { when: when.text };
  return interval !== undefined ? { interval, relative_to: relativeTo ?? '', ...condition } : { on: on ?? '', ...condition };
};
