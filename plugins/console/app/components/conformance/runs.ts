import { type Query, useQuery } from '../../data/query.js';
import type { Action } from '../copy.js';
import { quoted } from '../shell-words.js';
import type { Tone } from '../status.js';
import { texts } from './texts.js';

/** A check of a run, as the admin API lists it. */
export interface CheckInfo {
  readonly id: string;
  readonly level: 'MUST' | 'SHOULD' | 'INFO';
  /** The section of the API specification. */
  readonly section: string;
  readonly title: string;
}

export interface CheckResult extends CheckInfo {
  readonly result: 'pass' | 'fail' | 'skipped';
  readonly at: string;
  /** Why it was skipped. */
  readonly reason?: string;
  /** Of a failed check. */
  readonly expected?: string;
  readonly received?: string;
  readonly fix?: string;
  /** Ids of deliveries and calls in the evidence. */
  readonly deliveries: readonly string[];
  readonly calls: readonly string[];
}

/** A conformance run without evidence. */
export interface Run {
  readonly id: string;
  readonly kind: string;
  readonly subject: string | null;
  readonly url: string;
  readonly drive: string | null;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly state: 'running' | 'ended' | 'failed' | 'cancelled';
  readonly error: string | null;
  readonly unreachable: string | null;
  readonly of: number;
  /** The checks that failed, and those that were skipped because of them. */
  readonly to_repeat: readonly string[];
  readonly remaining: readonly CheckInfo[];
  readonly checks: readonly CheckResult[];
}

/** The newest run of a channel or webhook, read again as its results arrive; undefined reads nothing. */
export const useRuns = (subject: string | undefined): Query<{ runs: readonly Run[] }> =>
  useQuery(subject === undefined ? undefined : `/conform/runs?subject=${encodeURIComponent(subject)}&limit=1`, ['conform.']);

/** The target of a run. */
export interface Target {
  readonly kind: 'connector' | 'webhook';
  /** The uuid of the channel or webhook. */
  readonly subject: string;
  readonly url: string;
}

/** The same run as a command; the secret comes from the environment. */
export function commandOf({ kind, subject, url }: Target, drive: string | null, only: readonly string[] = []): string {
  return [
    `posthorn conform ${kind} ${quoted(url)} --secret "$POSTHORN_SECRET"`,
    ...(kind === 'connector' ? [`--channel ${subject}`] : []),
    ...(drive ? [`--drive ${quoted(drive)}`] : []),
    ...(only.length > 0 ? [`--only ${only.join(',')}`] : []),
  ].join(' ');
}

/** A run of all checks. @param drive the URL of the driver; empty for none */
export const runOf = (target: Target, drive: string): Action => ({
  method: 'POST',
  path: '/conform/runs',
  payload:
    target.kind === 'connector'
      ? { kind: target.kind, channel: target.subject, ...(drive !== '' && { drive }) }
      : { kind: target.kind, webhook: target.subject },
  command: commandOf(target, drive),
});

export const repeatOf = (target: Target, run: Run, ids: readonly string[]): Action => ({
  method: 'POST',
  path: `/conform/runs/${run.id}/repeat`,
  payload: { only: ids },
  command: commandOf(target, run.drive, ids),
});

export const failuresOf = ({ checks }: Run): readonly CheckResult[] => checks.filter(({ result }) => result === 'fail');

/** The demand of a check, to be read after "must" or "should": titles say what an implementation that passes does. */
export const demandOf = (title: string): string =>
  title
    .replace(/^does not\b/, 'not')
    .replace(/^has\b/, 'have')
    .replace(/^(\w+)s\b/, '$1');

/** A line of the table: a check with its result, or one that has none yet. */
export interface Row {
  readonly check: CheckInfo | CheckResult;
  readonly tone: Tone;
  readonly word: string;
}

/** All checks of a run in the order of their ids. */
export function rowsOf({ state, checks, remaining }: Run): Row[] {
  const isRunning = state === 'running';
  const [next] = remaining;
  const pending = new Set(remaining.map(({ id }) => id));
  const waiting: Row[] = remaining
    .filter(({ id }) => isRunning || !checks.some((check) => check.id === id))
    .map((check) => {
      if (!isRunning) return { check, tone: 'neutral', word: texts.notRun };
      return check === next ? { check, tone: 'warn', word: texts.running } : { check, tone: 'neutral', word: texts.waiting };
    });
  // A check that runs again has its earlier result until then.
  const done = checks.filter(({ id }) => !(isRunning && pending.has(id))).map((check): Row => ({ check, ...wordOf(check) }));
  return [...done, ...waiting].sort((a, b) => a.check.id.localeCompare(b.check.id, 'en', { numeric: true }));
}

export function wordOf({ result, level }: Pick<CheckResult, 'result' | 'level'>): { readonly tone: Tone; readonly word: string } {
  if (result === 'pass') return { tone: 'ok', word: texts.onePassed };
  if (result === 'skipped') return { tone: 'neutral', word: texts.oneSkipped };
  return { tone: level === 'MUST' ? 'bad' : 'warn', word: texts.oneFailed };
}

/** The outcome of a run in a few words. */
export function headlineOf(run: Run): { readonly tone: Tone; readonly text: string } {
  const { state, checks, remaining, of } = run;
  const failed = failuresOf(run);
  const [required, recommended, others] = (['MUST', 'SHOULD', 'INFO'] as const).map(
    (one) => failed.filter(({ level }) => level === one).length,
  );
  const skipped = checks.filter(({ result }) => result === 'skipped').length;
  const passed = checks.length - failed.length - skipped;
  if (state === 'running') return { tone: 'warn', text: texts.ofDone(of - remaining.length, of) };
  if (state === 'cancelled') return { tone: 'neutral', text: texts.cancelledAfterOf(of - remaining.length, of) };
  if (state === 'failed') return { tone: 'bad', text: texts.theRunFailedAfterOf(of - remaining.length, of) };
  if (run.unreachable !== null) return { tone: 'bad', text: texts.noRequestGotAResponse };
  if (failed.length > 0)
    return { tone: required! > 0 ? 'bad' : 'warn', text: texts.checksFailed(failed.length, required!, recommended!, others!) };
  if (skipped > 0) return { tone: 'ok', text: texts.passedNoneFailed(passed) };
  return { tone: 'ok', text: passed === 1 ? texts.theCheckPassed : texts.allChecksPassed(passed) };
}
