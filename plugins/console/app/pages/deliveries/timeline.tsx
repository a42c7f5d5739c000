import { outcomeText } from '../../../../../core/events/outcome-text.js';
import { Status, toneOfHttp } from '../../components/status.js';
import { duration, Time } from '../../components/time.js';
import { useServerTime } from '../../data/server-time.js';
import type { AttemptRecord, DeliveryRecord, RetryPolicy } from './records.js';
import { texts } from './texts.js';
import { consequence, toneOfAttempt } from './words.js';

/** Where the line of attempts is, and its labels. */
const HEIGHT = 116;
const LINE = 48;
const RADIUS = 8;
/** Percent of the width beside the first and the last point. */
const LEFT = 5;
const RIGHT = 5;

interface TimelineProps {
  readonly delivery: DeliveryRecord;
  readonly attempts: readonly AttemptRecord[];
  readonly policy: RetryPolicy | undefined;
  /** Opens the request of an attempt. */
  readonly open: (attempt: AttemptRecord) => void;
}

/** The attempts of a delivery, and when the retries are due: a drawing of the current run, and a table of all runs. */
export function Timeline({ delivery, attempts, policy, open }: TimelineProps) {
  const now = useServerTime(1_000);
  const run = attempts.filter((one) => one.run === delivery.run);
  const start = startOf(delivery, run);
  const planned = plannedOf(delivery, run, policy);
  return (
    <div class="timeline">
      {delivery.run > 1 && <p class="quiet">{texts.runOfRedelivery(delivery.run)}</p>}
      <Drawing delivery={delivery} run={run} start={start} policy={policy} now={now} />
      {delivery.due_at !== undefined && <NextAttempt at={delivery.due_at} now={now} />}
      <div class="table-scroll">
        <table class="lines">
          <caption class="unseen">{texts.attemptsAndScheduled}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.attempt}</th>
              <th scope="col">{texts.started}</th>
              <th scope="col">{texts.after}</th>
              <th scope="col">{texts.response}</th>
              <th scope="col">{texts.took}</th>
              <th scope="col" title={texts.whatLanesDo}>
                {texts.lane}
              </th>
              <th scope="col">{texts.outcome}</th>
            </tr>
          </thead>
          <tbody>
            {attempts.map((attempt, at) => (
              <tr key={attempt.uuid}>
                <th scope="row">
                  <button type="button" class="link" onClick={() => open(attempt)}>
                    {nameOfAttempt(attempt, attempts)}
                  </button>
                </th>
                <td>
                  <Time at={attempt.started_at} />
                </td>
                <td>{attempt.run === delivery.run ? seconds(offsetOf(attempt, start)) : '–'}</td>
                <td>
                  <Status tone={attempt.result === 'delivered' ? 'ok' : toneOfHttp(attempt.status)}>{outcomeText(attempt)}</Status>
                </td>
                <td>{attempt.duration_ms === null ? '–' : duration(attempt.duration_ms)}</td>
                <td>{attempt.lane}</td>
                <td>{consequence(attempt, delivery, at === attempts.length - 1)}</td>
              </tr>
            ))}
            {planned.map(({ n, at, isNext }) => (
              <tr key={`planned ${n}`} class="planned">
                <th scope="row">{texts.retry(n)}</th>
                <td>{isNext && delivery.due_at !== undefined ? texts.due(<Time at={delivery.due_at} />) : '–'}</td>
                <td>{isNext ? seconds(at) : texts.about(seconds(at))}</td>
                <td colSpan={4} class="quiet">
                  {isNext ? texts.nextIn(countdown(Date.parse(delivery.due_at!) - now)) : texts.ifOthersFail}
                </td>
              </tr>
            ))}
            {policy && planned.length > 0 && (
              <tr class="planned">
                <th scope="row">{texts.dropped}</th>
                <td>–</td>
                <td>{texts.byTime(seconds(policy.window_ms))}</td>
                <td colSpan={4} class="quiet">
                  {texts.ifAllFail}
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
    </div>
  );
}

const NextAttempt = ({ at, now }: { at: string; now: number }) => (
  <p class="next-attempt">
    <Status tone="warn">{texts.nextAttempt(countdown(Date.parse(at) - now))}</Status>{' '}
    <span class="quiet">{texts.byServerClock(<Time at={at} />)}</span>
  </p>
);

interface DrawingProps {
  readonly delivery: DeliveryRecord;
  readonly run: readonly AttemptRecord[];
  readonly start: number;
  readonly policy: RetryPolicy | undefined;
  readonly now: number;
}

function Drawing({ delivery, run, start, policy, now }: DrawingProps) {
  const isOver = delivery.settled_at !== undefined;
  const due = delivery.due_at === undefined ? undefined : Date.parse(delivery.due_at) - start;
  const offsets = run.map((attempt) => offsetOf(attempt, start));
  const window = delivery.no_retry === true ? undefined : policy?.window_ms;
  const dropped = delivery.state === 'dropped' && delivery.settled_at !== undefined ? Date.parse(delivery.settled_at) - start : undefined;
  const end = window === undefined ? undefined : (dropped ?? window);
  const last = Math.max(end ?? 10_000, due ?? 0, ...offsets);
  const x = (ms: number): string => `${(LEFT + (ms / last) * (100 - LEFT - RIGHT)).toFixed(2)}%`;
  const retries = isOver || window === undefined || !policy ? [] : sums(policy.gaps_ms);
  const planned = retries.flatMap((ms, i) => {
    const n = i + 1;
    const isNext = n === delivery.attempts && due !== undefined;
    return n < delivery.attempts || (n === delivery.attempts && !isNext) ? [] : [{ n, at: isNext ? due : ms, isNext }];
  });
  const ticks = [0, ...offsets, ...planned.map(({ at }) => at)];
  const reached = Math.max(0, ...offsets);
  const current = Math.min(Math.max(now - start, reached), last);
  const words = run.map((attempt) => outcomeText(attempt)).join(', ');
  const made = words || texts.noneYet;
  const label = due === undefined ? texts.drawing(made) : texts.drawingWithNext(made, countdown(due + start - now));
  const lows = lowOf([...offsets, ...(due === undefined ? [] : [due])].map((ms) => ms / last));
  const lookOf = (at: number): string => (lows[at] ? 'low' : '');
  return (
    <svg class="timeline-drawing" width="100%" height={HEIGHT} role="img" aria-label={label}>
      <line class="past" x1={x(0)} x2={x(reached)} y1={LINE} y2={LINE} />
      {end !== undefined && <line class="future" x1={x(reached)} x2={x(last)} y1={LINE} y2={LINE} />}
      {ticks
        .filter((ms, i) => i === 0 || (ms - ticks[i - 1]!) / last > TICK_SHARE)
        .map((ms) => (
          <g key={ms} class="anchor">
            <line x1={x(ms)} x2={x(ms)} y1={LINE - 14} y2={LINE - 8} />
            <text x={x(ms)} y={LINE - 20} text-anchor="middle">
              {seconds(ms)}
            </text>
          </g>
        ))}
      {end !== undefined && (
        <g class={dropped === undefined ? 'drop' : 'dropped'}>
          {/* The last attempt is where a delivery was dropped. */}
          {dropped === undefined && <line x1={x(end)} x2={x(end)} y1={LINE - 12} y2={HEIGHT - 18} />}
          <text x={x(end)} y={HEIGHT - 4} text-anchor="end">
            {(dropped !== undefined ? texts.droppedAfter : isOver ? texts.retriesEndAfter : texts.retriesStopAt)(seconds(end))}
          </text>
        </g>
      )}
      {!isOver && (
        <g class="now">
          <line x1={x(current)} x2={x(current)} y1={LINE - 10} y2={LINE + 10} />
        </g>
      )}
      {planned.map(({ n, at, isNext }) => (
        <g key={`planned ${n}`} class={isNext ? 'planned next' : 'planned'}>
          <circle cx={x(at)} cy={LINE} r={RADIUS - 2} />
          {isNext && (
            <text class={lookOf(run.length)} x={x(at)} y={LINE + 26} text-anchor="middle">
              {texts.inTime(countdown(at + start - now))}
            </text>
          )}
        </g>
      ))}
      {run.map((attempt, i) => {
        const tone = toneOfAttempt(attempt);
        return (
          <g key={attempt.uuid} class={`attempt ${tone}`}>
            <circle cx={x(offsets[i]!)} cy={LINE} r={RADIUS} />
            <text class="sign" x={x(offsets[i]!)} y={LINE + 4} text-anchor="middle">
              {tone === 'ok' ? '✓' : '✗'}
            </text>
            <text class={lookOf(i)} x={x(offsets[i]!)} y={LINE + 26} {...anchorAt(offsets[i]! / last)}>
              {outcomeText(attempt)}
            </text>
            {attempt.duration_ms !== null && (
              <text class={`took ${lookOf(i)}`} x={x(offsets[i]!)} y={LINE + 42} {...anchorAt(offsets[i]! / last)}>
                {duration(attempt.duration_ms)}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

/** Nearer labels of times would touch. */
const TICK_SHARE = 0.06;
/** A label at the start of the line begins there, and one at the end is left of the mark at which the retries end. */
const anchorAt = (share: number) =>
  share < 0.03
    ? ({ 'text-anchor': 'start', dx: -RADIUS } as const)
    : share > 0.93
      ? ({ 'text-anchor': 'end', dx: 6 } as const)
      : ({ 'text-anchor': 'middle' } as const);

/** The share of the width that a label needs on a narrow page. */
const LABEL_SHARE = 0.18;

/** Which labels are in a second row on a narrow page, where they would cover the previous one. @param places from 0 to 1, in order */
function lowOf(places: readonly number[]): boolean[] {
  const lows: boolean[] = [];
  for (const [i, place] of places.entries()) lows.push(i > 0 && !lows[i - 1] && place - places[i - 1]! < LABEL_SHARE);
  return lows;
}

/** When the retries are counted from: the first failure; before it, the start of the first attempt. */
const startOf = (delivery: DeliveryRecord, run: readonly AttemptRecord[]): number =>
  Date.parse(delivery.first_failed_at ?? run[0]?.started_at ?? delivery.redelivered_at ?? delivery.created_at);

/** Attempts of the current run that are not made yet; `at` is in milliseconds after the first failure. */
function plannedOf(
  { state, attempts, due_at: dueAt, no_retry: noRetry, first_failed_at: firstFailedAt, settled_at: settledAt }: DeliveryRecord,
  run: readonly AttemptRecord[],
  policy: RetryPolicy | undefined,
): { n: number; at: number; isNext: boolean }[] {
  if (settledAt !== undefined || !policy || noRetry === true || run.length === 0) return [];
  const isWaiting = state === 'retry_wait' && dueAt !== undefined && firstFailedAt !== undefined;
  return sums(policy.gaps_ms).flatMap((ms, i) => {
    const n = i + 1;
    if (n < attempts || (n === attempts && !isWaiting)) return [];
    const isNext = n === attempts;
    return [{ n, at: isNext ? Date.parse(dueAt!) - Date.parse(firstFailedAt!) : ms, isNext }];
  });
}

/** Milliseconds after the first failure; the attempt that failed first is at 0, although it began earlier. */
const offsetOf = ({ started_at: at }: AttemptRecord, start: number): number => Math.max(0, Date.parse(at) - start);

const sums = (gaps: readonly number[]): number[] => gaps.map((_, at) => gaps.slice(0, at + 1).reduce((sum, gap) => sum + gap, 0));

const seconds = (ms: number): string => (Math.abs(ms) < 600_000 ? `${Math.round(ms / 1_000)} s` : duration(ms));

/** The time until an attempt; an overdue one is starting. */
const countdown = (ms: number): string => (ms <= 0 ? '0 s' : ms < 120_000 ? `${Math.ceil(ms / 1_000)} s` : duration(ms));

/** `attempt 2`; with its run if there are several. */
export function nameOfAttempt({ run, n }: AttemptRecord, attempts: readonly AttemptRecord[]): string {
  const what = n === 0 ? texts.first : texts.retry(n);
  return attempts.some((one) => one.run !== run) ? texts.ofRun(what, run) : what;
}
