import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../terminal/flags.js';
import { type Paint, painter } from '../terminal/painter.js';
import type { Terminal } from '../terminal/terminal.js';
import type { JsonSource, Position } from './json-source.js';

const MAX_BYTES = 10 * 1024 * 1024;
const LINES_BEFORE = 2;

interface LocatedFinding {
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

/** The findings of a file, each with the position to mark. */
interface FileReport {
  readonly source: JsonSource;
  readonly findings: readonly { readonly finding: LocatedFinding; readonly at: Position }[];
}

/** Reads and lints a journey file. @throws UsageError when the file cannot be read or is larger than 10 MiB */
export async function lintFile(file: string, cwd: string): Promise<FileReport> {
  const [{ readSource }, { lint, stepsOfPointer }] = await Promise.all([import('./json-source.js'), import('#core/engine')]);
  const source = readSource(textOf(file, resolve(cwd, file)));
  const faults = source.faults.map(({ at, ...fault }) => ({
    finding: { file, line: at.line, column: at.column, ...fault, path: '', fix: 'Correct the file: it must be plain JSON (RFC 8259).' },
    at,
  }));
  if (source.value === undefined) return { source, findings: faults };
  const findings = lint(source.value).map((finding) => {
    const at = source.positionOf(stepsOfPointer(finding.path));
    return { finding: { file, ...finding, line: at.line, column: at.column }, at };
  });
  return { source, findings: [...faults, ...findings] };
}

function textOf(file: string, path: string): string {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) throw new UsageError(`file ${file} not found`);
  if (size > MAX_BYTES) throw new UsageError(`${file} is larger than 10 MB`);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
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
