import type { Found, SearchBounds, SearchPage, SearchQuery } from '../../contract/search.js';
import type { RecordedCall } from '../../kernel/observe/call-log.js';
import { CORE } from '../../kernel/plugins/load.js';
import { type ContactRecord, contacts as contactRecords } from '../../messaging/contact.js';
import type { Contacts } from '../../messaging/contacts.js';
import {
  contactChanged,
  contactMerged,
  contactSplit,
  type MessageHappened,
  messageEdited,
  messageQueued,
  messageReceived,
  messagesExpired,
} from '../../messaging/events.js';
import type { MessageRecord } from '../../messaging/message.js';
import type { MessageRecords } from '../../messaging/message-records.js';
import type { Numbers } from '../../messaging/numbers.js';
import type { Clock } from '../../ports/clock.js';
import type { EventBus } from '../../ports/events.js';
import type { Logger } from '../../ports/logger.js';
import { type AfterCommit, on } from '../../ports/subscription.js';
import type { Database } from '../../ports/transaction.js';
import { from, isAfter, NewestTexts, PAGE, type TextRow, textRow } from './newest-texts.js';

interface TextsPorts {
  readonly store: Database;
  readonly records: Pick<MessageRecords, 'committed'>;
  readonly numbers: Pick<Numbers, 'list'>;
  readonly contacts: Pick<Contacts, 'idsOf'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly heapBytes: number;
  readonly bus: Pick<EventBus, 'subscribe'>;
}

/** The share of the heap that the texts of messages, or of contacts, may take, and the most that either takes. */
const SHARE = 32;
const MAX_BYTES = 64 * 1024 * 1024;

/** The platforms of this process that keep texts, such as the shards of a cluster: they share its heap. */
const keeping = new Set<object>();

/** The texts of the newest messages and contacts, which searches look through. */
export type Texts = ReturnType<typeof createTexts>;

export function createTexts({ store, records, numbers, contacts, clock, log, heapBytes, bus }: TextsPorts) {
  let isListening = false;
  const known = {
    maxBytes: () => Math.min(heapBytes / SHARE, MAX_BYTES) / Math.max(keeping.size, 1),
    now: () => clock.now(),
    numbers: () => numbers.list(),
    onBegin: listen,
    onFailure: (error: unknown) =>
      log.warn('older records could not be read for searches; until the next start they are not found', { error }),
  };
  const range = (number: string, before: TextRow | undefined) =>
    ({ equals: [number], order: 'descending', limit: PAGE, ...(before && { before: [before.at, before.id] }) }) as const;
  const people = new NewestTexts({
    ...known,
    older: async (number, before) => Promise.all((await store.open(contactRecords).find('number', range(number, before))).map(rowOf)),
  });
  const messages = new NewestTexts({
    ...known,
    older: async (number, before) => (await records.committed.find('age', range(number, before))).map(messageRow),
  });
  const clear = (): void => {
    people.clear();
    messages.clear();
    keeping.delete(known);
  };

  return {
    contacts: people,
    messages,
    /** Removes all texts, because a contact is erased or the platform stops. The next search reads again. */
    clear,
    contactText,
  };

  function listen(): void {
    keeping.add(known);
    if (isListening) return;
    isListening = true;
    const subscriptions = [
      on(messageReceived, happened),
      on(messageQueued, happened),
      on(messageEdited, ({ message }) => messages.put(messageRow(message))),
      on(messagesExpired, ({ messages: ids }) => messages.remove(ids)),
      on(contactChanged, ({ contact }) => keep(contact)),
      on(contactMerged, ({ contact, merged }) => {
        people.remove([merged.uuid]);
        return keep(contact);
      }),
      on(contactSplit, async ({ contact, split }) => {
        await keep(contact);
        await keep(split);
      }),
    ];
    for (const { event, handle } of subscriptions as AfterCommit[]) bus.subscribe(CORE, event.name, handle);
  }

  /** Everything by which people know a contact: its ids and names. */
  async function contactText(contact: ContactRecord): Promise<string> {
    const { id, address, fields } = contact;
    const names = Object.entries(fields).flatMap(([key, value]) => (key.endsWith('name') && typeof value === 'string' ? [value] : []));
    return [...new Set([...names, id, address, ...(await contacts.idsOf(contact))])].join(' · ');
  }

  async function rowOf(contact: ContactRecord): Promise<TextRow> {
    return textRow(contact.uuid, contact.created_at, contact.number, await contactText(contact));
  }

  async function keep(contact: ContactRecord): Promise<void> {
    if (people.isOn) people.put(await rowOf(contact));
  }

  function happened({ message }: MessageHappened): void {
    if (messages.isOn) messages.put(messageRow(message));
  }
}

const messageRow = (message: MessageRecord): TextRow => textRow(message.uuid, message.recorded_at, message.number, messageText(message));

/** The keys of a message's content whose values people read. */
const READ = new Set(['body', 'text', 'caption', 'title', 'description', 'display_text', 'filename', 'name', 'formatted_name', 'address']);

/** The text of a message, with its buttons, its later versions, and the filled text of a template. */
export function messageText({ content, rendered, edits = [] }: Pick<MessageRecord, 'content' | 'rendered' | 'edits'>): string {
  const found: string[] = rendered === undefined ? [] : [rendered];
  for (const one of [content, ...edits.map((edit) => edit.content)]) collect(one, found);
  return found.join(' · ');
}

function collect(value: unknown, into: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if (typeof part !== 'string') collect(part, into);
    else if (READ.has(key)) into.push(part);
  }
}

/** Searches the texts. @param shown the result of a record that still has the words; undefined for others */
export async function foundIn(
  texts: NewestTexts,
  { words }: SearchQuery,
  bounds: SearchBounds,
  shown: (id: string) => Promise<Found | undefined>,
): Promise<SearchPage> {
  texts.begin();
  const found: Found[] = [];
  let last: readonly TextRow[] | undefined;
  for await (const block of texts.newestFirst(bounds.goOn)) {
    last = block;
    for (let i = block.length - 1; i >= 0; i--) {
      const row = block[i]!;
      const isShown = !bounds.before || isAfter(row, bounds.before);
      if (!isShown || !words.every((word) => row.text.includes(word)) || !bounds.sees(row)) continue;
      const one = await shown(row.id);
      // One more than the limit shows that there are more.
      if (one && found.push(one) > bounds.limit) return bounds.page(found);
      if (!(await bounds.goOn())) return bounds.page(found, row);
    }
    if (block[0] && !(await bounds.goOn())) return bounds.page(found, from(block[0].at));
  }
  return bounds.page(found, texts.restAfter(last));
}

/** The text of a call in which searches look. */
export const callText = ({ method, path, status, request, response }: RecordedCall): string =>
  `${method} ${path} ${status} · ${request.body.text ?? ''} · ${response.body.text ?? ''}`;
