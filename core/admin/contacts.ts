import { owned } from '../contract/accounts.js';
import { type Route, route } from '../contract/route.js';
import type { SearchPlace, SearchQuery, SearchSource } from '../contract/search.js';
import { operatorOf } from '../kernel/http/operators.js';
import { type ContactRecord, contacts as contactRecords, contactSchema } from '../messaging/contact.js';
import type { Contacts } from '../messaging/contacts.js';
import { conversationSchema, withObservedFields } from '../messaging/conversation.js';
import type { Conversations } from '../messaging/conversations.js';
import { messageSchema } from '../messaging/message.js';
import type { NumberRecord } from '../messaging/number.js';
import type { Numbers } from '../messaging/numbers.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { array, boolean, dateTime, integer, object, oneOf, string } from '../shape.js';
import { BODIES } from './deliveries/text.js';
import { from as after, isAfter } from './search/newest-texts.js';
import { invalid, pageFields, pageOf, placeOf } from './search/place.js';
import { queryOf } from './search/query.js';
import { search } from './search/search.js';
import type { Texts } from './search/texts.js';

const DEFAULT_LIMIT = 100;
const MAX_TEXT = 200;
/** How many contacts one call reads; with words that are not in memory, whose ids it reads, too. */
const MOST_READ = 5_000;
const MOST_TEXTS = 500;
/** Contacts of a number that are read together. */
const PAGE = 50;
/** Ids are stored with and without the plus of a phone number. */
const PLUS = /(^|\s)\+(?=\d)/g;

const params = object({ uuid: string() });
const listedSchema = object({ contact: contactSchema, ids: array(string()) }, { conversation: conversationSchema, message: messageSchema });

interface ContactPorts {
  readonly store: Database;
  readonly numbers: Numbers;
  readonly contacts: Contacts;
  readonly conversations: Conversations;
  readonly texts: Texts;
  readonly sources: () => readonly SearchSource[];
}

interface Asked {
  /** The uuids of numbers. */
  readonly owners: readonly string[];
  readonly limit: number;
  readonly place: SearchPlace | undefined;
  readonly accepts: (contact: ContactRecord) => boolean;
  /** Contacts before this time end the list. */
  readonly from: string;
}

interface Page {
  readonly found: readonly ContactRecord[];
  /** The last one that was looked at; undefined after the oldest. */
  readonly rest: SearchPlace | undefined;
}

/** Admin routes that list the contacts of all numbers, and block messages to one. */
export function contactRoutes({ store, numbers, contacts, conversations, texts, sources }: ContactPorts): Route[] {
  const records = store.open(contactRecords);
  return [
    route({
      method: 'GET',
      path: '/contacts',
      permission: 'contacts.read',
      accounts: { number: owned.number },
      shards: {
        list: 'contacts',
        by: ['contact.created_at', 'contact.uuid'],
        order: 'descending',
        limit: DEFAULT_LIMIT,
        pages: true,
      },
      summary:
        'Lists the contacts of all numbers or of one, newest first, with all ids, the conversation and its newest message: those with this `id`, at most one of each number, with all words of `text` in their names and ids, that a side has blocked (`any`), that have opted in, or from a time on. `before` is a date-time or the `next` of an earlier page. One call reads 5,000 contacts: older than `looked_back_to` were not looked at; null if all were.',
      request: {
        query: object(
          {},
          {
            number: string(),
            id: string(),
            text: string().max(MAX_TEXT),
            blocked: oneOf('any', 'contact', 'network', 'operator'),
            opted_in: boolean(),
            from: dateTime(),
            before: string(),
            limit: integer().min(1).max(500),
          },
        ),
      },
      responses: { 200: object({ contacts: array(listedSchema), ...pageFields }) },
      async handler({ query: { number, id, text, blocked, opted_in: isOptedIn, from, before, limit = DEFAULT_LIMIT }, request }) {
        const query = text === undefined ? undefined : queryOf(text.replace(PLUS, '$1'));
        if (text !== undefined && !query) throw invalid('text', 'text must have 1 to 12 words');
        const owners = number === undefined ? await numbers.list() : [await numbers.require(number)];
        const asked: Asked = {
          owners: owners.map(({ uuid }) => uuid),
          limit,
          place: before === undefined ? undefined : placeOf(before),
          from: from === undefined ? '' : new Date(from).toISOString(),
          accepts: ({ blocked: blocks, fields }) =>
            (blocked === undefined || (blocked === 'any' ? blocks !== undefined : blocks?.[blocked] !== undefined)) &&
            (isOptedIn === undefined || isOptedIn === (fields.opted_in === true)),
        };
        const { found, rest } =
          id !== undefined ? await withId(owners, id) : query ? await withWords(query, asked) : await scanned(asked, MOST_READ);
        const isBodyShown = operatorOf(request).may(BODIES);
        return { contacts: await Promise.all(found.map((contact) => listed(contact, isBodyShown))), ...pageOf(rest) };
      },
    }),
    route({
      method: 'PUT',
      path: '/contacts/{uuid}/block',
      permission: 'contacts.write',
      accounts: { uuid: owned.contact },
      summary: 'Blocks messages to a contact, from every sender: they are refused with the error 130403. `reason` is for people.',
      request: { params, payload: object({ reason: string().max(MAX_TEXT) }) },
      responses: { 200: object({ contact: contactSchema }) },
      handler: ({ params: { uuid }, payload: { reason } }) =>
        changed(uuid, (tx, number, contact) => contacts.block(tx, number, contact, { by: 'operator', reason })),
    }),
    route({
      method: 'DELETE',
      path: '/contacts/{uuid}/block',
      permission: 'contacts.write',
      accounts: { uuid: owned.contact },
      summary: 'Lifts the block of a contact by an operator; those of the contact and of the network remain.',
      request: { params },
      responses: { 200: object({ contact: contactSchema }) },
      handler: ({ params: { uuid } }) => changed(uuid, (tx, number, contact) => contacts.unblock(tx, number, contact, 'operator')),
    }),
  ];

  async function changed(uuid: string, change: (tx: Transaction, number: NumberRecord, contact: ContactRecord) => Promise<ContactRecord>) {
    const known = await contacts.require(uuid);
    const number = await numbers.require(known.number);
    const contact = await store.transaction((tx) => change(tx, number, known));
    return { contact: withObservedFields(contact, await conversations.ofContact(contact.number, contact.uuid)) };
  }

  async function listed(contact: ContactRecord, isBodyShown: boolean) {
    const [ids, conversation] = await Promise.all([contacts.idsOf(contact), conversations.ofContact(contact.number, contact.uuid)]);
    const [message] = conversation && isBodyShown ? await conversations.newest(conversation.uuid, 1) : [];
    return { contact: withObservedFields(contact, conversation), ids, ...(conversation && { conversation }), ...(message && { message }) };
  }

  async function withId(owners: readonly NumberRecord[], id: string): Promise<Page> {
    const found = await Promise.all(owners.map((number) => contacts.find(number, id)));
    return {
      found: found.filter((contact) => contact !== undefined).sort((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1)),
      rest: undefined,
    };
  }

  /** Those with words: first the newest, whose texts are in memory, then the older ones in the store. */
  async function withWords(query: SearchQuery, asked: Asked): Promise<Page> {
    const { owners, limit, place, from, accepts } = asked;
    const own = new Set(owners);
    const contact = sources().filter(({ kind }) => kind === 'contact');
    const sees = ({ number }: { readonly number?: string | undefined }) => number !== undefined && own.has(number);
    const {
      kinds: [page],
    } = await search(contact, { query, id: '', limit, before: place, sees, may: () => false });
    const { found, rest } = page!;
    const read = await Promise.all(found.map(({ id }) => contacts.get(id)));
    const isEnd = rest !== undefined && rest.at < from;
    // One that was merged since is another one here.
    const known = read.filter((one, i): one is ContactRecord => one?.uuid === found[i]!.id && one.created_at >= from && accepts(one));
    if (rest === undefined || rest.id !== undefined || isEnd) return { found: known, rest: isEnd ? undefined : rest };
    const next = place && isAfter(place, after(rest.at)) ? place : after(rest.at);
    const older = await scanned({ ...asked, place: next, limit: Math.max(1, limit - known.length) }, MOST_TEXTS, query);
    const uuids = new Set(known.map(({ uuid }) => uuid));
    return { found: [...known, ...older.found.filter(({ uuid }) => !uuids.has(uuid))], rest: older.rest };
  }

  async function scanned({ owners, limit, place, from, accepts }: Asked, most: number, query?: SearchQuery): Promise<Page> {
    const found: ContactRecord[] = [];
    let read = 0;
    for await (const contact of newestFirst(owners, place)) {
      if (contact.created_at < from) break;
      if (accepts(contact) && (!query || query.excerptOf(await texts.contactText(contact)) !== undefined)) found.push(contact);
      if (found.length === limit || ++read === most) return { found, rest: { at: contact.created_at, id: contact.uuid } };
    }
    return { found, rest: undefined };
  }

  /** The contacts of numbers after a place, newest first. Reads few of each at first: there may be many numbers. */
  async function* newestFirst(owners: readonly string[], place: SearchPlace | undefined): AsyncGenerator<ContactRecord> {
    const read = async (number: string, limit: number, last: SearchPlace | undefined): Promise<ContactRecord[]> => {
      const before = last && { before: last.id === undefined ? [last.at] : [last.at, last.id] };
      return (await records.find('number', { equals: [number], order: 'descending', limit, ...before })).toReversed();
    };
    const first = Math.ceil(PAGE / Math.max(1, owners.length));
    // The newest of each number is the last one.
    const all = await Promise.all(owners.map((number) => read(number, first, place)));
    for (;;) {
      const newest = all.reduce((known, one) => (keyOf(one.at(-1)) > keyOf(known.at(-1)) ? one : known), []);
      const contact = newest.pop();
      if (!contact) return;
      yield contact;
      if (newest.length === 0) newest.push(...(await read(contact.number, PAGE, { at: contact.created_at, id: contact.uuid })));
    }
  }
}

/** Texts in the order of the list. */
const keyOf = (contact: ContactRecord | undefined): string => (contact ? `${contact.created_at}/${contact.uuid}` : '');
