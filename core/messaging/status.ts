import type { StatusReport } from './message.js';

/** How far a message has come. */
const ladder = { sent: 1, delivered: 2, read: 3 } as const;

/**
 * Which of two reports stands (States, "Delivery status of a sent message"). Going up the ladder it never goes backwards,
 * whatever the order of arrival: `read` implies `delivered`. Between a failure and the ladder the timestamp decides,
 * except that a message which was read has not failed.
 */
export function standing(current: StatusReport | undefined, report: StatusReport): StatusReport {
  if (!current) return report;
  const isLater = Number(report.timestamp) > Number(current.timestamp);
  if (current.status === 'failed') return report.status === 'read' || (report.status !== 'failed' && isLater) ? report : current;
  if (report.status === 'failed') return current.status !== 'read' && isLater ? report : current;
  return ladder[report.status] > ladder[current.status] ? report : current;
}
