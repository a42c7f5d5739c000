import { duration } from '../components/time.js';

export interface Mark {
  readonly at: string;
  readonly kind: string;
  readonly text: string;
  readonly endpoint: string | null;
}

/** The calls of a time. */
export interface PlottedTime {
  readonly at: string;
  readonly ok: number;
  readonly failed: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly p99_ms: number | null;
  readonly waiting: number;
  readonly lanes: Readonly<Record<'high' | 'default' | 'low', number>>;
  readonly marks: readonly Mark[];
}

export const callsOf = ({ ok, failed }: Pick<PlottedTime, 'ok' | 'failed'>): number => ok + failed;

/** Percent of calls that failed; null without calls. */
export const failedPercent = (time: Pick<PlottedTime, 'ok' | 'failed'>): number | null =>
  callsOf(time) === 0 ? null : Math.round((1_000 * time.failed) / callsOf(time)) / 10;

export const percentText = (percent: number | null): string => (percent === null ? '–' : `${percent} %`);
export const msText = (ms: number | null): string => (ms === null ? '–' : duration(ms));
export const lanesText = ({ lanes }: PlottedTime): string =>
  Object.entries(lanes)
    .filter(([, count]) => count > 0)
    .map(([lane]) => lane)
    .join(', ') || '–';

/** In a cluster each shard has its own entry of a time. The percentiles of all are not above the highest. */
export function merged(times: readonly PlottedTime[]): PlottedTime[] {
  const byTime = new Map<string, PlottedTime>();
  const highest = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.max(a, b));
  for (const b of times) {
    const a = byTime.get(b.at);
    if (!a) {
      byTime.set(b.at, b);
      continue;
    }
    byTime.set(b.at, {
      ...{ at: b.at, ok: a.ok + b.ok, failed: a.failed + b.failed, waiting: a.waiting + b.waiting, marks: [...a.marks, ...b.marks] },
      lanes: { high: a.lanes.high + b.lanes.high, default: a.lanes.default + b.lanes.default, low: a.lanes.low + b.lanes.low },
      p50_ms: highest(a.p50_ms, b.p50_ms),
      p95_ms: highest(a.p95_ms, b.p95_ms),
      p99_ms: highest(a.p99_ms, b.p99_ms),
    });
  }
  return [...byTime.values()];
}
