/** The network or a connector reports this about a message. */
export interface Report {
  readonly status: 'sent' | 'delivered' | 'read' | 'failed';
  readonly timestamp: string;
}

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
