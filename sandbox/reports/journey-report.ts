import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../terminal/flags.js';
import { type Paint, painter } from '../terminal/painter.js';
import type { Terminal } from '../terminal/terminal.js';
import type { JsonSource, Position } from './json-source.js';

const MAX_BYTES = 10 * 1024 * 1024;
/** Lines shown above the one that a finding is about. */
const LINES_BEFORE = 2;

/** A finding in a file. */
interface Located {
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

/** What a file has to show: its findings, each with the place to point at. */
interface Looked {
  readonly source: JsonSource;
  readonly findings: readonly { readonly finding: Located; readonly at: Position }[];
}

/** Reads and checks the file of a journey. @throws UsageError when there is no such file, or none that can be read */
export async function lintFile(file: string, cwd: string): Promise<Looked> {
  const [{ readSource }, { lint, stepsOfPointer }] = await Promise.all([import('./json-source.js'), import('#core/engine')]);
  const source = readSource(textOf(file, resolve(cwd, file)));
  const faults = source.faults.map(({ at, ...fault }) => ({
    finding: { file, line: at.line, column: at.column, ...fault, path: '', fix: 'Correct the file; it has to be plain JSON (RFC 8259).' },
    at,
  }));
  if (source.value === undefined) return { source, findings: faults };
  const findings = lint(source.value).map((finding) => {
    const at = source.positionOf(stepsOfPointer(finding.path));
    return { finding: { file, line: at.line, column: at.column, ...finding }, at };
  });
  return { source, findings: [...faults, ...findings] };
}

/** @throws UsageError when there is no such file, or nothing that can be read as one */
function textOf(file: string, path: string): string {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) throw new UsageError(`there is no file ${file}`);
  if (size > MAX_BYTES) throw new UsageError(`${file} is larger than 10 MB`);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Every finding with its place in the file, and how many there are. */
export function printFindings(looked: readonly Looked[], terminal: Terminal, total: string): void {
  const paint = painter(terminal.isColoured);
  for (const { source, findings } of looked) {
    for (const { finding, at } of findings) {
      const { file, line, column, severity, code, message, fix, block } = finding;
      const colour = severity === 'error' ? 'red' : 'yellow';
      const about = block ? paint('dim', ` (block '${block}')`) : '';
      terminal.out(`${paint('bold', `${file}:${line}:${column}`)} ${paint(colour, severity)} ${code}: ${message}${about}`);
      for (const shown of frame(source.lines, at, paint)) terminal.out(shown);
      terminal.out(`  ${paint('cyan', 'fix')}: ${fix}`);
      terminal.out('');
    }
  }
  terminal.out(total);
}

/** The line with a few before it, and marks below what it is about. */
function frame(lines: readonly string[], { line, column, length }: Position, paint: Paint): readonly string[] {
  const first = Math.max(1, line - LINES_BEFORE);
  const width = String(line).length;
  const shown = lines.slice(first - 1, line).map((text, i) => {
    const number = String(first + i).padStart(width);
    return `  ${paint('dim', `${number} |`)} ${cut(text)}`;
  });
  const marks =
    column <= SHOWN
      ? [
          `  ${' '.repeat(width)} ${paint('dim', '|')} ${' '.repeat(column - 1)}${paint('red', '^'.repeat(Math.min(length, SHOWN - column + 1)))}`,
        ]
      : [];
  return [...shown, ...marks];
}

/** Characters of a line that are shown. */
const SHOWN = 140;

const cut = (text: string): string => text.replaceAll('\t', ' ').slice(0, SHOWN);
