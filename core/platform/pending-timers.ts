import type { PendingTimer } from '../ports/queue.js';
import type { Parts } from './parts.js';

/** Delayed jobs and retries of deliveries, those that become due first, by due time. */
export async function pendingTimers({ queue, outbox }: Pick<Parts, 'queue' | 'outbox'>, limit: number): Promise<PendingTimer[]> {
  const retries = outbox.due(limit).map(({ at, entry: { record } }) => {
    const { uuid, attempts, webhook, subscription } = record;
    const what = attempts > 0 ? `retry ${attempts}` : 'first attempt';
    return { at, kind: 'retry', id: uuid, title: `${what} of delivery ${uuid} (${subscription}) to ${webhook}` };
  });
  const jobs = (await queue.due?.(limit)) ?? [];
  return [...retries, ...jobs].sort((a, b) => a.at.getTime() - b.at.getTime()).slice(0, limit);
}
