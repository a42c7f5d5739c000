import { existsSync, writeFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import type { CompiledNotebook, JourneyGraph, Unsaid } from '#engine';
import { draftOf } from '../client/journey-verbs.js';
import { notebookReport, printFindings } from '../reports/journey-report.js';
import { CommandFailed } from '../terminal/command-failed.js';
import { UsageError } from '../terminal/flags.js';
import { expandFolders, NOTEBOOK_FILES, STDIN } from '../terminal/input-files.js';
import { parseJsonFile } from '../terminal/json-file.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import { isNotebook, textOfFile } from './journey-file.js';

/** The flags of these verbs. */
export interface NotebookValues {
  readonly check?: boolean;
  readonly spec?: 'rc3' | 'rc4';
  readonly mermaid?: boolean;
  readonly dot?: boolean;
  readonly svg?: boolean;
  readonly out?: string;
  readonly blocks?: boolean;
  readonly number?: string;
}

type Verb = (files: readonly string[], values: NotebookValues, terminal: Terminal) => Promise<number>;

/** The verbs of `posthorn journey` that format, convert and draw. */
export const notebookVerbs = { fmt, compile, 'to-text': toText, graph } satisfies Readonly<Record<string, Verb>>;

/**
 * Formats notebooks in place, and prints that of standard input; with `check` only lists those that formatting would change. Notebooks
 * with errors stay as they are.
 */
async function fmt(named: readonly string[], { check = false }: NotebookValues, terminal: Terminal): Promise<number> {
  const { formatNotebook } = await import('#engine');
  if (named.length === 0) throw new UsageError('journey fmt needs a file: npx posthorn journey fmt FILE');
  const files = expandFolders(named, terminal.cwd, NOTEBOOK_FILES);
  let code: number = exit.ok;
  for (const file of files) {
    const text = notebookText(file, terminal.cwd, 'fmt');
    const { text: formatted, findings } = formatNotebook(text);
    const errors = findings.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) {
      const shown = file === STDIN ? { ...terminal, out: terminal.err } : terminal;
      printFindings([notebookReport(file, text, errors)], shown, `${file} is not formatted because it has errors`);
      code = exit.failed;
    } else if (file === STDIN && !check) {
      printFile(formatted, terminal);
    } else if (formatted !== text) {
      if (check) code = exit.failed;
      else writeFileSync(resolve(terminal.cwd, file), formatted);
      terminal.out(check ? `${file} is not formatted` : `Formatted ${file}`);
    }
  }
  return code;
}

/** Prints a notebook as it belongs into a file, with its carriage returns: escaped, they would be text. */
const printFile = (text: string, { file, out }: Terminal): void => (file ? file(text) : out(text.replace(/\n$/, '')));

/** Prints the container that a notebook compiles to. */
async function compile(files: readonly string[], { spec = 'rc4' }: NotebookValues, terminal: Terminal): Promise<number> {
  const file = onlyFile(files, 'compile');
  const container = await containerOf(file, notebookText(file, terminal.cwd, 'compile'), terminal);
  if (!container) return exit.failed;
  terminal.out(JSON.stringify(spec === 'rc3' ? asReleaseCandidate3(container) : container, null, 2));
  return exit.ok;
}

/** The container in version rc3 of the specification, whose resources are those of the container instead of its flows. */
const asReleaseCandidate3 = ({ flows, ...about }: Container): Container => ({
  ...about,
  specification_version: '1.0.0-rc3',
  flows: flows.map(({ resources: _, ...flow }) => flow),
  resources: flows.flatMap(({ resources }) => resources ?? []),
});

/** Prints a notebook of a journey that is JSON, and lists on standard error what a notebook cannot express. */
async function toText(files: readonly string[], _: NotebookValues, terminal: Terminal): Promise<number> {
  const file = onlyFile(files, 'to-text');
  const text = textOfFile(file, terminal.cwd);
  if (isNotebook(file, text)) throw new UsageError(`${file} is a notebook already; journey to-text takes a JSON file`);
  const { notebookOf } = await import('#engine');
  const container = await readableContainer(file, parseJsonFile(file, text));
  if (!container) return exit.failed;
  const { text: notebook, unsaid } = notebookOf(container);
  printFile(`${notebook.trimEnd()}\n`, terminal);
  for (const line of lossesOf(unsaid)) terminal.err(line);
  return unsaid.length > 0 ? exit.failed : exit.ok;
}

/** One line for each kind of loss, with its first place and the number of further ones. */
function lossesOf(unsaid: readonly Unsaid[]): readonly string[] {
  const kinds = new Map<string, Unsaid[]>();
  for (const loss of unsaid) {
    const kind = loss.message
      .replaceAll(`'${loss.block}'`, '')
      .replaceAll(/'[^']*'/g, '')
      .replaceAll(/\d+/g, 'N');
    kinds.set(kind, [...(kinds.get(kind) ?? []), loss]);
  }
  return [...kinds.values()].map(([first, ...more]) => {
    const { path, block, message } = first as Unsaid;
    const others = more.length > 0 ? ` (and ${more.length} more like this)` : '';
    return `${path}${block === undefined ? '' : ` (block '${block}')`}: ${message}${others}`;
  });
}

/** Errors with which a container has no blocks to convert or draw. Journeys with other errors can be converted, and fixed as text. */
const UNREADABLE: ReadonlySet<string> = new Set(['invalid_shape', 'unknown_version', 'too_large', 'duplicate_uuid', 'unknown_block']);

/** Prints a graph of the cards of a journey, or of its blocks: of a file, or of a draft in the running sandbox. */
async function graph(named: readonly string[], values: NotebookValues, terminal: Terminal): Promise<number> {
  const wanted = onlyFile(named, 'graph');
  const formats = (['mermaid', 'dot', 'svg'] as const).filter((name) => values[name]);
  if (formats.length > 1) throw new UsageError(`--${formats[0]} contradicts --${formats[1]}; use one of them`);
  const format = values.out === undefined ? (formats[0] ?? 'mermaid') : formatOf(values.out, formats[0]);
  const container = await containerToDraw(wanted, values, terminal);
  if (!container) return exit.failed;
  const { dotOf, graphOf, mermaidOf } = await import('#engine');
  const journey = graphOf(container, values.blocks ? 'block' : 'card');
  const svgOf = await drawing();
  const drawn = { mermaid: mermaidOf, dot: dotOf, svg: svgOf, png: svgOf }[format](journey);
  if (values.out === undefined) terminal.out(drawn.trimEnd());
  else {
    writeFileSync(resolve(terminal.cwd, values.out), format === 'png' ? await (await import('./graph-png.js')).pngOf(drawn) : drawn);
    terminal.out(`Wrote ${values.out}`);
  }
  return exit.ok;
}

/** Draws as the console does. */
async function drawing(): Promise<(journey: JourneyGraph) => string> {
  const [{ svgOf }, { viewOf }] = await Promise.all([
    import('../../plugins/journeys/editing/graph-svg.js'),
    import('../../plugins/journeys/editing/graph-view.js'),
  ]);
  return (journey) => svgOf(viewOf(journey));
}

const FORMATS = { '.svg': 'svg', '.png': 'png', '.dot': 'dot', '.mmd': 'mermaid' } as const;

/** The format of a file of a graph, by the end of its name. @throws UsageError if a flag asks for another one */
function formatOf(file: string, asked: string | undefined): (typeof FORMATS)[keyof typeof FORMATS] {
  const end = extname(file).toLowerCase();
  const format = Object.hasOwn(FORMATS, end) ? FORMATS[end as keyof typeof FORMATS] : undefined;
  if (!format) throw new UsageError(`--out takes a name that ends in ${Object.keys(FORMATS).join(', ')}, not '${file}'`);
  if (asked !== undefined && asked !== format) throw new UsageError(`--${asked} contradicts --out ${file}; use one of them`);
  return format;
}

async function containerToDraw(wanted: string, { number }: NotebookValues, terminal: Terminal): Promise<Container | undefined> {
  const isFile = wanted === STDIN || existsSync(resolve(terminal.cwd, wanted)) || ['.json', '.md', '.markdown'].includes(extname(wanted));
  if (!isFile) return readableContainer(wanted, await draftOf(wanted, number, terminal.cwd));
  const text = textOfFile(wanted, terminal.cwd);
  return isNotebook(wanted, text) ? containerOf(wanted, text, terminal) : readableContainer(wanted, parseJsonFile(wanted, text));
}

type Container = NonNullable<CompiledNotebook['container']>;

/** Compiles a notebook; prints its findings to standard error. */
async function containerOf(file: string, text: string, terminal: Terminal): Promise<Container | undefined> {
  const { compileNotebook } = await import('#engine');
  const { container, findings } = compileNotebook(text);
  if (findings.length > 0)
    printFindings([notebookReport(file, text, findings)], { ...terminal, out: terminal.err }, container ? '' : `${file} has errors`);
  return container;
}

/** Checks a journey that is JSON. @throws CommandFailed with the first error if its blocks cannot be read */
async function readableContainer(name: string, container: object): Promise<Container> {
  const { lint } = await import('#engine');
  const error = lint(container).find(({ severity, code }) => severity === 'error' && UNREADABLE.has(code));
  if (!error) return container as Container;
  throw new CommandFailed(`${name} has errors: ${error.path || '/'}: ${error.message}`, { next: 'npx posthorn journey lint FILE' });
}

function notebookText(file: string, cwd: string, verb: string): string {
  const text = textOfFile(file, cwd);
  if (isNotebook(file, text)) return text;
  throw new UsageError(`${file} is JSON; journey ${verb} takes a notebook. To convert JSON: npx posthorn journey to-text ${file}`);
}

function onlyFile(files: readonly string[], verb: string): string {
  if (files.length === 1) return files[0]!;
  throw new UsageError(`journey ${verb} ${files.length === 0 ? 'needs a' : 'takes one'} file: npx posthorn journey ${verb} FILE`);
}
