import { junitXml } from '../../reports/junit.js';
import { painter } from '../../terminal/painter.js';
import { countsOf, coverageLines } from '../coverage/summary.js';
import type { FileResult } from '../run/run-file.js';
import type { RunResult } from '../run/run-files.js';
import type { TestResult } from '../run/run-test.js';
import { transcriptText } from '../run/transcript.js';
import { failureLines, fileTest, repeatCommand } from './failure-lines.js';
import { endLines, totalsOf } from './pretty.js';

const plain = painter(false);

/** The run as one JSON object. */
export function jsonReport({ files, ms, coverage }: RunResult): object {
  const { broken, ...summary } = totalsOf(files);
  return {
    v: 1,
    ok: summary.failed === 0 && broken === 0,
    summary: { ...summary, files: files.length, files_with_mistakes: broken },
    ms: Math.round(ms),
    files: files.map(({ file, problems, tests, left, snapshots }) => ({
      file,
      problems: problems.map(({ message, at }) => ({ ...at, message })),
      not_selected: left,
      snapshots,
      tests: tests.map(({ name, at, status, ms, reason, failure, plugins = [] }) => ({
        name,
        status,
        line: at.line,
        column: at.column,
        ms: Math.round(ms),
        ...(reason !== undefined && { reason }),
        ...(failure && {
          failure: {
            line: failure.at.line,
            column: failure.at.column,
            message: failure.message,
            differences: failure.unmet.map(({ at: { line, column }, ...unmet }) => ({ line, column, ...unmet })),
            transcript: failure.transcript,
            ...(failure.journey && { journey: { file: failure.journey.file, card: failure.journey.card, ...failure.journey.at } }),
            repeat: repeatCommand(file, { name, plugins }),
          },
        }),
      })),
    })),
    ...(coverage && {
      coverage: coverage.map(({ file, parts }) => ({
        file,
        ...countsOf(parts),
        uncovered: parts
          .filter(({ count }) => count === 0)
          .map(({ kind, card, name, at: { line, column }, reach }) => ({ kind, card, name, line, column, reach })),
      })),
    }),
  };
}

/** A file that did not run is one failed test, so that no format hides it. */
const casesOf = ({ file, problems, tests }: FileResult): readonly TestResult[] => [
  ...problems.map(
    ({ message, at }): TestResult => ({
      name: fileTest(file),
      at,
      status: 'failed',
      ms: 0,
      failure: { at, message, unmet: [], transcript: [] },
    }),
  ),
  ...tests,
];

/** The details of a failure below its message. */
const detailsOf = (file: string, test: TestResult): string => failureLines(file, undefined, test, plain).slice(1).join('\n');

export const junitReport = ({ files }: RunResult): string =>
  junitXml(
    files.map((result) => ({
      name: result.file,
      cases: casesOf(result).map((test) => ({
        classname: result.file,
        name: test.name,
        ms: test.ms,
        file: result.file,
        line: test.at.line,
        ...(test.reason !== undefined && { skipped: test.reason }),
        ...(test.failure && {
          failure: { message: test.failure.message, text: detailsOf(result.file, test) },
          output: transcriptText(test.failure.transcript),
        }),
      })),
    })),
  );

/** The run in version 14 of the Test Anything Protocol, with one subtest for each file. */
export function tapReport({ files, coverage = [] }: RunResult): string {
  const lines = files.flatMap((result, i) => {
    const tests = casesOf(result);
    const isOk = tests.every(({ status }) => status !== 'failed');
    return [
      `# Subtest: ${tapName(result.file)}`,
      ...tests.flatMap((test, k) => tapLines(test, k + 1, result.file)).map((line) => `    ${line}`.trimEnd()),
      `    1..${tests.length}`,
      `${isOk ? 'ok' : 'not ok'} ${i + 1} - ${tapName(result.file)} # time=${Math.round(result.ms)}ms`,
    ];
  });
  const comments = coverage.length === 0 ? [] : coverageLines(coverage, { isColoured: false }).map((line) => `#${line}`);
  return ['TAP version 14', ...lines, `1..${files.length}`, ...comments, ''].join('\n');
}

function tapLines(test: TestResult, number: number, file: string): string[] {
  const { name, status, reason = '', failure, ms } = test;
  const skip = status === 'skipped' ? ` # SKIP ${reason.replace(/\s+/g, ' ')}` : ` # time=${Math.round(ms)}ms`;
  const line = `${status === 'failed' ? 'not ok' : 'ok'} ${number} - ${tapName(name)}${skip}`;
  if (!failure) return [line];
  const details = detailsOf(file, test).split('\n');
  return [
    line,
    '  ---',
    `  message: ${JSON.stringify(failure.message)}`,
    `  at: ${JSON.stringify(`${file}:${failure.at.line}:${failure.at.column}`)}`,
    '  details: |',
    ...details.map((text) => `    ${text}`),
    '  ...',
  ];
}

/** A `#` would begin a directive. */
const tapName = (name: string): string => name.replace(/\s+/g, ' ').replaceAll('\\', '\\\\').replaceAll('#', '\\#');

/** Annotations of GitHub Actions: one line for each failed test and each mistake; and for the log of the job the end of the report. */
export function githubReport(result: RunResult): string {
  const { files } = result;
  const lines = files.flatMap((result) =>
    casesOf(result).flatMap((test) => {
      const { failure, name, status, reason } = test;
      if (status === 'skipped')
        return `::notice file=${property(result.file)},line=${test.at.line},title=${property(`skipped: ${name}`)}::${data(reason ?? '')}`;
      if (!failure) return [];
      const { line, column } = failure.at;
      const text = `${failure.message}\n\n${transcriptText(failure.transcript)}\n\n${repeatCommand(result.file, test)}`;
      return `::error file=${property(result.file)},line=${line},col=${column},title=${property(name)}::${data(text)}`;
    }),
  );
  return [...lines, ...endLines(result, { isColoured: false }), ''].join('\n');
}

const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
