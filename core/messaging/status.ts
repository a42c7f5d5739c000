import { collection } from '../ports/store.js';
import type { DeliveryStatus, NotificationError, StatusReport } from './message.js';

/** A status report from the network or a connector. */
export interface IncomingStatus {
  readonly id: string;
  readonly recipient: string;
  readonly status: DeliveryStatus;
  readonly timestamp: string;
  readonly errors?: readonly NotificationError[];
}

/** A report that arrived before the connector or network returned the id of its message. */
export interface PendingStatus extends IncomingStatus {
  readonly uuid: string;
  readonly number: string;
  /** Counts up per recipient, so that reports are recorded in order of arrival. */
  readonly order: number;
}

export const pendingStatuses = collection<PendingStatus>({
  key: 'uuid',
  tenant: { number: 'number' },
  indexes: { recipient: ['number', 'recipient', 'order'] },
});

/** Rank of a status; `failed` ranks below every step. */
const statusOrder = { failed: 0, sent: 1, delivered: 2, read: 3 } as const;

/**
 * Returns the current report of a message after one more report, independent of the order of arrival (States, "Delivery status of a sent
 * message"). The furthest step counts, not the latest, because `read` implies `delivered`. `failed` is current if it is later than
 * every step, or in the same second as `sent`; but a message that was read has not failed.
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

function greatest<T>(items: readonly T[], size: (item: T) => number): T | undefined {
  return items.reduce<T | undefined>((great, item) => (great !== undefined && size(great) >= size(item) ? great : item), undefined);
}
