import type { JsonObject } from '#core/basics';
import type { Container } from '../floip.js';
import { compileProgram, type JourneyOptions } from './compile.js';
import type { NotebookFinding } from './findings.js';
import type { SourcePosition } from './lines.js';
import { type ReadNotebook, readNotebook } from './read-notebook.js';
import type { Sources } from './sources.js';
import type { TriggerNode } from './syntax.js';

/** A trigger: an event, or an interval before or after a date field of the contact. */
export type NotebookTrigger =
  | { readonly on: string; readonly when?: string }
  | { readonly interval: string; readonly relative_to: string; readonly when?: string };

export interface CompiledNotebook {
  /** Undefined when the notebook has errors. */
  readonly container: Container | undefined;
  readonly triggers: readonly NotebookTrigger[];
  /** Where each trigger begins. */
  readonly triggerPlaces: readonly SourcePosition[];
  /** The journey's parameters, for `config` in expressions. Also in `vendor_metadata.svc.config` of the container. */
  readonly config: JsonObject;
  /** The first heading of the first level. */
  readonly title: string | undefined;
  /** Errors and warnings in source order. */
  readonly findings: readonly NotebookFinding[];
  /** Source positions of the parts of the container. */
  readonly sources: Sources | undefined;
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
    triggerPlaces: program.triggers.map(({ start }) => lines.at(start)),
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
