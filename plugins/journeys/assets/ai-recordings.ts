import type { PluginContext, Recording, Transaction } from '#core';
import { recordings } from '../records.js';

/** Maximum number of recorded requests per connection. Replies to further requests are not recorded. */
const MAX_RECORDINGS = 1000;

/**
 * Stores a model's reply to a request. The next reply to the same request replaces it.
 * @returns the key of the recording; undefined if the connection has too many
 */
export async function storeRecording(
  { store }: Pick<PluginContext, 'store'>,
  connection: string,
  recording: Recording,
): Promise<string | undefined> {
  return store.transaction(async (tx) => {
    const stored = tx.in(recordings);
    const id = `${connection}/${recording.key}`;
    const known = await stored.get(id);
    const [last] = await stored.find('connection', { equals: [connection], order: 'descending', limit: 1 });
    const count = known?.count ?? (last?.count ?? 0) + 1;
    if (count > MAX_RECORDINGS) return undefined;
    stored.put({ ...recording, id, connection, count });
    return recording.key;
  });
}

export async function deleteRecordings(tx: Transaction, connection: string): Promise<void> {
  for (const { id } of await tx.in(recordings).find('connection', { equals: [connection] })) tx.in(recordings).delete(id);
}
