import { type ConversationRecord, InvalidRequest, type MessageRecord, type NumberRecord, type PluginContext } from '#core';
import type { SessionRecord } from '../records.js';
import type { createPeople } from '../visitors/people.js';
import { type createShown, isShown, type ShownMessage } from './shown.js';

/** Messages, oldest first; `cursor` stands for the last one, or for the first one if older messages were asked for. */
export interface Page {
  readonly messages: readonly ShownMessage[];
  readonly cursor: string;
  /** Whether there are more in the direction of the search. */
  readonly more: boolean;
}

/** Messages in which the choice of an option is looked for, after those of a page. */
const LATER = 20;
const START = '0';

/** A cursor is the position of a message, with the beginning of the uuid of its conversation: merged contacts have another one. */
const CURSOR = /^(?:0|([0-9a-f]{8})\.(\d{1,15}))$/;
export const cursorOf = ({ uuid }: Pick<ConversationRecord, 'uuid'>, position: number): string => `${uuid.slice(0, 8)}.${position}`;

/** The position of a cursor, 0 if it is one of another conversation. @throws InvalidRequest */
export function positionOf(cursor: string, conversation: Pick<ConversationRecord, 'uuid'> | undefined): number {
  const [is, of, position] = CURSOR.exec(cursor) ?? [];
  if (is === undefined) throw new InvalidRequest([], 'The cursor is not one that the web chat has given');
  return conversation && of === conversation.uuid.slice(0, 8) ? Number(position) : 0;
}

export type Pages = ReturnType<typeof createPages>;

/** Reads the messages of a visitor. */
export function createPages(
  { conversations }: Pick<PluginContext, 'conversations'>,
  { people, shown }: { people: ReturnType<typeof createPeople>; shown: ReturnType<typeof createShown> },
) {
  async function conversationOf(session: SessionRecord): Promise<ConversationRecord | undefined> {
    const contact = await people.contactOf(session);
    return contact && conversations.ofContact(session.number, contact.uuid);
  }

  return {
    conversationOf,

    /** The newest messages, or the newest before a cursor. */
    async newest(number: NumberRecord, session: SessionRecord, limit: number, before?: string): Promise<Page> {
      const conversation = await conversationOf(session);
      const end = before === undefined ? undefined : positionOf(before, conversation);
      if (!conversation || end === 0) return { messages: [], cursor: START, more: false };
      const found = (await conversations.newest(conversation.uuid, limit + 1, end)).reverse();
      const page = found.slice(-limit);
      const later = end === undefined ? [] : await conversations.after(conversation.uuid, end - 1, LATER);
      const last = end === undefined ? (page.at(-1)?.position ?? conversation.length) : (page[0]?.position ?? 0);
      return {
        messages: await shown.all(number, page, later),
        cursor: cursorOf(conversation, last),
        more: found.length > limit,
      };
    },

    /** The oldest messages after a cursor. */
    async after(number: NumberRecord, session: SessionRecord, cursor: string, limit: number): Promise<Page> {
      const conversation = await conversationOf(session);
      const position = positionOf(cursor, conversation);
      if (!conversation) return { messages: [], cursor: START, more: false };
      const found = await conversations.after(conversation.uuid, position, limit + LATER);
      const page = found.slice(0, limit);
      return {
        messages: await shown.all(number, page, found.slice(limit)),
        cursor: cursorOf(conversation, page.at(-1)?.position ?? position),
        more: found.length > limit,
      };
    },

    /** The messages to a visitor up to a position that have not reached a status yet, oldest first. */
    async unreported(session: SessionRecord, position: number, reached: readonly string[]): Promise<MessageRecord[]> {
      const conversation = await conversationOf(session);
      const newest = conversation ? await conversations.newest(conversation.uuid, MAX_REPORTED, position + 1) : [];
      const sent = newest.filter((message) => message.direction === 'outbound' && isShown(message));
      const end = sent.findIndex(({ status }) => reached.includes(status ?? ''));
      return (end < 0 ? sent : sent.slice(0, end)).reverse();
    },
  };
}

/** Messages that one call can report as seen; those before them were seen with an earlier call. */
const MAX_REPORTED = 200;
