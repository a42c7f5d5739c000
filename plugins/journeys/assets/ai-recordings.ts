import type { PluginContext, Transaction } from '#core';
import type { Recording } from '#core/areas';
import { recordings } from '../records.js';

/** What of a connection is recorded at most; later answers are not. */
const MAX_RECORDINGS = 1000;

/** Keeps what a model answered to a request; the same request again replaces it. */
export async function keepRecording({ store }: Pick<PluginContext, 'store'>, connection: string, recording: Recording): Promise<void> {
  await store.transaction(async (tx) => {
    const kept = tx.in(recordings);
    const id = `${connection}/${recording.key}`;
    const known = await kept.get(id);
    const [last] = await kept.find('connection', { equals: [connection], order: 'descending', limit: 1 });
    const count = known?.count ?? (last?.count ?? 0) + 1;
    if (count <= MAX_RECORDINGS) kept.put({ ...recording, id, connection, count });
  });
}

export async function forgetRecordings(tx: Transaction, connection: string): Promise<void> {
  for (const { id } of await tx.in(recordings).find('connection', { equals: [connection] })) tx.in(recordings).delete(id);
}
