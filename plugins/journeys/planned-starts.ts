import { collection, queue, type Transaction } from '#core';

/** A journey that is to start for a contact at a moment. */
export interface PlannedStart {
  readonly uuid: string;
  readonly number: string;
  readonly contact: string;
  readonly journey: string;
  readonly due_at: string;
}

export const plannedStarts = collection<PlannedStart>({ key: 'uuid', indexes: { contact: ['contact', 'journey', 'due_at', 'uuid'] } });

export const starts = queue<{ planned: string }>('journeys.starts');

export function planStart(tx: Transaction, planned: PlannedStart): void {
  tx.in(plannedStarts).put(planned);
  pushStart(tx, planned, new Date(planned.due_at));
}

export const pushStart = (tx: Transaction, { uuid, contact }: PlannedStart, notBefore: Date): void =>
  tx.push(starts, { planned: uuid }, { id: uuid, notBefore, serial: contact });

/** Cancels every start of a journey that is planned for a contact. */
export async function cancelStarts(tx: Transaction, contact: string, journey: string): Promise<void> {
  for (const { uuid } of await tx.in(plannedStarts).find('contact', { equals: [contact, journey] })) {
    tx.in(plannedStarts).delete(uuid);
    tx.cancel(starts, uuid);
  }
}
