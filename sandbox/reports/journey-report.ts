import type { JsonObject } from '#core';
import type { JsonSource, Position } from '../../plugins/journeys/editing/json-source.js';
import { calledSkills } from '../notebooks/called-skills.js';
import { isNotebook, type JourneySource, textOfFile } from '../notebooks/journey-file.js';
import { UsageError } from '../terminal/flags.js';
import { type Paint, painter } from '../terminal/painter.js';
import type { Terminal } from '../terminal/terminal.js';

const LINES_BEFORE = 2;

export interface LocatedFinding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly path: string;
  readonly message: string;
  readonly fix: string;
  readonly block?: string | undefined;
}

/** The findings of a file, each with the position to mark; and the skills that its journey calls. */
export interface FileReport {
  readonly source: Pick<JsonSource, 'lines'>;
  readonly findings: readonly { readonly finding: LocatedFinding; readonly at: Position }[];
  readonly skills?: readonly string[];
}

/** Reads and lints a journey file: JSON or a notebook. @throws UsageError when the file cannot be read or is larger than 10 MiB */
export async function lintFile(file: string, cwd: string): Promise<FileReport> {
  const text = textOfFile(file, cwd);
  const { checkNotebook, compileNotebook, lint, stepsOfPointer } = await import('#engine');
  if (isNotebook(file, text)) {
    const skills = calledSkills(compileNotebook(text).container);
    return { ...notebookReport(file, text, checkNotebook(text).findings), skills };
  }
  const { readSource } = await import('../../plugins/journeys/editing/json-source.js');
  const source = readSource(text);
  const faults = source.faults.map(({ at, ...fault }) => ({
    finding: { file, line: at.line, column: at.column, ...fault, path: '', fix: 'Correct the file: it must be plain JSON (RFC 8259).' },
    at,
  }));
  if (source.value === undefined) return { source, findings: faults };
  const findings = [...faults, ...located(lint(source.value), file, source, stepsOfPointer)];
  return { source, findings, skills: calledSkills(source.value) };
}

/** A journey to push. `report` places the problems that the platform found. */
export interface ReadJourney {
  readonly source: JourneySource;
  report(problems: readonly TextFinding[]): FileReport;
}

/** Reads a journey file. @throws UsageError when it cannot be read, or is not JSON, with the place of the mistake */
export async function readJourney(file: string, cwd: string): Promise<ReadJourney> {
  const text = textOfFile(file, cwd);
  if (isNotebook(file, text)) return { source: { notebook: text }, report: (problems) => notebookReport(file, text, problems) };
  const [{ readSource }, { stepsOfPointer }] = await Promise.all([
    import('../../plugins/journeys/editing/json-source.js'),
    import('#engine'),
  ]);
  const source = readSource(text);
  const [fault] = source.faults.filter(({ severity }) => severity === 'error');
  if (fault) throw new UsageError(`${file}:${fault.at.line}:${fault.at.column}: ${fault.message}`);
  return {
    source: { definition: source.value as JsonObject },
    report: (problems) => ({ source, findings: located(problems, file, source, stepsOfPointer) }),
  };
}

const located = (
  findings: readonly TextFinding[],
  file: string,
  source: JsonSource,
  stepsOf: (pointer: string) => readonly (string | number)[],
): FileReport['findings'] =>
  findings.map(({ path = '', ...finding }) => {
    const at = source.positionOf(stepsOf(path));
    return { finding: { file, ...finding, path, line: at.line, column: at.column }, at };
  });

/** A finding about a text, as the compiler and the admin API report it. Columns count characters. */
export interface TextFinding extends Omit<LocatedFinding, 'file' | 'line' | 'column' | 'path'> {
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly end?: { readonly line: number; readonly column: number } | undefined;
  readonly path?: string | undefined;
}

/** The findings of a notebook, with the text to mark. */
export function notebookReport(file: string, text: string, findings: readonly TextFinding[]): FileReport {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  // The marks below a line count UTF-16 units.
  const offsetOf = (line: number, column: number): number =>
    [...(lines[line - 1] ?? '')].slice(0, column - 1).reduce((length, character) => length + character.length, 0);
  return {
    source: { lines },
    findings: findings.map(({ line = 1, column = 1, end = { line, column }, path = '', ...finding }) => {
      const from = offsetOf(line, column);
      const to = end.line === line ? offsetOf(line, end.column) : (lines[line - 1]?.length ?? 0);
      const at = { line, column: from + 1, length: Math.max(1, to - from) };
      return { finding: { file, line, column, ...finding, path }, at };
    }),
  };
}

/** Prints every finding with its place in the file, then the total. */
export function printFindings(reports: readonly FileReport[], terminal: Terminal, total: string): void {
  const paint = painter(terminal.isColoured);
  for (const { source, findings } of reports) {
    for (const { finding, at } of findings) {
      const { file, line, column, severity, code, message, fix, block } = finding;
      const colour = severity === 'error' ? 'red' : 'yellow';
      const location = block ? paint('dim', ` (block '${block}')`) : '';
      terminal.out(`${paint('bold', `${file}:${line}:${column}`)} ${paint(colour, severity)} ${code}: ${message}${location}`);
      for (const shown of frame(source.lines, at, paint)) terminal.out(shown);
      terminal.out(`  ${paint('cyan', 'fix')}: ${fix}`);
      terminal.out('');
    }
  }
  const skills = [...new Set(reports.flatMap(({ skills = [] }) => skills))];
  if (skills.length > 0)
    terminal.out(`Calls skills that the number must have: ${skills.join(', ')}. To try without them: sim --skills FILE`);
  terminal.out(total);
}

/** The line of a finding with two lines before it, and marks below. */
function frame(lines: readonly string[], { line, column, length }: Position, paint: Paint): readonly string[] {
  const first = Math.max(1, line - LINES_BEFORE);
  const width = String(line).length;
  const shown = lines.slice(first - 1, line).map((text, i) => {
    const number = String(first + i).padStart(width);
    return `  ${paint('dim', `${number} |`)} ${cut(text)}`;
  });
  const marks =
    column <= MAX_COLUMNS
      ? [
          `  ${' '.repeat(width)} ${paint('dim', '|')} ${' '.repeat(column - 1)}${paint('red', '^'.repeat(Math.min(length, MAX_COLUMNS - column + 1)))}`,
        ]
      : [];
  return [...shown, ...marks];
}

const MAX_COLUMNS = 140;

const cut = (text: string): string => text.replaceAll('\t', ' ').slice(0, MAX_COLUMNS);
