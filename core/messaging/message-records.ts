import type { ChunkedText, Chunks } from '../memory/chunks.js';
import type { CollectionType, ReadableCollection } from '../ports/store.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { choices } from './choice.js';
import { type MessageRecord, messages, type StoredMessage } from './message.js';
import { remoteIds } from './remote-id.js';

/** Content of at least this many characters of JSON is stored in chunks, which deliveries and journeys with the same content share. */
const LONG_CHARACTERS = 4096;

/** Reads and writes messages for the services. Long content is stored in chunks, transparently to callers. */
export type MessageRecords = ReturnType<typeof createMessageRecords>;

export type MessageReader = Pick<ReadableCollection<MessageRecord>, 'get' | 'getBy' | 'find'>;

export function createMessageRecords({ store, chunks }: { store: Database; chunks: Pick<Chunks, 'pack' | 'expand' | 'release'> }) {
  return {
    /** Reads committed messages. */
    committed: reader(store.open(messages), (text) => chunks.expand(text)),

    /** Reads messages including the changes of a transaction. */
    in: (tx: Transaction): MessageReader => reader(tx.in(messages), (text) => chunks.expand(text, tx)),

    /** A collection of records that belong to messages: in a transaction, or as they are stored durably. */
    opened: <T extends object>(tx: Transaction | undefined, type: CollectionType<T>): ReadableCollection<T> =>
      tx ? tx.in(type) : store.open(type),

    /** Creates or updates a message. Its content must not change: existing chunks are reused. */
    put(tx: Transaction, message: MessageRecord): Promise<void> | void {
      const json = JSON.stringify(message.content);
      if (json.length >= LONG_CHARACTERS) return putLong(tx, message, json);
      tx.in(messages).put(message);
    },

    /** Deletes a message with its long texts and further ids. */
    async delete(tx: Transaction, uuid: string): Promise<void> {
      const stored = await tx.in(messages).get(uuid);
      if (stored && 'content_text' in stored) chunks.release(tx, stored.content_text);
      for (const { key } of await tx.in(remoteIds).find('message', { equals: [uuid] })) tx.in(remoteIds).delete(key);
      for (const { key } of await tx.in(choices).find('message', { equals: [uuid] })) tx.in(choices).delete(key);
      tx.in(messages).delete(uuid);
    },
  };

  async function putLong(tx: Transaction, message: MessageRecord, json: string): Promise<void> {
    const previous = await tx.in(messages).get(message.uuid);
    const { content: _, ...rest } = message;
    const known = previous && 'content_text' in previous ? previous.content_text : undefined;
    tx.in(messages).put({ ...rest, content_text: known ?? chunks.pack(tx, json, { scope: message.conversation }).text });
  }
}

function reader(stored: ReadableCollection<StoredMessage>, expand: (text: ChunkedText) => Promise<string>): MessageReader {
  return {
    get: async (key) => expanded(await stored.get(key)),
    getBy: async (index, values) => expanded(await stored.getBy(index, values)),
    async find(index, range) {
      const found: MessageRecord[] = [];
      for (const one of await stored.find(index, range)) found.push((await expanded(one))!);
      return found;
    },
  };

  async function expanded(message: StoredMessage | undefined): Promise<MessageRecord | undefined> {
    if (!message || !('content_text' in message)) return message;
    const { content_text: text, ...rest } = message;
    return { ...rest, content: JSON.parse(await expand(text)) as MessageRecord['content'] };
  }
}
