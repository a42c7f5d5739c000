import { owned } from '../contract/accounts.js';
import type { ConversationView } from '../contract/plugin.js';
import { type Route, route } from '../contract/route.js';
import { type ContactRecord, contactSchema } from '../messaging/contact.js';
import { identitySchema } from '../messaging/contact-merge.js';
import type { Contacts } from '../messaging/contacts.js';
import { type ConversationRecord, conversationSchema, withObservedFields } from '../messaging/conversation.js';
import type { Conversations } from '../messaging/conversations.js';
import { isNote, type MessageRecord, messageSchema } from '../messaging/message.js';
import type { MessageRecords } from '../messaging/message-records.js';
import type { Numbers } from '../messaging/numbers.js';
import type { Database } from '../ports/transaction.js';
import { anyValue, array, boolean, dateTime, integer, nullable, object, oneOf, record, string } from '../shape.js';

const params = object({ uuid: string() });
const listedSchema = object({ conversation: conversationSchema, contact: contactSchema }, { message: messageSchema });
const viewSchema = object({ state: oneOf('loaded', 'failed') }, { data: nullable(anyValue()), reason: string() });

const MAX_MESSAGES = 100;
/** Messages of a number that are read with one call of the store, and that are searched in all: many may be those of journeys. */
const PAGE = 50;
const MAX_SEARCHED = 500;

export interface ConversationPorts {
  readonly store: Database;
  readonly records: Pick<MessageRecords, 'committed'>;
  readonly numbers: Numbers;
  readonly contacts: Contacts;
  readonly conversations: Conversations;
  readonly views: () => readonly ConversationView[];
}

export function conversationRoutes({ store, records, numbers, contacts, conversations, views }: ConversationPorts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/numbers/{uuid}/contacts',
      permission: 'contacts.read',
      accounts: { uuid: owned.number },
      summary:
        'Lists the contacts of a number, oldest first. `after` is the uuid of the last contact of the previous page; `id` finds one contact.',
      request: { params, query: object({}, { id: string(), after: string(), limit: integer().min(1).max(500) }) },
      responses: { 200: object({ contacts: array(contactSchema) }) },
      async handler({ params: { uuid }, query: { id, after, limit = 100 } }) {
        await numbers.require(uuid);
        const found = id === undefined ? await contacts.list(uuid, { after, limit }) : await findById(uuid, id);
        const loadView = found.map(async (contact) => withObservedFields(contact, await conversations.ofContact(uuid, contact.uuid)));
        return { contacts: await Promise.all(loadView) };
      },
    }),
    route({
      method: 'GET',
      path: '/contacts/{uuid}',
      permission: 'contacts.read',
      accounts: { uuid: owned.contact },
      summary:
        'Shows a contact with its fields, all its ids, and its conversation if it has one. A contact that was merged is the one that remains.',
      request: { params },
      responses: { 200: object({ contact: contactSchema, ...identitySchema }, { conversation: conversationSchema }) },
      async handler({ params: { uuid } }) {
        const contact = await contacts.require(uuid);
        const conversation = await conversations.ofContact(contact.number, contact.uuid);
        const identity = await contacts.identityOf(contact);
        return { contact: withObservedFields(contact, conversation), ...identity, ...(conversation && { conversation }) };
      },
    }),
    route({
      method: 'PATCH',
      path: '/contacts/{uuid}',
      permission: 'contacts.write',
      accounts: { uuid: owned.contact },
      summary: 'Sets fields of a contact; null clears a field.',
      request: { params, payload: object({ fields: record(anyValue()) }) },
      responses: { 200: object({ contact: contactSchema }) },
      async handler({ params: { uuid }, payload }) {
        const { number: owner } = await contacts.require(uuid);
        const number = await numbers.require(owner);
        const contact = await store.transaction((tx) => contacts.setFields(tx, number, uuid, payload.fields as never));
        return { contact: withObservedFields(contact, await conversations.ofContact(owner, contact.uuid)) };
      },
    }),
    route({
      method: 'GET',
      path: '/numbers/{uuid}/conversations',
      permission: 'messages.read_bodies',
      accounts: { uuid: owned.number },
      summary: 'Lists the conversations of a number, most recent first.',
      request: { params, query: object({}, { limit: integer().min(1).max(500) }) },
      responses: { 200: object({ conversations: array(conversationSchema) }) },
      async handler({ params: { uuid }, query: { limit = 100 } }) {
        await numbers.require(uuid);
        return { conversations: await conversations.list(uuid, limit) };
      },
    }),
    route({
      method: 'GET',
      path: '/conversations',
      permission: 'messages.read_bodies',
      accounts: { number: owned.number },
      shards: { list: 'conversations', by: ['conversation.updated_at'], order: 'descending', limit: 100 },
      summary:
        'Lists the conversations of all numbers or of one, most recent first, each with its contact and newest message. `before` is the `updated_at` of the last conversation of the previous page.',
      request: { query: object({}, { number: string(), before: dateTime(), limit: integer().min(1).max(500) }) },
      responses: { 200: object({ conversations: array(listedSchema) }) },
      async handler({ query: { number, before, limit = 100 } }) {
        const owners = number === undefined ? await numbers.list() : [await numbers.require(number)];
        const until = before === undefined ? undefined : new Date(before).toISOString();
        const recent = await Promise.all(owners.map(({ uuid }) => conversations.list(uuid, limit, until)));
        const newest = recent
          .flat()
          .sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1))
          .slice(0, limit);
        return { conversations: await Promise.all(newest.map(listed)) };
      },
    }),
    route({
      method: 'GET',
      path: '/messages',
      permission: 'messages.read_bodies',
      accounts: { number: owned.number },
      shards: { list: 'messages', by: ['message.recorded_at'], order: 'descending', limit: 20 },
      summary:
        'Lists the newest messages of contacts and clients of all numbers or of one, newest first, each with its contact. Messages of journeys and notes are left out.',
      request: { query: object({}, { number: string(), limit: integer().min(1).max(MAX_MESSAGES) }) },
      responses: { 200: object({ messages: array(object({ message: messageSchema, contact: contactSchema })) }) },
      async handler({ query: { number, limit = 20 } }) {
        const owners = number === undefined ? await numbers.list() : [await numbers.require(number)];
        const found = (await Promise.all(owners.map(({ uuid }) => posted(uuid, limit)))).flat();
        const newest = found.sort((a, b) => (a.recorded_at < b.recorded_at ? 1 : -1)).slice(0, limit);
        return {
          messages: await Promise.all(newest.map(async (message) => ({ message, contact: await contacts.require(message.contact) }))),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/conversations/{uuid}',
      permission: 'messages.read_bodies',
      accounts: { uuid: owned.conversation },
      summary:
        'Shows a conversation: its contact with all ids, its messages, newest first, and the views of plugins, or of those that `views` lists with commas.',
      request: { params, query: object({}, { refresh: boolean(), views: string(), limit: integer().min(1).max(500) }) },
      responses: {
        200: object({
          conversation: conversationSchema,
          contact: contactSchema,
          ...identitySchema,
          messages: array(messageSchema),
          views: record(viewSchema),
        }),
      },
      async handler({ params: { uuid }, query: { refresh = false, views: named, limit = 50 }, log }) {
        const names = named?.split(',');
        const wanted = views().filter(({ name }) => names?.includes(name) ?? true);
        const conversation = await conversations.require(uuid);
        const [number, contact, messages] = await Promise.all([
          numbers.require(conversation.number),
          contacts.require(conversation.contact),
          conversations.newest(conversation.uuid, limit),
        ]);
        const loaded = await Promise.all(
          wanted.map(async (view) => [view.name, await shown(view, { number, contact, conversation, refresh, log })] as const),
        );
        return {
          conversation,
          contact: withObservedFields(contact, conversation),
          messages,
          views: Object.fromEntries(loaded),
          ...(await contacts.identityOf(contact)),
        };
      },
    }),
  ];

  async function listed(conversation: ConversationRecord) {
    const [contact, [message]] = await Promise.all([contacts.require(conversation.contact), conversations.newest(conversation.uuid, 1)]);
    return { conversation, contact: withObservedFields(contact, conversation), ...(message && { message }) };
  }

  /** The newest messages of a number that a contact or a client sent. */
  async function posted(number: string, limit: number): Promise<MessageRecord[]> {
    const found: MessageRecord[] = [];
    let before: readonly string[] | undefined;
    for (let searched = 0; searched < MAX_SEARCHED && found.length < limit; searched += PAGE) {
      const page = await records.committed.find('age', {
        equals: [number],
        order: 'descending',
        limit: PAGE,
        ...(before && { before }),
      });
      found.push(...page.filter((message) => message.journey === undefined && !isNote(message)));
      const last = page.at(-1);
      if (!last || page.length < PAGE) break;
      before = [last.recorded_at, last.uuid];
    }
    return found;
  }

  /** Accepts an international number with or without its plus; in an unencoded query the plus arrives as a space. */
  async function findById(number: string, id: string): Promise<ContactRecord[]> {
    const digits = id.replace(/^[+ ]/, '');
    const found = await Promise.all([...new Set([id, digits, `+${digits}`])].map((one) => contacts.known(number, one)));
    return found.filter((contact) => contact !== undefined).slice(0, 1);
  }

  /** A view that fails gets the state `failed`, and the response succeeds. */
  async function shown(view: ConversationView, opened: Parameters<ConversationView['load']>[0]) {
    try {
      const data = (await view.load(opened)) ?? null;
      // Data that JSON cannot express fails this view, and not the whole response later.
      JSON.stringify(data);
      return { state: 'loaded' as const, data };
    } catch (error) {
      const reason = String(error instanceof Error ? error.message || error.name : error);
      opened.log.warn('a view of a conversation failed', { view: view.name, conversation_id: opened.conversation.uuid, reason });
      return { state: 'failed' as const, reason };
    }
  }
}
