import { setImmediate as breathe } from 'node:timers/promises';
import { isSameSecret, type Json, type JsonObject, PlatformError } from '#core';
import { otherSpellings } from '#core/messaging';
import type { Counters } from '../metrics.js';
import type { Connections } from '../numbers/connections.js';
import type { ConnectionRecord } from '../records.js';
import type { Received } from './queues.js';

/** Ids of the network have about 128 characters. */
const MAX_ID = 512;
/** A call of the network has up to 1,000 messages and statuses. */
const MAX_PARTS = 50_000;
/** Changes that are split before other calls get their turn. */
const SPLIT_AT_ONCE = 100;

/** A job and its serial key: what one contact does is processed in order. */
export interface Item {
  readonly job: Received;
  readonly serial: string;
}

/**
 * Splits a webhook call into its messages, statuses and other events. One callback serves all numbers of an app, so each part goes to the
 * number that it names, if that number has the app secret that has signed the call; other parts are counted and dropped.
 * @throws PlatformError 413 for a call with more parts than the network sends
 */
export async function itemsOf(
  body: Json,
  { connections, counters, signedBy }: { connections: Connections; counters: Counters; signedBy: string },
): Promise<Item[]> {
  const items: Item[] = [];
  const trusted = new Map<string, boolean>();
  let changes = 0;
  for (const entry of listOf(objectOf(body).entry)) {
    for (const { field, value: given } of listOf(entry.changes)) {
      if (++changes % SPLIT_AT_ONCE === 0) await breathe();
      const value = objectOf(given);
      const phone = objectOf(value.metadata).phone_number_id;
      const all = await connectionsOf(String(entry.id ?? ''), phone);
      const known = (await Promise.all(all.map(async (one) => ((await isTrusted(one)) ? one : undefined)))).filter(
        (one) => one !== undefined,
      );
      if (known.length === 0) counters.stray({ kind: 'number' });
      for (const { number } of known) for (const item of itemsOfChange(number, String(field), value, counters)) items.push(item);
      if (items.length > MAX_PARTS) throw new PlatformError(413, 'too_many_parts', `A call has at most ${MAX_PARTS} messages and events`);
    }
  }
  return items;

  async function connectionsOf(account: string, phone: Json | undefined): Promise<ConnectionRecord[]> {
    if (typeof phone !== 'string') return connections.byAccount(account);
    const connection = await connections.byPhone(phone);
    return connection ? [connection] : [];
  }

  async function isTrusted({ number }: ConnectionRecord): Promise<boolean> {
    const known = trusted.get(number) ?? isSameSecret(await connections.secret(number, 'appSecret'), signedBy);
    trusted.set(number, known);
    return known;
  }
}

function itemsOfChange(number: string, field: string, value: JsonObject, counters: Counters): Item[] {
  if (field !== 'messages') return [{ job: { number, kind: 'event', field, value }, serial: `${number}/${field}` }];
  const contactOf = contactsOf(listOf(value.contacts));
  const items: Item[] = identified(value.messages, counters).map((message) => {
    const contact = contactOf(message);
    // The id of the account first: the network may leave out the phone number of some of its messages.
    const who = String(message.from_user_id || contact?.user_id || message.from || '');
    return { job: { number, kind: 'message', field, value: message, ...(contact && { contact }) }, serial: `${number}/${who}` };
  });
  for (const status of identified(value.statuses, counters)) {
    items.push({ job: { number, kind: 'status', field, value: status }, serial: `${number}/${status.id}` });
  }
  if (value.errors)
    items.push({ job: { number, kind: 'event', field: 'errors', value: { errors: value.errors } }, serial: `${number}/errors` });
  return items;
}

/** Messages or statuses with an id: one without an id cannot be distinguished from another, so it is counted and dropped. */
function identified(list: Json | undefined, counters: Counters): JsonObject[] {
  return listOf(list).filter(({ id }) => {
    const isNamed = typeof id === 'string' && id !== '' && id.length <= MAX_ID;
    if (!isNamed) counters.stray({ kind: 'nameless' });
    return isNamed;
  });
}

/**
 * Finds the contact of a message by its ids: a call may have several contacts in any order, and one that is another person. All ids that both
 * have must be the same. A single contact belongs to a message without ids. With an index, because a call may have thousands of both.
 */
function contactsOf(contacts: readonly JsonObject[]): (message: JsonObject) => JsonObject | undefined {
  const first = new Map<string, number>();
  for (const [i, { wa_id, user_id }] of contacts.entries()) {
    const [phone, user] = [idOf(wa_id), idOf(user_id)];
    for (const key of [phone && `phone ${phone}`, user && `user ${user}`, pairOf(phone, user)])
      if (key !== '' && !first.has(key)) first.set(key, i);
  }
  return ({ from, from_user_id }) => {
    const [phone, user] = [idOf(from), idOf(from_user_id)];
    if (phone === '' && user === '') return contacts.length === 1 ? contacts[0] : undefined;
    const phones = phone === '' ? [] : [phone, ...otherSpellings('network', phone)];
    const keys =
      user === ''
        ? phones.map((one) => `phone ${one}`)
        : phone === ''
          ? [`user ${user}`]
          : [...phones.flatMap((one) => [pairOf(one, user), pairOf(one, '')]), pairOf('', user)];
    return contacts[Math.min(...keys.map((key) => first.get(key) ?? contacts.length))];
  };
}

const idOf = (id: Json | undefined): string => (id ? String(id) : '');
const pairOf = (phone: string, user: string): string => JSON.stringify([phone, user]);

const objectOf = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
const listOf = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.map((one) => objectOf(one as Json)) : []);
