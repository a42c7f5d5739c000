import {
  type ContactRecord,
  contactMerged,
  contactSplit,
  messageQueued,
  messageReceived,
  messageSeen,
  messageStatus,
  type NumberRecord,
  on,
  PlatformError,
  type PluginContext,
  type RouteDefinition,
  type Subscription,
  type Timer,
} from '#core';
import type { MessageHappened } from '#core/messaging';
import { cursorOf, type Page, type Pages, positionOf } from './messages/pages.js';
import { type SessionRecord, sessions } from './records.js';
import type { createPeople } from './visitors/people.js';

type Toolkit = Parameters<RouteDefinition<Record<never, never>, 'none'>['handler']>[1];

/** Streams of one number. */
const MAX_OF_NUMBER = 2_000;
const PAGE = 30;
const ALL = '';
/** Events that wait for a client that does not read. With more, the client gets `gap`, and asks again. */
const MAX_WAITING = 100;
/** As long as contacts of the network see the typing indicator. */
const TYPING_MS = 25_000;

interface Stream {
  readonly session: SessionRecord;
  /** The uuid of the contact; the number and the visitor until there is one. */
  contact: string;
  tell(event: string, data: object): void;
  wake(): void;
  /** Lets the client ask again from what it has. */
  reset(): void;
  close(): void;
}

/** The streams to open widgets. Messages come from the store by their position, so that none is missed or sent twice. */
export function createStreams(
  { clock, store, conversations, eventStream }: PluginContext,
  { people, pages, perAddress }: { people: ReturnType<typeof createPeople>; pages: Pages; perAddress: number },
) {
  /** Streams by contact, by number and by address; all of them under `ALL`. */
  const open = new Map<string, Set<Stream>>();
  /** When operators stop typing, by contact. */
  const typing = new Map<string, Timer>();
  const at = (key: string): ReadonlySet<Stream> => open.get(key) ?? new Set();
  const visitorKey = (number: string, visitor: string): string => `${number} ${visitor}`;

  function add(stream: Stream, key: string): void {
    open.set(key, (open.get(key) ?? new Set<Stream>()).add(stream));
  }

  function remove(stream: Stream, key: string): void {
    open.get(key)?.delete(stream);
    if (at(key).size === 0) open.delete(key);
  }

  function place(stream: Stream, contact: string): void {
    remove(stream, stream.contact);
    stream.contact = contact;
    add(stream, contact);
  }

  /** The streams of a contact, also those that were opened before it existed. */
  function of(number: NumberRecord, { uuid, id }: Pick<ContactRecord, 'uuid' | 'id'>): readonly Stream[] {
    for (const stream of at(visitorKey(number.uuid, id))) place(stream, uuid);
    return [...at(uuid)];
  }

  function wake({ number, contact }: MessageHappened): void {
    for (const stream of of(number, contact)) stream.wake();
  }

  function tell(contact: string, event: string, data: object): void {
    for (const stream of at(contact)) stream.tell(event, data);
  }

  function stopTyping(contact: string): void {
    typing.get(contact)?.cancel();
    if (typing.delete(contact)) tell(contact, 'typing', { on: false });
  }

  /** Looks for the contact of each stream again. One whose session has ended, such as by a login, is closed. */
  async function resettle(streams: readonly Stream[]): Promise<void> {
    for (const stream of streams) {
      const { hash } = stream.session;
      const contact = (await store.open(sessions).get(hash)) && (await people.contactOf(stream.session));
      if (!contact) stream.close();
      else place(stream, contact.uuid);
      stream.reset();
    }
  }

  return {
    count: (): number => at(ALL).size,

    /** Opens the stream of a session, with the messages after a cursor. @throws PlatformError */
    async open(h: Toolkit, number: NumberRecord, session: SessionRecord, after: string | undefined, address: string) {
      if (at(number.uuid).size >= MAX_OF_NUMBER || at(address).size >= perAddress)
        throw new PlatformError(429, 'webchat_too_many_streams', 'Too many streams are open; ask for the messages instead');
      const conversation = await pages.conversationOf(session);
      const newest = (): Promise<Page> => pages.newest(number, session, 1);
      let cursor = after ?? (await newest()).cursor;
      positionOf(cursor, conversation);
      const contact = await people.contactOf(session);
      let waiting: { readonly event: string; readonly data: object }[] = [];
      let isReset = false;
      const keys = [ALL, number.uuid, address];
      const recent = conversation ? await conversations.newest(conversation.uuid, PAGE) : [];
      const seen = recent.find(({ direction, read_at }) => direction === 'inbound' && read_at !== undefined);
      if (seen) waiting.push({ event: 'seen', data: { position: seen.position } });

      const out = eventStream(h, {
        async more(send) {
          if (isReset) {
            isReset = false;
            waiting = [];
            cursor = (await newest()).cursor;
            if (!send({ event: 'gap', data: {} })) return;
          }
          for (let page: Page | undefined; page === undefined || page.more; ) {
            page = await pages.after(number, session, cursor, PAGE);
            for (const message of page.messages) {
              const id = cursorOf({ uuid: page.cursor }, message.position);
              const isReading = send({ id, event: 'message', data: message });
              cursor = id;
              if (!isReading) return;
            }
            cursor = page.cursor;
          }
          while (waiting.length > 0) if (!send(waiting.shift()!)) return;
        },
        ended() {
          for (const key of [...keys, stream.contact]) remove(stream, key);
        },
      });
      const stream: Stream = {
        session,
        contact: contact?.uuid ?? visitorKey(number.uuid, session.visitor),
        tell(event, data) {
          if (waiting.length >= MAX_WAITING) isReset = true;
          else waiting.push({ event, data });
          out.wake();
        },
        wake: out.wake,
        reset() {
          isReset = true;
          out.wake();
        },
        close: out.close,
      };
      for (const key of [...keys, stream.contact]) add(stream, key);
      return out.response;
    },

    /** Closes the streams of a visitor whose sessions were deleted. */
    closeAll(number: string, contact: string, visitor: string): void {
      for (const key of [contact, visitorKey(number, visitor)]) for (const stream of at(key)) stream.close();
    },

    /** The events that streams show. */
    listeners: [
      on(messageReceived, wake),
      on(messageQueued, (queued) => {
        stopTyping(queued.contact.uuid);
        wake(queued);
      }),
      on(messageStatus, ({ message, report, stands }) => {
        if (stands && report.status !== 'sent') tell(message.contact, 'status', { position: message.position, status: report.status });
      }),
      on(messageSeen, ({ message: { contact, position }, typing: isTyping }) => {
        if (!open.has(contact)) return;
        tell(contact, 'seen', { position });
        if (!isTyping) return;
        typing.get(contact)?.cancel();
        const ends = clock.after(TYPING_MS, () => stopTyping(contact));
        typing.set(contact, ends);
        tell(contact, 'typing', { on: true });
      }),
      on(contactMerged, ({ number, contact, merged }) => resettle([...of(number, merged), ...of(number, contact)])),
      on(contactSplit, ({ number, contact, split }) => resettle([...of(number, contact), ...of(number, split)])),
    ] satisfies Subscription[],
  };
}

export type Streams = ReturnType<typeof createStreams>;
