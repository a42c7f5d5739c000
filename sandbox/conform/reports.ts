import { junitXml } from '../reports/junit.js';
import { escapeControls } from '../terminal/escape.js';
import type { Paint } from '../terminal/painter.js';
import type { Row } from '../terminal/table.js';
import type { Outcome, Result } from './check.js';
import { gotOf, shownExchange } from './exchange.js';
import { isBroken } from './run.js';

/** Exchanges of a failed check in the table; `--json` has all of them. */
const SHOWN_EXCHANGES = 3;
const SHOWN_BYTES = 2_000;

const COLOURS = { pass: 'green', fail: 'red', skipped: 'dim' } as const;

/** A row of the table. Rows are printed one by one, so they have fixed widths. */
export const rowOf = ({ id, level, result, title }: Outcome): Row => [
  id,
  level.padEnd(6),
  { text: result.padEnd(7), style: COLOURS[result] },
  title,
];

/** The evidence of each failed check and the reasons of skipped ones, then one line with the counts. */
export function detailsOf(outcomes: readonly Outcome[], paint: Paint): string[] {
  const failed = outcomes.filter(({ result }) => result === 'fail');
  const reasons = new Map<string, string[]>();
  for (const { id, result, reason = '' } of outcomes) if (result === 'skipped') reasons.set(reason, [...(reasons.get(reason) ?? []), id]);
  return [
    ...failed.flatMap((outcome) => ['', ...failureLines(outcome, paint)]),
    ...(reasons.size > 0 ? [''] : []),
    ...[...reasons].map(([reason, ids]) => `  skipped ${ids.join(', ')}: ${reason}`),
    '',
    `  ${summaryOf(outcomes)}`,
  ];
}

function failureLines({ id, level, title, section, expected, received, fix, exchanges }: Outcome, paint: Paint): string[] {
  return [
    `  ${paint('red', id)} ${level}  ${paint('bold', title)}`,
    `    rule      ${section}`,
    `    expected  ${expected}`,
    `    received  ${received}`,
    `    fix       ${fix}`,
    ...exchanges.slice(-SHOWN_EXCHANGES).flatMap((exchange) => {
      const { method, url, body, response, ms, call, delivery } = exchange;
      const record = call !== undefined ? `  (call ${call})` : delivery !== undefined ? `  (delivery ${delivery})` : '';
      return [
        `    ${method} ${url}  ${gotOf(exchange)} after ${ms} ms${record}`,
        ...(body.length > 0 ? [`      sent      ${cut(body)}`] : []),
        ...(response && response.body.length > 0 ? [`      received  ${cut(response.body)}`] : []),
      ];
    }),
  ];
}

/** The bytes as they are, so that they can be pasted: lines are indented, and only other control characters are escaped. */
function cut(bytes: Buffer): string {
  const lines = bytes.subarray(0, SHOWN_BYTES).toString().split('\n');
  const text = lines.map(escapeControls).join(`\n${' '.repeat(16)}`);
  return bytes.length > SHOWN_BYTES ? `${text}… (${bytes.length} bytes)` : text;
}

export const countsOf = (outcomes: readonly Outcome[]): Record<'passed' | 'failed' | 'skipped', number> => {
  const count = (result: Result): number => outcomes.filter((outcome) => outcome.result === result).length;
  return { passed: count('pass'), failed: count('fail'), skipped: count('skipped') };
};

export function summaryOf(outcomes: readonly Outcome[]): string {
  const { passed, failed, skipped } = countsOf(outcomes);
  const broken = outcomes.filter(isBroken).length;
  return `${passed} passed, ${failed} failed${failed > 0 ? ` (${broken} MUST)` : ''}, ${skipped} skipped`;
}

/** The subject of a run. */
export interface About {
  readonly kind: string;
  readonly url: string;
}

/** The run as one JSON object. */
export const jsonReport = ({ kind, url }: About, outcomes: readonly Outcome[]): object => ({
  v: 1,
  kind,
  url,
  ok: !outcomes.some(isBroken),
  summary: countsOf(outcomes),
  checks: outcomes.map(({ exchanges, ...outcome }) => ({ ...outcome, exchanges: exchanges.map((exchange) => shownExchange(exchange)) })),
});

/** The run in the format of JUnit, as CI servers read it. A failed SHOULD or INFO is skipped there, because it does not fail the run. */
export function junitReport({ kind, url }: About, outcomes: readonly Outcome[]): string {
  const cases = outcomes.map((outcome) => {
    const { id, title, result, ms, reason, expected, received, fix, section } = outcome;
    const about = { classname: kind, name: `${id} ${title}`, ms };
    if (result === 'pass') return about;
    const message = reason ?? `${outcome.level}: expected ${expected}; received ${received}`;
    return isBroken(outcome) ? { ...about, failure: { message, text: `${section}\n${fix}` } } : { ...about, skipped: message };
  });
  return junitXml([{ name: `posthorn conform ${kind} ${url}`, cases }]);
}

const MARKS: Readonly<Record<Result, string>> = { pass: '✅', fail: '❌', skipped: '⏭️' };

/** The run for a pull request: a badge, and a table of what did not pass. */
export function markdownReport({ kind, url }: About, outcomes: readonly Outcome[]): string {
  const { passed, failed, skipped } = countsOf(outcomes);
  const isOk = !outcomes.some(isBroken);
  const badge = `https://img.shields.io/badge/${encodeURIComponent(`posthorn ${kind}`)}-${encodeURIComponent(`${passed} of ${passed + failed} passed`)}-${isOk ? 'brightgreen' : 'red'}`;
  const rows = outcomes
    .filter(({ result }) => result !== 'pass')
    .map(({ id, level, result, title, reason, expected, received, fix }) =>
      [`${MARKS[result]} ${id}`, level, title, reason ?? `expected ${expected}; received ${received}. ${fix}`].map(cell).join(' | '),
    );
  return [
    `![${passed} of ${passed + failed} checks passed](${badge})`,
    '',
    `\`posthorn conform ${kind} ${url}\`: ${passed} passed, ${failed} failed, ${skipped} skipped.`,
    ...(rows.length > 0 ? ['', '| Check | Level | Rule | Details |', '|---|---|---|---|', ...rows.map((row) => `| ${row} |`)] : []),
    '',
  ].join('\n');
}

const cell = (text: string): string => text.replace(/[\\|]/g, '\\$&').replaceAll('<', '&lt;').replace(/\s+/g, ' ').slice(0, 500);
