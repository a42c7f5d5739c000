import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CompiledNotebook, GraphLevel } from '#core/engine';
import { notebookReport, printFindings } from '../reports/journey-report.js';
import { UsageError } from '../terminal/flags.js';
import { parseJsonFile } from '../terminal/json-file.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import { isNotebook, textOfFile } from './journey-file.js';

/** The flags of these verbs. */
export interface NotebookValues {
  readonly json?: boolean;
  readonly check?: boolean;
  readonly mermaid?: boolean;
  readonly dot?: boolean;
  readonly svg?: boolean;
  readonly blocks?: boolean;
}

type Verb = (files: readonly string[], values: NotebookValues, terminal: Terminal) => Promise<number>;

/** The verbs of `posthorn journey` that work on files alone. */
export const notebookVerbs: Readonly<Record<string, Verb>> = { fmt, compile, 'to-text': toText, graph };

/** Formats notebooks in place; with `check` only lists the files that formatting would change. Files with errors stay as they are. */
async function fmt(files: readonly string[], { check = false }: NotebookValues, terminal: Terminal): Promise<number> {
  const { formatNotebook } = await import('#core/engine');
  let code: number = exit.ok;
  for (const file of files) {
    const text = notebookText(file, terminal.cwd, 'fmt');
    const { text: formatted, findings } = formatNotebook(text);
    const errors = findings.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) {
      printFindings([notebookReport(file, text, errors)], terminal, `${file} is not formatted because it has errors`);
      code = exit.failed;
    } else if (formatted !== text) {
      if (check) code = exit.failed;
      else writeFileSync(resolve(terminal.cwd, file), formatted);
      terminal.out(check ? `${file} is not formatted` : `Formatted ${file}`);
    }
  }
  return code;
}

/** Prints the container that a notebook compiles to. */
async function compile(files: readonly string[], _: NotebookValues, terminal: Terminal): Promise<number> {
  const file = onlyFile(files, 'compile');
  const container = await containerOf(file, notebookText(file, terminal.cwd, 'compile'), terminal);
  if (!container) return exit.failed;
  terminal.out(JSON.stringify(container, null, 2));
  return exit.ok;
}

/** Prints a notebook of a journey that is JSON, and lists on standard error what a notebook cannot express. */
async function toText(files: readonly string[], _: NotebookValues, terminal: Terminal): Promise<number> {
  const file = onlyFile(files, 'to-text');
  const text = textOfFile(file, terminal.cwd);
  if (isNotebook(file, text)) throw new UsageError(`${file} is a notebook already; journey to-text takes a JSON file`);
  const { notebookOf } = await import('#core/engine');
  const container = await lintedContainer(file, text, terminal);
  if (!container) return exit.failed;
  const { text: notebook, unsaid } = notebookOf(container);
  terminal.out(notebook.trimEnd());
  for (const { path, block, message } of unsaid) terminal.err(`${path}${block === undefined ? '' : ` (block '${block}')`}: ${message}`);
  return unsaid.length > 0 ? exit.failed : exit.ok;
}

/** Errors with which a container has no blocks to convert or draw. Journeys with other errors can be converted, and fixed as text. */
const UNREADABLE: ReadonlySet<string> = new Set(['invalid_shape', 'unknown_version', 'too_large', 'duplicate_uuid', 'unknown_block']);

/** Prints a graph of the cards of a journey, or of its blocks. */
async function graph(files: readonly string[], values: NotebookValues, terminal: Terminal): Promise<number> {
  const file = onlyFile(files, 'graph');
  const formats = (['mermaid', 'dot', 'svg'] as const).filter((name) => values[name]);
  if (formats.length > 1) throw new UsageError(`--${formats[0]} contradicts --${formats[1]}; use one of them`);
  const text = textOfFile(file, terminal.cwd);
  const container = isNotebook(file, text) ? await containerOf(file, text, terminal) : await lintedContainer(file, text, terminal);
  if (!container) return exit.failed;
  const drawn = await drawGraph(container, formats[0] ?? 'mermaid', values.blocks ? 'block' : 'card');
  terminal.out(drawn.trimEnd());
  return exit.ok;
}

/** A container that can be compiled, as Mermaid, Graphviz or SVG. */
export async function drawGraph(container: Container, format: 'mermaid' | 'dot' | 'svg', level: GraphLevel): Promise<string> {
  const { dotOf, graphOf, mermaidOf } = await import('#core/engine');
  const journey = graphOf(container, level);
  if (format === 'svg') return (await import('./graph-svg.js')).svgOf(journey);
  return format === 'dot' ? dotOf(journey) : mermaidOf(journey);
}

type Container = NonNullable<CompiledNotebook['container']>;

/** Compiles a notebook; prints its findings to standard error. */
async function containerOf(file: string, text: string, terminal: Terminal): Promise<Container | undefined> {
  const { compileNotebook } = await import('#core/engine');
  const { container, findings } = compileNotebook(text);
  if (findings.length > 0)
    printFindings([notebookReport(file, text, findings)], { ...terminal, out: terminal.err }, container ? '' : `${file} has errors`);
  return container;
}

/** Reads a journey that is JSON; prints the first error if its blocks cannot be read. */
async function lintedContainer(file: string, text: string, terminal: Terminal): Promise<Container | undefined> {
  const { lint } = await import('#core/engine');
  const container = parseJsonFile(file, text);
  const error = lint(container).find(({ severity, code }) => severity === 'error' && UNREADABLE.has(code));
  if (!error) return container as Container;
  terminal.err(
    `posthorn: ${file} has errors: ${error.path || '/'}: ${error.message}. Find all of them with: posthorn journey lint ${file}`,
  );
  return undefined;
}

function notebookText(file: string, cwd: string, verb: string): string {
  const text = textOfFile(file, cwd);
  if (isNotebook(file, text)) return text;
  throw new UsageError(`${file} is JSON; journey ${verb} takes a notebook. To convert JSON: posthorn journey to-text ${file}`);
}

function onlyFile(files: readonly string[], verb: string): string {
  if (files.length > 1) throw new UsageError(`journey ${verb} takes one file`);
  return files[0]!;
}
