import type { PluginContext, Recording, Transaction } from '#core';
import { connections, recordings } from '../records.js';

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
    stored.put({ ...recording, id, connection, count, ...(known?.contacts && { contacts: known.contacts }) });
    return recording.key;
  });
}

/** Notes whose conversation a recording has, for the erasure of the contact. */
export async function noteContact(tx: Transaction, connection: string, recording: string, contact: string): Promise<void> {
  const known = await tx.in(recordings).get(`${connection}/${recording}`);
  if (known && !known.contacts?.includes(contact)) tx.in(recordings).put({ ...known, contacts: [...(known.contacts ?? []), contact] });
}

/**
 * Deletes recordings of the connections of a number that have the conversation of one of these contacts. Those of which nothing says whose they
 * are go, too.
 * @returns how many it has deleted: at most `limit`
 */
export async function eraseRecordings(tx: Transaction, number: string, contacts: readonly string[], limit: number): Promise<number> {
  const own = (await tx.in(connections).list()).filter((connection) => connection.number === number);
  const all = await Promise.all(own.map(({ uuid }) => tx.in(recordings).find('connection', { equals: [uuid] })));
  const theirs = all.flat().filter((one) => one.contacts?.some((contact) => contacts.includes(contact)) ?? true);
  for (const { id } of theirs.slice(0, limit)) tx.in(recordings).delete(id);
  return Math.min(theirs.length, limit);
}

export async function deleteRecordings(tx: Transaction, connection: string): Promise<void> {
  for (const { id } of await tx.in(recordings).find('connection', { equals: [connection] })) tx.in(recordings).delete(id);
}
