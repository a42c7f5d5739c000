import type { ChunkedText, Chunks } from '../memory/chunks.js';
import type { ReadableCollection } from '../ports/store.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { type MessageRecord, messages, type StoredMessage } from './message.js';

/** A content of so many characters of JSON is kept in chunks, which the journey that it answers and the deliveries that carry it share. */
const LONG_CHARACTERS = 4096;

/** Reads and writes messages for the services: a long content is stored in chunks, which callers never see. */
export type MessageRecords = ReturnType<typeof createMessageRecords>;

export type MessageReader = Pick<ReadableCollection<MessageRecord>, 'get' | 'getBy' | 'find'>;

export function createMessageRecords({ store, chunks }: { store: Database; chunks: Pick<Chunks, 'pack' | 'expand'> }) {
  return {
    /** Messages that are durable. */
    committed: reader(store.open(messages), (text) => chunks.expand(text)),

    /** Messages as a transaction has them. */
    in: (tx: Transaction): MessageReader => reader(tx.in(messages), (text) => chunks.expand(text, tx)),

    /** Records a message, or how it is now: its content never changes. */
    async put(tx: Transaction, message: MessageRecord): Promise<void> {
      const json = JSON.stringify(message.content);
      if (json.length < LONG_CHARACTERS) return tx.in(messages).put(message);
      const before = await tx.in(messages).get(message.uuid);
      const { content: _, ...rest } = message;
      const known = before && 'content_text' in before ? before.content_text : undefined;
      tx.in(messages).put({ ...rest, content_text: known ?? chunks.pack(tx, json, { scope: message.conversation }).text });
    },
  };
}

function reader(stored: ReadableCollection<StoredMessage>, expand: (text: ChunkedText) => Promise<string>): MessageReader {
  return {
    get: async (key) => whole(await stored.get(key)),
    getBy: async (index, values) => whole(await stored.getBy(index, values)),
    async find(index, range) {
      const found: MessageRecord[] = [];
      for (const one of await stored.find(index, range)) found.push((await whole(one))!);
      return found;
    },
  };

  async function whole(message: StoredMessage | undefined): Promise<MessageRecord | undefined> {
    if (!message || !('content_text' in message)) return message;
    const { content_text: text, ...rest } = message;
    return { ...rest, content: JSON.parse(await expand(text)) as MessageRecord['content'] };
  }
}
