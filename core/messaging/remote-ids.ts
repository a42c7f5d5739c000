import type { Transaction } from '../ports/transaction.js';
import type { MessageRecord } from './message.js';
import type { MessageRecords } from './message-records.js';
import { remoteIdKey, remoteIds } from './remote-id.js';

/** The further ids that services gave messages. `MessageRecords.delete` deletes them with their message. */
export type RemoteIds = ReturnType<typeof createRemoteIds>;

export function createRemoteIds({ records }: { records: MessageRecords }) {
  return {
    /** The message to a contact with this further id. Without `tx`, as it is stored durably. */
    async find(tx: Transaction | undefined, number: string, id: string): Promise<MessageRecord | undefined> {
      const known = await records.opened(tx, remoteIds).get(remoteIdKey(number, id));
      return known && (tx ? records.in(tx) : records.committed).get(known.message);
    },

    /** Adds an id, unless the message has it. The caller checks that no other message has it. */
    async add(tx: Transaction, { uuid, number }: MessageRecord, id: string): Promise<void> {
      const known = await tx.in(remoteIds).find('message', { equals: [uuid] });
      if (known.some((one) => one.id === id)) return;
      const order = (known.at(-1)?.order ?? 0) + 1;
      tx.in(remoteIds).put({ key: remoteIdKey(number, id), number, id, message: uuid, order });
    },

    /** In the order in which they were added. */
    of: async (uuid: string, tx?: Transaction): Promise<string[]> =>
      (await records.opened(tx, remoteIds).find('message', { equals: [uuid] })).map(({ id }) => id),
  };
}
