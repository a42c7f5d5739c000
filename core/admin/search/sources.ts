import type { Found, SearchBounds, SearchPlace, SearchSource } from '../../contract/search.js';
import type { SettledDeliveries } from '../../delivery/settled-deliveries.js';
import type { AnyDelivery } from '../../delivery/settled-delivery.js';
import type { Webhooks } from '../../delivery/webhooks.js';
import { Conflict, NotFound } from '../../errors.js';
import type { CallLog, CallSummary } from '../../kernel/observe/call-log.js';
import type { ContactRecord } from '../../messaging/contact.js';
import type { Contacts } from '../../messaging/contacts.js';
import type { Conversations } from '../../messaging/conversations.js';
import { findMessage } from '../../messaging/find-message.js';
import type { MessageRecord } from '../../messaging/message.js';
import type { Messages } from '../../messaging/messages.js';
import type { NumberRecord } from '../../messaging/number.js';
import type { Numbers } from '../../messaging/numbers.js';
import { BODIES, deliveryText } from '../deliveries/text.js';
import { foundAmong } from './search.js';
import { callText, foundIn, messageText, type Texts } from './texts.js';

interface SourcePorts {
  readonly numbers: Numbers;
  readonly contacts: Contacts;
  readonly conversations: Conversations;
  readonly messages: Messages;
  readonly settledDeliveries: SettledDeliveries;
  readonly webhooks: Pick<Webhooks, 'get'>;
  readonly calls: CallLog | undefined;
  readonly texts: Texts;
}

/** Deliveries that are read together. */
const PAGE = 20;

/** The kinds of records of the core that a search finds. */
export function coreSources(parts: SourcePorts): readonly SearchSource[] {
  const { numbers, contacts, conversations, messages, settledDeliveries: settled, webhooks, calls, texts } = parts;
  const ownNumbers = async (sees: (owner: { number: string }) => boolean): Promise<NumberRecord[]> =>
    (await numbers.list()).filter(({ uuid }) => sees({ number: uuid }));

  return [
    {
      kind: 'number',
      permission: 'numbers.read',
      async find({ excerptOf }, bounds) {
        const all = await ownNumbers(bounds.sees);
        return bounds.page(all.filter(({ name, address, type }) => excerptOf(`${name} ${address} ${type}`) !== undefined).map(foundNumber));
      },
      async byId(id, { sees }) {
        const all = await ownNumbers(sees);
        return all.filter(({ uuid, address }) => uuid === id || address === id).map(foundNumber);
      },
    },
    {
      kind: 'contact',
      permission: 'contacts.read',
      isLarge: true,
      find: (query, bounds) =>
        foundIn(texts.contacts, query, bounds, async (uuid) => {
          const contact = await contacts.get(uuid);
          const text = contact?.uuid === uuid ? query.excerptOf(await texts.contactText(contact)) : undefined;
          return contact && text !== undefined ? foundContact(contact, text) : undefined;
        }),
      async byId(id, { sees }) {
        const own = await contacts.get(id.toLowerCase());
        const named = await Promise.all((await ownNumbers(sees)).map((number) => contacts.find(number, id)));
        return Promise.all((own ? [own] : named).flatMap((contact) => (contact ? [foundContact(contact, '')] : [])));
      },
    },
    {
      kind: 'conversation',
      permission: BODIES,
      find: async (_, bounds) => bounds.page([]),
      async byId(id) {
        const known = await ifFound(conversations.require(id.toLowerCase()));
        const contact = known && (await contacts.get(known.contact));
        return contact ? [{ ...(await foundContact(contact, '')), id: known.uuid, at: known.updated_at }] : [];
      },
    },
    {
      kind: 'message',
      permission: BODIES,
      isLarge: true,
      find: (query, bounds) =>
        foundIn(texts.messages, query, bounds, async (uuid) => {
          const message = await messages.get(uuid);
          const text = message && query.excerptOf(messageText(message));
          return text === undefined ? undefined : foundMessage(message!, text);
        }),
      async byId(id, { sees }) {
        const list = async () => ownNumbers(sees);
        const message = await ifFound(findMessage({ numbers: { list }, messages }, id));
        const found = message && (await foundMessage(message, ''));
        return found ? [found] : [];
      },
    },
    {
      kind: 'call',
      permission: BODIES,
      isLarge: true,
      find: (query, bounds) =>
        foundAmong(calls?.newestFirst() ?? [], query, bounds, ({ about, read }) => ({
          one: foundCall(about),
          text: () => callText(read()),
        })),
      async byId(id) {
        const call = calls?.get(id);
        return call ? [foundCall(call)] : [];
      },
    },
    {
      kind: 'delivery',
      permission: 'deliveries.read',
      isLarge: true,
      async find(query, bounds) {
        const isBodyShown = bounds.may(BODIES);
        const entries = new Map<string, AnyDelivery>();
        const { found, rest } = await foundAmong(deliveriesBefore(bounds.before), query, bounds, (entry) => ({
          one: foundDelivery(entry),
          text() {
            entries.set(entry.record.uuid, entry);
            return deliveryText(settled, entry, isBodyShown);
          },
        }));
        const titled = found.map(async (one) => ({ ...one, title: await titleOf(entries.get(one.id)!, bounds) }));
        return { found: await Promise.all(titled), rest };
      },
      async byId(id, bounds) {
        const entry = await settled.read(id.toLowerCase());
        return entry ? [{ ...foundDelivery(entry), title: await titleOf(entry, bounds) }] : [];
      },
    },
  ];

  /** Newest first, from those of the time of a place on. */
  async function* deliveriesBefore(place: SearchPlace | undefined): AsyncGenerator<AnyDelivery> {
    let last = place && (await settled.afterTime(place.at));
    for (let page: AnyDelivery[] | undefined; !page || page.length === PAGE; last = page.at(-1)?.seq) {
      page = await settled.find('newest', {}, PAGE, last);
      yield* page;
    }
  }

  /** The receiver, the contact that it is about, and the state. */
  async function titleOf({ record }: AnyDelivery, { may }: Pick<SearchBounds, 'may'>): Promise<string> {
    const { webhook, subscription, sender, message: about, state } = record;
    const receiver = sender === undefined ? (await webhooks.get(webhook))?.name : undefined;
    const message = about === undefined || !may('contacts.read') ? undefined : await messages.get(about);
    const contact = message && (await contacts.get(message.contact));
    return [receiver === undefined ? `Delivery of ${subscription}` : `Delivery to ${receiver}`, contact && nameOf(contact), state]
      .filter(Boolean)
      .join(' · ');
  }

  async function foundContact(contact: ContactRecord, text: string): Promise<Found> {
    const { uuid: id, number, created_at: at } = contact;
    const conversation = await conversations.ofContact(number, id);
    return { id, title: nameOf(contact), text, at, number, ...(conversation && { on: { kind: 'conversation', id: conversation.uuid } }) };
  }

  /** Undefined while its contact is erased. */
  async function foundMessage({ uuid: id, number, conversation, contact: who, recorded_at: at, direction }: MessageRecord, text: string) {
    const contact = await contacts.get(who);
    const title = contact && `${direction === 'inbound' ? 'from' : 'to'} ${nameOf(contact)}`;
    const on = { kind: 'conversation', id: conversation } as const;
    return title === undefined ? undefined : { id, title, text, at, number, on };
  }
}

const nameOf = ({ fields: { name }, id }: ContactRecord): string => (typeof name === 'string' && name !== '' ? `${name} (${id})` : id);

const foundNumber = ({ uuid: id, name, address, type, created_at: at }: NumberRecord): Found => ({
  id,
  title: name,
  text: `${address} · ${type}`,
  at,
  number: id,
});

const foundCall = ({ id, method, path, status, at, number }: CallSummary): Found => ({
  id,
  title: `${method} ${path} ${status}`,
  text: '',
  at,
  number: number?.uuid,
});

const foundDelivery = ({ record: { uuid: id, created_at: at, number } }: AnyDelivery): Found => ({
  id,
  title: '',
  text: '',
  at,
  number,
});

/** Undefined instead of an error which says that there is none, that there are several, or that a body cannot be restored. */
async function ifFound<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Conflict || error instanceof NotFound) return undefined;
    throw error;
  }
}
