import type { Dialect } from '../dialect.js';
import { Conflict, NotFound } from '../errors.js';
import type { JsonObject } from '../json.js';
import type { HeldNumbers } from '../memory/history.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import { promiseOf, type Steps, wait } from '../ports/steps.js';
import { peek, peekBy } from '../ports/store.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { type BlockedBy, type ContactRecord, contacts, MAX_FIELD_CHARACTERS, withBlocks } from './contact.js';
import { createContactAliases } from './contact-aliases.js';
import { createContactMerges } from './contact-merges.js';
import { contactBlocked, contactChanged, contactUnblocked } from './events.js';
import { isAccountId, networkId, otherSpellings } from './network-id.js';
import { type NumberRecord, numbers } from './number.js';
import { reservedFields } from './reserved-fields.js';

/** A contact as a channel or client names it. */
export interface ContactIds {
  readonly id: string;
  readonly address: string;
  readonly name?: string | undefined;
  /** Other ids of the same person; the contact gets those that are new. */
  readonly aliases?: readonly string[] | undefined;
}

/** The contact service: finds, creates, changes and merges contacts. The plugin `messages` has the contact routes of the API. */
export type Contacts = ReturnType<typeof createContacts>;

interface ContactsPorts {
  readonly store: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly mergesKeptDays?: number | undefined;
  readonly holds?: Pick<HeldNumbers, 'isHeld'> | undefined;
}

export function createContacts({ store, ids, clock, dialect, holds, mergesKeptDays: keptDays }: ContactsPorts) {
  const records = store.open(contacts);
  const aliases = createContactAliases({ store, clock, dialect });
  const merges = createContactMerges({ store, ids, clock, dialect, aliases, holds, keptDays });

  return {
    /** The contact with this uuid, or the one into which it was merged; undefined if there is none. */
    get,

    /**
     * Lists contacts, oldest first: those after the contact with the uuid `after`, and all without `limit`. @throws NotFound when `after`
     * is unknown
     */
    async list(number: string, { after, limit }: { after?: string | undefined; limit?: number } = {}): Promise<ContactRecord[]> {
      const last = after === undefined ? undefined : await this.require(after);
      const page = { ...(last && { after: [last.created_at, last.uuid] }), ...(limit !== undefined && { limit }) };
      return records.find('number', { equals: [number], ...page });
    },

    /** Finds the contact of a number with this id, alias or address, or another spelling of its phone number. */
    async known(number: string, idOrAddress: string): Promise<ContactRecord | undefined> {
      const contact = await records.getBy('id', [number, idOrAddress]);
      if (contact) return contact;
      const owner = await store.open(numbers).get(number);
      return owner && find(owner, idOrAddress);
    },

    /**
     * Finds a contact by any of its ids or its address, as a client wrote it. On the network a phone number may have separators. On a
     * channel the plus of a phone number may be missing, as in `wa_id` of webhooks.
     */
    find: (number: NumberRecord, name: string): Promise<ContactRecord | undefined> =>
      find(number, number.kind === 'channel' ? name : (networkId(name) ?? name)),

    /** Finds the contact with this id or alias, on the network also in another spelling, including the changes of a transaction. */
    current: (tx: Transaction, number: NumberRecord, id: string): Promise<ContactRecord | undefined> => aliases.findIn(tx, number, id),

    /** All ids of a contact: its id, and its aliases in the order in which they were added. */
    idsOf: (contact: ContactRecord, tx?: Transaction): Promise<string[]> => (tx ? aliases.ofIn(tx, contact) : aliases.of(contact)),

    /** The ids of a contact, and the merges into it that can still be undone, oldest first. */
    async identityOf(contact: ContactRecord) {
      const [ids, all] = await Promise.all([aliases.of(contact), merges.into(contact.uuid)]);
      return {
        ids,
        merges: all.map(({ contact: uuid, record, merged_at, expires_at }) => ({ contact: uuid, id: record.id, merged_at, expires_at })),
      };
    },

    /** The merge of a contact that no longer exists; undefined if it cannot be undone any more. */
    mergeOf: merges.of,

    /** The contact with this uuid, or the one into which it was merged. @throws NotFound */
    async require(uuid: string): Promise<ContactRecord> {
      const contact = await get(uuid);
      if (!contact) throw new NotFound('contact', uuid);
      return contact;
    },

    /** A contact that the caller has read, as it is now: after a merge the one that remains. @throws NotFound */
    async latest(tx: Transaction, { uuid }: Pick<ContactRecord, 'uuid'>): Promise<ContactRecord> {
      const contact = (await peek(tx, contacts, uuid)) ?? (await merges.successorIn(tx, uuid));
      if (!contact) throw new NotFound('contact', uuid);
      return contact;
    },

    /**
     * Finds or creates a contact, and updates its address. A changed profile name also replaces the `name` of the contact. An
     * unchanged profile name does not overwrite a `name` that a client has set. `aliases` become ids of the contact, and other contacts
     * with one of the ids are merged into one.
     */
    findOrCreate: (tx: Transaction, number: NumberRecord, who: ContactIds): Promise<ContactRecord> =>
      promiseOf(findOrCreate(tx, number, who)),

    /** Methods of the same names for work in steps. */
    inSteps: { findOrCreate },

    /**
     * Adds ids to a contact, as the channel names the same person. Contacts that have one of them turn out to be the same person and are
     * merged; ids of a person with another account are left alone. @returns the contact, or the one into which it was merged
     */
    async alias(
      tx: Transaction,
      number: NumberRecord,
      contact: Pick<ContactRecord, 'uuid'>,
      further: readonly string[],
    ): Promise<ContactRecord> {
      const person = await this.latest(tx, contact);
      const all = further.filter((id) => id !== '' && id !== person.id);
      if (await aliases.areOf(tx, person, all)) return person;
      const accounts = await accountsOf(tx, number, person);
      const given = all.filter((id) => isAccountId(number.kind, id));
      if (areOthers(accounts, given)) return person;
      return (await promiseOf(unite(tx, number, all, { person, accounts: [...accounts, ...given] })))!;
    },

    /**
     * A contact of the network has another phone number from now on; the former one remains one of its ids. `former` are ids that it had
     * before; nothing if they are unknown, or of another person. `further` are ids that it has from now on, too, such as that of a new account.
     */
    async renumber(
      tx: Transaction,
      number: NumberRecord,
      former: readonly string[],
      id: string,
      further: readonly string[] = [],
    ): Promise<void> {
      const given = former.filter((one) => isAccountId(number.kind, one));
      let person: ContactRecord | undefined;
      // The account first: another person can have the former number already.
      for (const one of [...given, ...former]) person ??= await aliases.findIn(tx, number, one);
      if (!person) return;
      const known = await accountsOf(tx, number, person);
      if (areOthers(known, given)) return;
      const accounts = [...known, ...given, ...further.filter((one) => isAccountId(number.kind, one))];
      const holder = await aliases.findIn(tx, number, id);
      const isPassedOn = holder !== undefined && holder.uuid !== person.uuid && (await aliases.hasLeft(tx, number, holder, id));
      if (isPassedOn) await aliases.takeFrom(tx, number, holder, id);
      const before = person.id;
      person = (await promiseOf(unite(tx, number, [id, ...further], { person, accounts, takes: true })))!;
      person = (await promiseOf(unite(tx, number, former, { person, accounts })))!;
      person = await aliases.rename(tx, number, person, id);
      await aliases.leave(tx, number, person, [before, ...former]);
    },

    /**
     * Merges a contact into another one: its messages, ids, fields and sessions. `split` undoes it for 30 days (option `mergesKeptDays`).
     * @returns the remaining contact @throws NotFound, Conflict for one contact
     */
    async merge(tx: Transaction, number: NumberRecord, { contact: uuid, into }: { contact: string; into: string }): Promise<ContactRecord> {
      const [merged, kept] = [await requireOwn(tx, number, uuid), await requireOwn(tx, number, into)];
      if (merged.uuid === kept.uuid) throw new Conflict('same_contact', 'A contact cannot be merged into itself');
      return merges.merge(tx, number, kept, merged, 'operator');
    },

    /** Undoes the merge of a contact, by its uuid. @returns the contact, which exists again @throws NotFound, Conflict */
    split: merges.split,

    /**
     * Blocks messages to a contact: each is refused before it is recorded, from every sender. Each side has a block of its own; blocking again
     * changes the reason. @param reason for people, continues "has opted out: " @returns the contact @throws NotFound
     */
    async block(
      tx: Transaction,
      number: NumberRecord,
      contact: Pick<ContactRecord, 'uuid'>,
      { by, reason }: { readonly by: BlockedBy; readonly reason: string },
    ): Promise<ContactRecord> {
      const person = await this.latest(tx, contact);
      const known = person.blocked?.[by];
      if (known?.reason === reason) return person;
      const blocked = withBlocks(person, { ...person.blocked, [by]: { reason, at: known?.at ?? clock.now().toISOString() } });
      tx.in(contacts).put(blocked);
      if (!known) tx.emit(contactBlocked, { number, contact: blocked, by, reason });
      return blocked;
    },

    /** Lifts the block of a contact by one side, if there is one; others remain. @returns the contact @throws NotFound */
    async unblock(tx: Transaction, number: NumberRecord, contact: Pick<ContactRecord, 'uuid'>, by: BlockedBy): Promise<ContactRecord> {
      const person = await this.latest(tx, contact);
      const known = person.blocked?.[by];
      if (!known) return person;
      const unblocked = withBlocks(person, { ...person.blocked, [by]: undefined });
      tx.in(contacts).put(unblocked);
      tx.emit(contactUnblocked, { number, contact: unblocked, by, reason: known.reason });
      return unblocked;
    },

    /** Deletes what splits need when merges can no longer be undone. */
    expiries: merges.expiries,

    /** Sets profile fields; null clears a field. @throws NotFound, Conflict when the fields would be too large */
    async setFields(tx: Transaction, number: NumberRecord, uuid: string, change: JsonObject): Promise<ContactRecord> {
      const contact = (await tx.in(contacts).get(uuid)) ?? (await merges.successorIn(tx, uuid));
      if (contact?.number !== number.uuid) throw new NotFound('contact', uuid);
      const fields = { ...contact.fields, ...change };
      if (JSON.stringify(fields).length > MAX_FIELD_CHARACTERS)
        throw new Conflict(
          'contact_too_large',
          `The fields of a contact may have at most ${MAX_FIELD_CHARACTERS} characters together, as JSON`,
        );
      const changed: ContactRecord = { ...contact, fields, updated_at: clock.now().toISOString() };
      tx.in(contacts).put(changed);
      tx.emit(contactChanged, { number, contact: changed, keys: Object.keys(change) });
      return changed;
    },
  };

  async function get(uuid: string): Promise<ContactRecord | undefined> {
    return (await records.get(uuid)) ?? merges.successor(uuid);
  }

  async function find(number: NumberRecord, name: string): Promise<ContactRecord | undefined> {
    for (const spelling of [name, ...otherSpellings(number.kind, name)]) {
      const contact = await aliases.find(number, spelling);
      if (contact) return contact;
      const [withAddress] = await records.find('address', { equals: [number.uuid, spelling], limit: 1 });
      if (withAddress) return withAddress;
    }
    return undefined;
  }

  function* findOrCreate(tx: Transaction, number: NumberRecord, who: ContactIds): Steps<ContactRecord> {
    const known = yield* personOf(tx, number, who);
    const { networkProfileName } = dialect.contactFields;
    const isNewName = who.name !== undefined && who.name !== known?.fields[networkProfileName];
    // On the network the address is the id, in the spelling under which clients know the contact.
    const address = known && number.kind !== 'channel' ? known.address : who.address;
    if (known && !isNewName && known.address === address) return known;
    const now = clock.now().toISOString();
    const contact: ContactRecord = known ?? {
      uuid: ids.uuid(),
      number: number.uuid,
      id: who.id,
      address,
      fields: reservedFields(dialect, number.kind === 'channel' ? null : who.id.replace(/^\+/, '')),
      created_at: now,
      updated_at: now,
    };
    const names = isNewName ? { name: who.name, [networkProfileName]: who.name } : {};
    const updated: ContactRecord = { ...contact, address, fields: { ...contact.fields, ...names }, updated_at: now };
    tx.in(contacts).put(updated);
    if (!known) for (const id of who.aliases ?? []) if (id !== who.id) yield* wait(aliases.add(tx, updated, id));
    if (isNewName) tx.emit(contactChanged, { number, contact: updated, keys: Object.keys(names) });
    return updated;
  }

  async function requireOwn(tx: Transaction, number: NumberRecord, uuid: string): Promise<ContactRecord> {
    const contact = await tx.in(contacts).get(uuid);
    if (contact?.number !== number.uuid) throw new NotFound('contact', uuid);
    return contact;
  }

  /**
   * The contact of a person with these ids, of which it gets those that are new. A contact with the phone number and another account is
   * another person, to whom the number belonged before.
   */
  function* personOf(tx: Transaction, number: NumberRecord, { id, aliases: others = [] }: ContactIds): Steps<ContactRecord | undefined> {
    const direct = yield* wait(peekBy(tx, contacts, 'id', [number.uuid, id]));
    if (direct && (others.length === 0 || (yield* wait(aliases.areOf(tx, direct, others))))) return direct;
    const all = [...new Set([id, ...others])];
    return yield* unite(tx, number, all, { accounts: all.filter((one) => isAccountId(number.kind, one)), takes: true });
  }

  /**
   * Makes one contact of all contacts with one of these ids, and adds those that are new to it. Contacts of other `accounts` are not merged;
   * with `takes` they lose the id. @returns undefined when no contact has one of the ids
   */
  function* unite(
    tx: Transaction,
    number: NumberRecord,
    all: readonly string[],
    { person: first, accounts, takes = false }: { person?: ContactRecord; accounts: readonly string[]; takes?: boolean },
  ): Steps<ContactRecord | undefined> {
    let person = first;
    const own: string[] = [];
    for (const id of all) {
      const holder = yield* aliases.inSteps.findIn(tx, number, id);
      const isAnother =
        holder !== undefined && holder.uuid !== person?.uuid && areOthers(yield* wait(accountsOf(tx, number, holder)), accounts);
      if (isAnother && !takes) continue;
      own.push(id);
      if (isAnother) yield* wait(aliases.takeFrom(tx, number, holder, id));
      else if (holder && person && holder.uuid !== person.uuid) person = yield* wait(mergeOlder(tx, number, person, holder));
      else person ??= holder;
    }
    if (!person) return undefined;
    const known = new Set(yield* wait(aliases.ofIn(tx, person)));
    for (const id of own) if (!known.has(id)) yield* wait(aliases.add(tx, person, id));
    const phone = own.find((id) => !isAccountId(number.kind, id));
    // The network takes messages of all types for a phone number, and not for an account.
    return phone !== undefined && isAccountId(number.kind, person.id) ? yield* wait(aliases.rename(tx, number, person, phone)) : person;
  }

  /** Keeps the older contact: other systems are more likely to know its uuid. */
  function mergeOlder(tx: Transaction, number: NumberRecord, a: ContactRecord, b: ContactRecord): Promise<ContactRecord> {
    const isOlder = a.created_at < b.created_at || (a.created_at === b.created_at && a.uuid < b.uuid);
    return isOlder ? merges.merge(tx, number, a, b, 'channel') : merges.merge(tx, number, b, a, 'channel');
  }

  async function accountsOf(tx: Transaction, { kind }: NumberRecord, contact: ContactRecord): Promise<string[]> {
    return kind === 'channel' ? [] : (await aliases.ofIn(tx, contact)).filter((id) => isAccountId(kind, id));
  }
}

/** Whether these are ids of the accounts of two persons. */
const areOthers = (a: readonly string[], b: readonly string[]): boolean =>
  a.length > 0 && b.length > 0 && !a.some((account) => b.includes(account));
