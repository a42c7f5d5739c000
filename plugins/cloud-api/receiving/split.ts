import type { Json, JsonObject } from '#core';
import { isSameSecret } from '#core';
import { otherSpellings } from '#core/areas';
import type { Counters } from '../metrics.js';
import type { Connections } from '../numbers/connections.js';
import type { ConnectionRecord } from '../records.js';
import type { Received } from './queues.js';

/** Ids of the network have about 128 characters. */
const MAX_ID = 512;

/** A job and its serial key: what one contact does is processed in order. */
export interface Item {
  readonly job: Received;
  readonly serial: string;
}

/**
 * Splits a webhook call into its messages, statuses and other events. One callback serves all numbers of an app, so each part goes to the
 * number that it names, if that number has the app secret that has signed the call; other parts are counted and dropped.
 */
export async function itemsOf(
  body: Json,
  { connections, counters, signedBy }: { connections: Connections; counters: Counters; signedBy: string },
): Promise<Item[]> {
  const items: Item[] = [];
  const trusted = new Map<string, boolean>();
  for (const entry of listOf(objectOf(body).entry)) {
    for (const { field, value: given } of listOf(entry.changes)) {
      const value = objectOf(given);
      const phone = objectOf(value.metadata).phone_number_id;
      const all = await connectionsOf(String(entry.id ?? ''), phone);
      const known = (await Promise.all(all.map(async (one) => ((await isTrusted(one)) ? one : undefined)))).filter(
        (one) => one !== undefined,
      );
      if (known.length === 0) counters.stray({ kind: 'number' });
      for (const { number } of known) items.push(...itemsOfChange(number, String(field), value, counters));
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
  const contacts = listOf(value.contacts);
  const items: Item[] = identified(value.messages, counters).map((message) => {
    const contact = contactOf(contacts, message);
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
 * The contact of a message, matched by its ids: a call may have several contacts in any order, and one that is another person. A single one
 * belongs to a message without ids.
 */
function contactOf(contacts: readonly JsonObject[], { from, from_user_id: user }: JsonObject): JsonObject | undefined {
  if (!from && !user) return contacts.length === 1 ? contacts[0] : undefined;
  return contacts.find(({ wa_id, user_id }) => {
    const matches = [matchOf(from, wa_id, isSamePhone), matchOf(user, user_id)].filter((match) => match !== undefined);
    return matches.length > 0 && matches.every(Boolean);
  });
}

/** Whether two ids are the same; undefined if one of them is missing. */
function matchOf(a: Json | undefined, b: Json | undefined, isSame = (x: string, y: string) => x === y): boolean | undefined {
  return a && b ? isSame(String(a), String(b)) : undefined;
}

const isSamePhone = (a: string, b: string): boolean => a === b || otherSpellings('network', a).includes(b);

const objectOf = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
const listOf = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.map((one) => objectOf(one as Json)) : []);
