import type { Random } from './random.js';

/** The network or a connector reports this about a message. */
export interface Report {
  readonly status: 'sent' | 'delivered' | 'read' | 'failed';
  readonly timestamp: string;
}

/** The share of reports that come twice. */
const REPEATED = 0.15;

/** The share of messages whose reports have times in another order than the steps, because the clocks of a network differ. */
const WRONG_TIMES = 0.2;
const SECONDS = 6;

const steps = ['sent', 'delivered', 'read'];

/**
 * The status of a message after reports in any order, as the pages say: the most advanced of `sent`, `delivered` and `read`; `failed` if its timestamp is
 * later than those of all other reports, or if only `sent` was reported, in the same second; a message that was read never becomes `failed`.
 */
export function expectedStatus(reports: readonly Report[]): Report['status'] | undefined {
  const known = new Set(reports.map(({ status }) => status));
  const furthest = steps.findLast((step) => known.has(step as Report['status'])) as Report['status'] | undefined;
  if (!known.has('failed') || furthest === undefined) return furthest ?? (known.has('failed') ? 'failed' : undefined);
  if (furthest === 'read') return 'read';
  const latest = (isWanted: (report: Report) => boolean) => Math.max(...reports.filter(isWanted).map(({ timestamp }) => Number(timestamp)));
  const [failedAt, othersAt] = [latest(({ status }) => status === 'failed'), latest(({ status }) => status !== 'failed')];
  return failedAt > othersAt || (failedAt === othersAt && furthest === 'sent') ? 'failed' : furthest;
}

/** Some statuses of a message that was sent at this time of the simulation: in any order, some of them twice. */
export function reportsOf(random: Random, now: number): Report[] {
  const at = 1_767_600_000 + Math.floor(now / 1_000);
  const statuses = random.pick<Report['status'][]>([
    ['sent', 'delivered', 'read'],
    ['sent', 'delivered'],
    ['sent', 'failed'],
    ['delivered', 'read', 'failed'],
  ]);
  const hasWrongTimes = random.chance(WRONG_TIMES);
  const timeOf = (i: number) => (hasWrongTimes ? random.below(SECONDS) : i + random.below(2));
  const reports = statuses.map((status, i): Report => ({ status, timestamp: String(at + timeOf(i)) }));
  for (const report of [...reports]) if (random.chance(REPEATED)) reports.push(report);
  for (let i = reports.length - 1; i > 0; i--) {
    if (random.chance(0.5)) continue;
    const j = random.below(i + 1);
    [reports[i], reports[j]] = [reports[j]!, reports[i]!];
  }
  return reports;
}
