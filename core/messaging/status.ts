import { collection } from '../ports/store.js';
import type { DeliveryStatus, NotificationError, StatusReport } from './message.js';

/** A status report as it comes from the other side. */
export interface IncomingStatus {
  readonly id: string;
  readonly recipient: string;
  readonly status: DeliveryStatus;
  readonly timestamp: string;
  /** Why it failed. */
  readonly errors?: readonly NotificationError[];
}

/** A report whose message the other side has not named yet. */
export interface PendingStatus extends IncomingStatus {
  readonly uuid: string;
  readonly number: string;
  /** Counts up among those that are held for the recipient, so that they are recorded in the order in which they came. */
  readonly order: number;
}

export const pendingStatuses = collection<PendingStatus>({
  key: 'uuid',
  indexes: { recipient: ['number', 'recipient', 'order'] },
});

/** How far a message has come; a failure is no step. */
const statusOrder = { failed: 0, sent: 1, delivered: 2, read: 3 } as const;

/**
 * Which of all reports on a message stands when one more has come, whatever the order in which they came (States, "Delivery
 * status of a sent message"). Of the steps the furthest counts, not the latest: `read` implies `delivered`. A failure stands
 * when it is later than every step, or follows `sent` within the same second; but what was read has not failed.
 */
export function currentStatus(earlier: readonly StatusReport[], report: StatusReport): StatusReport {
  const reports = [...earlier, report];
  const steps = reports.filter(({ status }) => status !== 'failed');
  const failures = reports.filter(({ status }) => status === 'failed');
  const [furthest, newest, failure] = [greatest(steps, rankOf), greatest(steps, seconds), greatest(failures, seconds)];
  if (!failure || !furthest || !newest) return furthest ?? failure ?? report;
  const lead = seconds(failure) - seconds(newest);
  const hasFailed = furthest.status !== 'read' && (lead > 0 || (lead === 0 && furthest.status === 'sent'));
  return hasFailed ? failure : furthest;
}

const rankOf = ({ status }: StatusReport): number => statusOrder[status];
const seconds = ({ timestamp }: StatusReport): number => Number(timestamp);

/** The first of those that nothing is greater than. */
function greatest<T>(items: readonly T[], size: (item: T) => number): T | undefined {
  return items.reduce<T | undefined>((great, item) => (great !== undefined && size(great) >= size(item) ? great : item), undefined);
}
