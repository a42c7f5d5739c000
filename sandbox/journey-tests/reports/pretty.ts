import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { codeFrame, linesOf } from '../../reports/code-frame.js';
import { escapeControls } from '../../terminal/escape.js';
import { type Paint, painter } from '../../terminal/painter.js';
import type { TerminalLooks } from '../../terminal/table.js';
import type { Recorded } from '../cassettes/file-cassette.js';
import { coverageLines } from '../coverage/summary.js';
import { counted } from '../explore/report.js';
import type { FileResult } from '../run/run-file.js';
import type { RunResult } from '../run/run-files.js';
import { failureLines } from './failure-lines.js';

/** A file's line, and its failures, as soon as it ends. */
export function fileLines(result: FileResult, cwd: string, paint: Paint): string[] {
  const { file, problems, tests, snapshots, recorded, ms } = result;
  const text = problems.length > 0 || tests.some(({ status }) => status === 'failed') ? sourceText(resolve(cwd, file)) : undefined;
  const failed = tests.filter(({ status }) => status === 'failed');
  const skipped = tests.filter(({ status }) => status === 'skipped');
  const passed = tests.length - failed.length - skipped.length;
  const mark = problems.length > 0 || failed.length > 0 ? paint('red', '✗') : paint('green', '✓');
  const counts = [
    `${passed} passed`,
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
    ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
  ];
  const stored = [
    ...(snapshots.added > 0 ? [`${counted(snapshots.added, 'snapshot')} stored`] : []),
    ...(snapshots.changed > 0 ? [`${counted(snapshots.changed, 'snapshot')} updated`] : []),
    ...(snapshots.removed > 0 ? [`${counted(snapshots.removed, 'obsolete snapshot')} removed`] : []),
    ...(snapshots.removed === 0 && snapshots.obsolete.length > 0
      ? [`${counted(snapshots.obsolete.length, 'obsolete snapshot')}: ${snapshots.obsolete.join(', ')}; remove them with --update`]
      : []),
    ...(recorded ? recordedLines(recorded) : []),
  ];
  return [
    `${mark} ${file}  ${problems.length > 0 && tests.length === 0 ? 'not run' : counts.join(', ')}  ${paint('dim', `${Math.round(ms)} ms`)}`,
    ...problems.flatMap(({ message, at }) => [
      `  ${paint('red', `${file}:${at.line}:${at.column}`)}  ${escapeControls(message)}`,
      ...(text === undefined
        ? []
        : codeFrame(linesOf(text), { line_start: at.line, line_end: at.line, column_start: at.column, column_end: at.column }, paint)),
    ]),
    ...skipped.map(
      ({ name, reason = '' }) => `  ${paint('yellow', '-')} ${escapeControls(name)}  ${paint('dim', `skipped: ${escapeControls(reason)}`)}`,
    ),
    ...failed.flatMap((test) => ['', ...failureLines(file, text, test, paint)]),
    ...(failed.length > 0 ? [''] : []),
    ...stored.map((line) => `  ${paint('dim', line)}`),
  ];
}

function recordedLines({ file, count, masked }: Recorded): string[] {
  const hidden = masked.length === 0 ? [] : [`masked there: ${masked.join(', ')}`];
  return [`${counted(count, 'exchange')} recorded in ${file}`, ...hidden];
}

/** The end of the report: coverage, and one line with the counts. */
export function endLines({ files, ms, coverage }: RunResult, looks: TerminalLooks): string[] {
  const paint = painter(looks.isColoured);
  const { passed, failed, skipped, broken } = totalsOf(files);
  const left = files.reduce((sum, file) => sum + file.left, 0);
  const parts = [
    paint(passed > 0 ? 'green' : 'dim', `${passed} passed`),
    paint(failed > 0 ? 'red' : 'dim', `${failed} failed`),
    ...(skipped > 0 ? [paint('yellow', `${skipped} skipped`)] : []),
    ...(broken > 0 ? [paint('red', `${counted(broken, 'file')} with mistakes`)] : []),
    ...(left > 0 ? [paint('dim', `${left} not selected`)] : []),
  ];
  return [
    ...(coverage && coverage.length > 0 ? [...coverageLines(coverage, looks), ''] : []),
    `${parts.join(', ')}  ${paint('dim', `${Math.round(ms)} ms`)}`,
  ];
}

export function totalsOf(files: readonly FileResult[]): { passed: number; failed: number; skipped: number; broken: number } {
  const tests = files.flatMap(({ tests }) => tests);
  const count = (wanted: string): number => tests.filter(({ status }) => status === wanted).length;
  return {
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    broken: files.filter(({ problems }) => problems.length > 0).length,
  };
}

function sourceText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The problem of the file says why it cannot be read.
    return undefined;
  }
}
