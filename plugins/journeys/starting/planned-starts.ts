import { queue, type Transaction } from '#core';
import { type PlannedStart, plannedStarts } from '../records.js';

export const starts = queue<{ planned: string }>('journeys.starts', ({ planned }) => ({
  kind: 'start',
  id: planned,
  title: `scheduled start ${planned} of a journey`,
}));

export function planStart(tx: Transaction, planned: PlannedStart): void {
  tx.in(plannedStarts).put(planned);
  pushStart(tx, planned, new Date(planned.due_at));
}

export const pushStart = (tx: Transaction, { uuid, contact }: PlannedStart, notBefore: Date): void =>
  tx.push(starts, { planned: uuid }, { id: uuid, notBefore, serial: contact });

export async function cancelStarts(tx: Transaction, contact: string, journey: string): Promise<void> {
  for (const { uuid } of await tx.in(plannedStarts).find('contact', { equals: [contact, journey] })) {
    tx.in(plannedStarts).delete(uuid);
    tx.cancel(starts, uuid);
  }
}
