import { isDeepStrictEqual } from 'node:util';
import type { Dialect } from '../dialect.js';
import { Conflict, NotFound } from '../errors.js';
import type { HeldNumbers } from '../memory/history.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import { type Consumer, consume } from '../ports/queue.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { withoutUndefined } from '../shape.js';
import { moveChoices } from './choice.js';
import { type BlockedBy, type ContactRecord, contacts, joinedBlocks, joinedFields, withBlocks } from './contact.js';
import type { ContactAliases } from './contact-aliases.js';
import { type ContactMerge, contactMerges, type MergedBy, mergeExpiries } from './contact-merge.js';
import { type ConversationRecord, conversations, joinedTimes, ownerOf, timesOf } from './conversation.js';
import { contactMerged, contactSplit } from './events.js';
import { type MessageRecord, messages, type StoredMessage } from './message.js';
import { isAccountId, otherSpellings } from './network-id.js';
import type { NumberRecord } from './number.js';

/** Default of the option `mergesKeptDays`. */
const DEFAULT_KEPT_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
const PAGE = 200;
const NOTE_AUTHOR = { type: 'SYSTEM', id: '', name: 'Posthorn' } as const;
/** A merge of a merge of a merge; a longer chain would be a cycle. */
const MAX_CHAIN = 20;

interface MergeParts {
  readonly store: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly aliases: ContactAliases;
  readonly holds?: Pick<HeldNumbers, 'isHeld'> | undefined;
  readonly keptDays?: number | undefined;
}

/** Merges contacts that are one person, and splits them again. */
export type ContactMerges = ReturnType<typeof createContactMerges>;

export function createContactMerges({ store, ids, clock, dialect, aliases, holds, keptDays = DEFAULT_KEPT_DAYS }: MergeParts) {
  return {
    /** The merges into a contact that can be undone, oldest first. */
    into: (contact: string): Promise<ContactMerge[]> => store.open(contactMerges).find('into', { equals: [contact] }),

    of: (contact: string): Promise<ContactMerge | undefined> => store.open(contactMerges).get(contact),

    /** The contact into which a contact was merged; undefined if it was not, or so long ago that the merge cannot be undone. */
    async successor(uuid: string): Promise<ContactRecord | undefined> {
      return follow(
        uuid,
        (one) => store.open(contactMerges).get(one),
        (one) => store.open(contacts).get(one),
      );
    },

    /** As `successor`, including the changes of a transaction. */
    successorIn: (tx: Transaction, uuid: string): Promise<ContactRecord | undefined> =>
      follow(
        uuid,
        (one) => tx.in(contactMerges).get(one),
        (one) => tx.in(contacts).get(one),
      ),

    /** Moves everything of a contact to another one, and deletes it. @returns the remaining contact */
    async merge(tx: Transaction, number: NumberRecord, kept: ContactRecord, merged: ContactRecord, by: MergedBy): Promise<ContactRecord> {
      const now = clock.now();
      const mergedIds = await idsOf(tx, number, kept, merged);
      const fields = joinedFields(kept, merged, dialect);
      const replaced = Object.entries(fields).filter(([key, value]) => !isDeepStrictEqual(value, kept.fields[key]));
      const source = await tx.in(conversations).getBy('contact', [number.uuid, merged.uuid]);
      const target = await tx.in(conversations).getBy('contact', [number.uuid, kept.uuid]);
      const joined: ContactRecord = { ...kept, fields, ...joinedBlocks(kept, merged), updated_at: now.toISOString() };
      tx.in(contacts).delete(merged.uuid);
      tx.in(contacts).put(joined);
      for (const id of mergedIds) await aliases.add(tx, joined, id);
      const hasOnlyAccount = isAccountId(number.kind, kept.id) && !isAccountId(number.kind, merged.id);
      const contact = hasOnlyAccount ? await aliases.rename(tx, number, joined, merged.id) : joined;
      const note = `${merged.id} and ${kept.id} are one person: their contacts were merged${by === 'operator' ? ' by an operator' : ''}.`;
      const moved = source ? await moveAll(tx, number, contact, { source, target, note }) : undefined;
      const expires = new Date(now.getTime() + keptDays * DAY_MS);
      tx.in(contactMerges).put({
        contact: merged.uuid,
        number: number.uuid,
        into: kept.uuid,
        merged_at: now.toISOString(),
        expires_at: expires.toISOString(),
        record: merged,
        ids: mergedIds,
        kept_id: kept.id,
        replaced: Object.fromEntries(replaced.map(([key]) => [key, kept.fields[key] ?? null])),
        ...(source && { conversation: source.uuid, conversation_record: source }),
      });
      tx.push(mergeExpiries, { contact: merged.uuid }, { id: merged.uuid, notBefore: expires });
      tx.emit(contactMerged, {
        number,
        contact,
        merged,
        by,
        conversation: moved?.conversation.uuid ?? target?.uuid ?? null,
        merged_conversation: source?.uuid ?? null,
        messages: moved?.messages ?? [],
      });
      return contact;
    },

    /**
     * Undoes a merge: the merged contact exists again, with its ids in all spellings, its fields and conversation, and the messages that came
     * under its ids since. Everything else since the merge remains with the other contact. Ids that passed to a third person remain with that
     * one. @throws NotFound when the contact was not merged, or too long ago, Conflict when the other contact was merged itself, or one of them
     * would have no id
     */
    async split(tx: Transaction, number: NumberRecord, uuid: string): Promise<ContactRecord> {
      const merge = await tx.in(contactMerges).get(uuid);
      if (merge?.number !== number.uuid) throw new NotFound('merged contact', uuid);
      const kept = await tx.in(contacts).get(merge.into);
      if (!kept) throw new Conflict('contact_merged', `The contact ${merge.into} was merged itself; split it first`);
      const now = clock.now().toISOString();
      const all = await aliases.ofIn(tx, kept);
      const theirs = new Set(merge.ids.flatMap((id) => [id, ...(number.kind === 'channel' ? [] : otherSpellings(number.kind, id))]));
      theirs.delete(merge.kept_id);
      const own: string[] = [];
      for (const id of all) if (theirs.has(id) && (id === kept.id || !(await hasOwner(tx, number, id)))) own.push(id);
      const remaining = all.filter((id) => !theirs.has(id));
      const id = mainOf(number, remaining, own.includes(kept.id) ? merge.kept_id : kept.id);
      const ownId = mainOf(number, own, merge.record.id);
      if (id === undefined || ownId === undefined)
        throw new Conflict('contact_without_id', `The contact ${id === undefined ? kept.uuid : uuid} would have no id after the split`);
      const before = await aliases.rename(tx, number, kept, id);
      aliases.remove(tx, kept, ownId);
      const fields = { ...before.fields };
      for (const [key, value] of Object.entries(merge.replaced))
        if (isDeepStrictEqual(fields[key], merge.record.fields[key])) fields[key] = value;
      const blocks = { ...before.blocked };
      for (const by of Object.keys(merge.record.blocked ?? {}) as BlockedBy[])
        if (isDeepStrictEqual(blocks[by], merge.record.blocked?.[by])) delete blocks[by];
      const contact: ContactRecord = withBlocks({ ...before, fields, updated_at: now }, blocks);
      tx.in(contacts).put(contact);
      const restored = aliases.named(number, { ...merge.record, updated_at: now }, ownId);
      tx.in(contacts).put(restored);
      for (const one of own) if (one !== ownId) await aliases.add(tx, restored, one);
      tx.in(contactMerges).delete(uuid);
      tx.cancel(mergeExpiries, uuid);
      const shared = await tx.in(conversations).getBy('contact', [number.uuid, kept.uuid]);
      const parted = shared && (await part(tx, number, { shared, contact, restored, merge, theirs }));
      tx.emit(contactSplit, {
        number,
        contact,
        split: restored,
        conversation: shared?.uuid ?? null,
        split_conversation: parted?.conversation ?? null,
        messages: parted?.messages ?? [],
      });
      return restored;
    },

    /** Deletes what splits need when merges can no longer be undone. That of an account on hold is looked at again after a day. */
    expiries: (): Consumer =>
      consume(mergeExpiries, ({ payload: { contact } }) =>
        store.transaction(async (tx) => {
          const merge = await tx.in(contactMerges).get(contact);
          if (!merge || !(await holds?.isHeld(tx, merge.number))) return tx.in(contactMerges).delete(contact);
          tx.push(mergeExpiries, { contact }, { id: contact, notBefore: new Date(clock.now().getTime() + DAY_MS) });
        }),
      ),
  };

  /** The ids that pass to the other contact. On a channel the address is one of them, unless several contacts share it, as in a group. */
  async function idsOf(tx: Transaction, number: NumberRecord, kept: ContactRecord, merged: ContactRecord): Promise<string[]> {
    const all = await aliases.ofIn(tx, merged);
    if (merged.address === kept.address || all.includes(merged.address) || (await aliases.findIn(tx, number, merged.address))) return all;
    const sharing = await tx.in(contacts).find('address', { equals: [number.uuid, merged.address], limit: 2 });
    return sharing.length > 1 ? all : [...all, merged.address];
  }

  /** Moves all messages of a conversation into another one, in the order of their times, and deletes it. */
  async function moveAll(
    tx: Transaction,
    number: NumberRecord,
    contact: ContactRecord,
    { source, target, note }: { source: ConversationRecord; target: ConversationRecord | undefined; note: string },
  ) {
    const moved = await tx.in(messages).find('conversation', { equals: [source.uuid] });
    const later = target && moved[0] ? await laterThan(tx, target.uuid, moved[0].recorded_at) : [];
    const from = later[0]?.position ?? (target?.length ?? 0) + 1;
    const uuid = target?.uuid ?? ids.uuid();
    // Stable, so that messages of one conversation keep their order.
    const all = [...later, ...moved].sort((a, b) => (a.recorded_at < b.recorded_at ? -1 : a.recorded_at > b.recorded_at ? 1 : 0));
    for (const [i, message] of all.entries()) {
      const position = from + i;
      if (message.conversation === source.uuid)
        await place(tx, message, contact, { conversation: uuid, position, moved_from: [...(message.moved_from ?? []), source.contact] });
      else if (message.position !== position) tx.in(messages).put({ ...message, position });
    }
    tx.in(conversations).delete(source.uuid);
    const conversation = withNote(tx, number, contact, note, {
      ...joinedTimes(target ?? source, source),
      uuid,
      contact: contact.uuid,
      owner: ownerOf(number, contact),
      length: from + all.length - 1,
      unread: source.unread + (target?.unread ?? 0),
    });
    return { conversation, messages: moved.map((message) => message.uuid) };
  }

  /** Gives the messages of a split contact back to it, in a conversation of their own. */
  async function part(
    tx: Transaction,
    number: NumberRecord,
    {
      shared,
      contact,
      restored,
      merge,
      theirs,
    }: { shared: ConversationRecord; contact: ContactRecord; restored: ContactRecord; merge: ContactMerge; theirs: ReadonlySet<string> },
  ) {
    // Without `sender_id`, the sender is the address on the network, and the id that the other contact has kept on a channel.
    const isOwn = ({ from, moved_from: moved, sender_id: id = number.kind === 'channel' ? '' : from }: StoredMessage): boolean =>
      moved ? moved.at(-1) === restored.uuid : theirs.has(id);
    const all = await tx.in(messages).find('conversation', { equals: [shared.uuid] });
    const leaving = all.filter(isOwn);
    const note = `${restored.id} and ${contact.id} are two persons again: their contacts were split by an operator.`;
    const { unread = 0 } = merge.conversation_record ?? {};
    const times = timesOf(all.filter((message) => !isOwn(message)));
    withNote(tx, number, contact, note, {
      ...shared,
      ...times,
      owner: ownerOf(number, contact),
      unread: Math.max(0, shared.unread - unread),
    });
    const { conversation_record: before } = merge;
    if (leaving.length === 0 && !before) return undefined;
    const uuid = before?.uuid ?? ids.uuid();
    for (const [i, message] of leaving.entries()) {
      const { moved_from: from = [], ...rest } = message;
      const marks = from.length > 1 ? { moved_from: from.slice(0, -1) } : {};
      await place(tx, rest as StoredMessage, restored, { conversation: uuid, position: i + 1, ...marks });
    }
    withNote(tx, number, restored, note, {
      ...(before ?? { ...shared, unread: 0 }),
      ...timesOf(leaving),
      uuid,
      contact: restored.uuid,
      owner: ownerOf(number, restored),
      length: leaving.length,
    });
    return { conversation: uuid, messages: leaving.map((message) => message.uuid) };
  }

  /** Adds an entry to the history of a conversation (`isNote`), which changes neither the unread count nor the times. */
  function withNote(
    tx: Transaction,
    number: NumberRecord,
    contact: ContactRecord,
    body: string,
    before: ConversationRecord,
  ): ConversationRecord {
    const now = clock.now();
    const conversation: ConversationRecord = withoutUndefined({ ...before, length: before.length + 1, updated_at: now.toISOString() });
    tx.in(conversations).put(conversation);
    tx.in(messages).put({
      uuid: ids.uuid(),
      number: number.uuid,
      conversation: conversation.uuid,
      contact: contact.uuid,
      position: conversation.length,
      direction: 'outbound',
      from: number.address,
      to: contact.address,
      timestamp: String(Math.floor(now.getTime() / 1000)),
      recorded_at: now.toISOString(),
      type: 'system',
      content: { system: { body, type: 'contacts_changed' } },
      statuses: [],
      author: NOTE_AUTHOR,
    });
    return conversation;
  }
}

const hasOwner = async (tx: Transaction, { uuid }: NumberRecord, id: string): Promise<boolean> =>
  (await tx.in(contacts).getBy('id', [uuid, id])) !== undefined;

/** The id of a contact after a split: the one that it had, otherwise a phone number. */
const mainOf = ({ kind }: NumberRecord, ids: readonly string[], before: string): string | undefined =>
  ids.find((id) => id === before) ?? ids.find((id) => !isAccountId(kind, id)) ?? ids[0];

async function place(
  tx: Transaction,
  message: StoredMessage,
  contact: ContactRecord,
  where: Pick<MessageRecord, 'conversation' | 'position' | 'moved_from'>,
): Promise<void> {
  const author = message.author.type === 'OWNER' ? { ...message.author, id: contact.uuid } : message.author;
  tx.in(messages).put({ ...message, contact: contact.uuid, author, ...where });
  if (message.direction === 'outbound') await moveChoices(tx, message.uuid, where.conversation);
}

/** The last messages of a conversation: those that were not recorded before a time, oldest first. */
async function laterThan(tx: Transaction, conversation: string, at: string): Promise<StoredMessage[]> {
  const later: StoredMessage[] = [];
  for (let before: number | undefined; ; ) {
    const range = { equals: [conversation], order: 'descending' as const, limit: PAGE, ...(before !== undefined && { before: [before] }) };
    const page = await tx.in(messages).find('conversation', range);
    const found = page.findIndex((message) => message.recorded_at < at);
    later.push(...(found < 0 ? page : page.slice(0, found)));
    if (found >= 0 || page.length < PAGE) return later.reverse();
    before = page.at(-1)!.position;
  }
}

async function follow(
  uuid: string,
  mergeOf: (uuid: string) => Promise<ContactMerge | undefined>,
  contactOf: (uuid: string) => Promise<ContactRecord | undefined>,
): Promise<ContactRecord | undefined> {
  let merge = await mergeOf(uuid);
  for (let steps = 0; merge && steps < MAX_CHAIN; steps++) {
    const { into } = merge;
    const contact = await contactOf(into);
    if (contact) return contact;
    merge = await mergeOf(into);
  }
  return undefined;
}
