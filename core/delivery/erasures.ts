import { setImmediate as breathe } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Conflict, NotFound } from '../errors.js';
import { type ContactRecord, contacts as contactRecords } from '../messaging/contact.js';
import { contactAliases } from '../messaging/contact-alias.js';
import { contactMerges, mergeExpiries } from '../messaging/contact-merge.js';
import type { Contacts } from '../messaging/contacts.js';
import { conversations } from '../messaging/conversation.js';
import { accountChanged, messagesExpired } from '../messaging/events.js';
import type { Media } from '../messaging/media.js';
import type { MessageRecord } from '../messaging/message.js';
import type { MessageRecords } from '../messaging/message-records.js';
import { type NumberRecord, numbers } from '../messaging/number.js';
import { type DataSubject, mentionsOf, type OwnedPersonalData, type Removed } from '../messaging/personal-data.js';
import { pendingStatuses } from '../messaging/status.js';
import type { Clock, Timer } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import { type Consumer, consume } from '../ports/queue.js';
import { pagesOf, peek, type Store, StoreUnavailable } from '../ports/store.js';
import { beforeCommit, type Subscription } from '../ports/subscription.js';
import type { Database, Transaction } from '../ports/transaction.js';
import type { createErasedDeliveries } from './erased-deliveries.js';
import { contactErased, type ErasureRecord, erasureJobs, erasures, hashOf, type ListedErasure, listedOf } from './erasure.js';
import type { Holds } from './holds.js';
import type { createMessageCounts } from './message-counts.js';
import { mediaOfOthers, mediaToErase } from './personal-media.js';
import { mergesInto, namesOf } from './subject.js';

/** Messages that one transaction deletes. */
const BATCH = 100;
/** Longer than a log keeps previous snapshots for processes that read them. */
const SNAPSHOTS_KEPT_MS = 15 * 60 * 1000;

export interface ErasureParts {
  readonly store: Database;
  readonly rawStore: Pick<Store, 'purge' | 'ownership'>;
  readonly contacts: Pick<Contacts, 'latest' | 'idsOf'>;
  readonly records: MessageRecords;
  readonly media: Pick<Media, 'erase' | 'about'>;
  readonly deliveries: ReturnType<typeof createErasedDeliveries>;
  readonly counts: Pick<ReturnType<typeof createMessageCounts>, 'removed'>;
  readonly holds: Pick<Holds, 'isHeld'>;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly plugins: () => readonly OwnedPersonalData[];
  /** Removes what the process has only in memory. */
  readonly forget: (mentions: (text: string) => boolean) => void;
  /** Deletes other records of the core that mention the person. */
  readonly eraseMentions: (tx: Transaction, number: string, mentions: (text: string) => boolean) => Promise<Removed>;
  /** The list of erasures beside the data, which a restore brings; undefined without a data folder. */
  readonly list: { read(): Promise<readonly ListedErasure[]>; write(all: readonly ListedErasure[]): Promise<void> } | undefined;
}

/**
 * Erases contacts. The first transaction deletes the contact and records the erasure, so that later messages of the person are those of a new contact;
 * a job deletes the rest in batches, and continues after a crash.
 */
export type Erasures = ReturnType<typeof createErasures>;

export function createErasures(parts: ErasureParts) {
  const { store, rawStore, contacts, records, media, deliveries, counts, holds, clock, log, plugins, forget, eraseMentions, list } = parts;
  /** By id, those that this process runs. */
  const running = new Map<string, Promise<void>>();
  let writing: Promise<void> = Promise.resolve();
  let again: Timer | undefined;

  return {
    /**
     * Begins to erase a contact, in one transaction. Returns the erasure of a contact that was erased before.
     * @throws NotFound, Conflict if its account is on hold
     */
    async request(uuid: string): Promise<ErasureRecord> {
      const erasure = await store.transaction((tx) => begin(tx, uuid));
      await writeList();
      return erasure;
    },

    /** Resolves when the records of an erasure are deleted. */
    finish,

    get: (id: string): Promise<ErasureRecord | undefined> => store.open(erasures).get(id),

    list: (limit: number, before?: string): Promise<ErasureRecord[]> =>
      store.open(erasures).find('at', { order: 'descending', limit, ...(before !== undefined && { before: [before] }) }),

    consumer: (): Consumer =>
      consume(erasureJobs, async ({ payload: { erasure } }) => {
        try {
          await finish(erasure);
        } catch (error) {
          if (!(error instanceof Conflict)) throw error;
          log.warn('an erasure stopped, and continues when the hold is released', { erasure, error });
        }
      }),

    /** The end of a hold continues the erasures that it has stopped. */
    released: beforeCommit(accountChanged, async ({ account: { account, hold } }, tx) => {
      if (hold) return;
      for (const { id, number } of await tx.in(erasures).find('pending', { equals: ['erase'] }))
        if ((await peek(tx, numbers, number))?.account === account) pushJob(tx, id, number);
    }) as Subscription,

    /**
     * Applies a list of erasures to data that may be older: contacts in it are erased again.
     * @returns how many were
     * @throws Conflict for the first whose account is on hold; those before it are erased
     */
    replay: (entries: readonly ListedErasure[]): Promise<number> => replay(entries, false),

    /** Removes erased data from the files of the store: with the next compaction, or now. */
    purge,

    /** Call it before anything is sent or received: replays the list that a restore has brought. */
    async start(): Promise<void> {
      // A hold in restored data was released before the contact was erased.
      const erased = await replay((await list?.read()) ?? [], true);
      if (erased > 0) log.info('contacts of a restored backup were erased again', { contacts: erased });
      await writeList();
      for (const { id, number } of await store.open(erasures).find('pending', { equals: ['erase'] }))
        await store.transaction((tx) => pushJob(tx, id, number));
      if ((await store.open(erasures).find('pending', { equals: ['purge'], limit: 1 })).length > 0) purgeLater();
    },

    stop: (): void => again?.cancel(),
  };

  async function begin(tx: Transaction, uuid: string, replayed?: ListedErasure, ignoresHolds = false): Promise<ErasureRecord> {
    const known = await tx.in(erasures).get(hashOf(uuid));
    const contact = await contacts.latest(tx, { uuid }).catch((error: unknown) => {
      if (known && error instanceof NotFound) return undefined;
      throw error;
    });
    if (!contact) return known!;
    const number = (await tx.in(numbers).get(contact.number))!;
    if (!ignoresHolds && (await holds.isHeld(tx, number.uuid)))
      throw new Conflict('legal_hold', `The account ${number.account} is on hold, so its contacts cannot be erased`);
    const merges = await mergesInto(tx, contact.uuid);
    const subject = await subjectOf(tx, number, contact, merges);
    const at = replayed?.at ?? clock.now().toISOString();
    tx.in(contactRecords).delete(contact.uuid);
    for (const { key } of await tx.in(contactAliases).find('contact', { equals: [contact.uuid] })) tx.in(contactAliases).delete(key);
    for (const { contact: merged } of merges) {
      tx.in(contactMerges).delete(merged);
      tx.cancel(mergeExpiries, merged);
    }
    for (const id of subject.ids)
      for (const status of await tx.in(pendingStatuses).find('recipient', { equals: [number.uuid, id] }))
        tx.in(pendingStatuses).delete(status.uuid);
    for (const one of subject.conversations) tx.in(conversations).delete(one);
    const removed = [
      { contacts: 1 },
      { deliveries: await deliveries.erase(tx, deliveries.pending(subject, at)) },
      ...(await Promise.all(plugins().map((plugin) => plugin.erase(tx, subject)))),
    ];
    const erasure: ErasureRecord = {
      id: hashOf(contact.uuid),
      number: number.uuid,
      hashes: subject.contacts.map(hashOf),
      at,
      removed: sumOf(removed),
      pending: 'erase',
      ...(ignoresHolds && { ignores_hold: true }),
      subject: { contacts: subject.contacts, ids: subject.ids, conversations: subject.conversations },
    };
    tx.in(erasures).put(erasure);
    pushJob(tx, erasure.id, number.uuid);
    tx.emit(contactErased, { number: number.uuid, erasure: erasure.id });
    return erasure;
  }

  async function subjectOf(
    tx: Transaction,
    number: NumberRecord,
    contact: ContactRecord,
    merges: Awaited<ReturnType<typeof mergesInto>>,
  ): Promise<DataSubject> {
    const conversation = await tx.in(conversations).getBy('contact', [number.uuid, contact.uuid]);
    return {
      number,
      contacts: [contact.uuid, ...merges.map((merge) => merge.contact)],
      ids: namesOf(number, [contact, ...merges.map(({ record }) => record)], await contacts.idsOf(contact, tx)),
      conversations: [conversation?.uuid, ...merges.map((merge) => merge.conversation)].filter((one) => one !== undefined),
    };
  }

  function finish(id: string): Promise<void> {
    const current = running.get(id) ?? run(id).finally(() => running.delete(id));
    running.set(id, current);
    return current;
  }

  async function run(id: string): Promise<void> {
    const erasure = await store.open(erasures).get(id);
    if (erasure?.pending !== 'erase') return;
    const number = (await store.open(numbers).get(erasure.number))!;
    const subject: DataSubject = { number, ...erasure.subject! };
    const mentions = mentionsOf(subject);
    forget(mentions);
    const kept = await mediaOfOthers({ records, media }, subject);
    for (const conversation of subject.conversations) while (await eraseMessages(id, subject, { conversation, kept })) await breathe();
    for await (const found of deliveries.all(subject, erasure.at))
      await step(id, number, async (tx) => note(tx, id, { deliveries: await deliveries.erase(tx, found) }));
    for (const plugin of plugins())
      while (await step(id, number, async (tx) => note(tx, id, await plugin.erase(tx, subject)))) await breathe();
    await step(id, number, async (tx) => {
      await note(tx, id, await eraseMentions(tx, number.uuid, mentions));
      const { subject: _, ignores_hold: _ignores, ...rest } = (await tx.in(erasures).get(id))!;
      tx.in(erasures).put({ ...rest, pending: 'purge', done_at: clock.now().toISOString() });
    });
    await writeList();
    forget(mentions);
    purgeLater();
  }

  /** Deletes the oldest messages of a conversation with what belongs to them. @returns whether there were any */
  async function eraseMessages(
    id: string,
    { number }: DataSubject,
    { conversation, kept }: { readonly conversation: string; readonly kept: ReadonlySet<string> },
  ): Promise<boolean> {
    const page = await records.committed.find('conversation', { equals: [conversation], limit: BATCH });
    if (page.length === 0) return false;
    // Before their messages, which name them.
    let files = 0;
    for (const medium of mediaToErase(page, kept)) {
      await step(id, number, async () => undefined);
      if (await media.erase(medium)) files++;
    }
    const known = await Promise.all(page.map(({ uuid }) => deliveries.ofMessage(uuid)));
    await step(id, number, async (tx) => {
      const gone: MessageRecord[] = [];
      for (const { uuid } of page) {
        const message = await records.in(tx).get(uuid);
        if (!message) continue;
        await records.delete(tx, uuid);
        gone.push(message);
      }
      await counts.removed(tx, number.uuid, gone);
      tx.emit(messagesExpired, { number: number.uuid, reason: 'erased', messages: gone.map(({ uuid }) => uuid) });
      const moved = gone.flatMap(({ moved_from: from = [] }) => from.map(hashOf));
      await note(tx, id, { messages: gone.length, media: files, deliveries: await deliveries.erase(tx, known.flat()) }, moved);
    });
    return true;
  }

  /** A transaction of an erasure. @throws Conflict when a hold was set since it began */
  function step<T>(id: string, { uuid, account }: NumberRecord, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return store.transaction(async (tx) => {
      const { ignores_hold: ignores, removed } = (await tx.in(erasures).get(id))!;
      if (!ignores && (await holds.isHeld(tx, uuid)))
        throw new Conflict(
          'legal_hold',
          `The account ${account} was put on hold while the contact was erased. Removed before: ${listOf(removed)}. The rest is kept, and erased when the hold is released`,
        );
      return work(tx);
    });
  }

  /** Adds to what an erasure has removed. @returns whether that is more than nothing */
  async function note(tx: Transaction, id: string, removed: Removed, hashes: readonly string[] = []): Promise<boolean> {
    const sum = sumOf([removed]);
    const erasure = (await tx.in(erasures).get(id))!;
    if (Object.keys(sum).length === 0 && hashes.length === 0) return false;
    tx.in(erasures).put({ ...erasure, removed: sumOf([erasure.removed, sum]), hashes: [...new Set([...erasure.hashes, ...hashes])] });
    return true;
  }

  async function replay(entries: readonly ListedErasure[], ignoresHolds: boolean): Promise<number> {
    const now = clock.now().toISOString();
    const unknown: ListedErasure[] = [];
    const byHash = new Map<string, ListedErasure>();
    for (const entry of entries) {
      if (await store.open(erasures).get(entry.id)) continue;
      const at = new Date(entry.at).toISOString();
      const listed = { ...listedOf(entry), at: at < now ? at : now };
      unknown.push(listed);
      for (const hash of [entry.id, ...entry.hashes]) byHash.set(hash, listed);
    }
    if (unknown.length === 0) return 0;
    let erased = 0;
    for await (const page of pagesOf(store, contactRecords))
      for (const { uuid, number, created_at: created } of page) {
        const entry = byHash.get(hashOf(uuid));
        // An id of a contact that came later may be the same in data with seeded ids.
        if (!entry || entry.number !== number || created > entry.at) continue;
        const { id } = await store.transaction((tx) => begin(tx, uuid, entry, ignoresHolds));
        await finish(id);
        erased++;
      }
    for (const entry of unknown)
      await store.transaction(async (tx) => {
        if (!(await tx.in(erasures).get(entry.id))) tx.in(erasures).put({ ...entry, removed: {} });
      });
    await writeList();
    return erased;
  }

  /** The file is written again as a whole, so that an interrupted call leaves no gap. The erasures are in the store, too: a failure loses none. */
  function writeList(): Promise<void> {
    if (!list) return Promise.resolve();
    writing = writing.then(async () => {
      try {
        const all = (await store.open(erasures).list()).map(listedOf);
        if (!isDeepStrictEqual(await list.read(), all)) await list.write(all);
      } catch (error) {
        log.warn('the list of erasures was not written; the next erasure or start writes it', { error });
      }
    });
    return writing;
  }

  async function purge(now: boolean): Promise<void> {
    const pending = await store.open(erasures).find('pending', { equals: ['purge'] });
    if (pending.length === 0) return;
    await rawStore.purge?.(now);
    if (!rawStore.ownership) return markPurged(pending);
    // Other processes may still read the previous snapshots, so these go with a later one.
    again?.cancel();
    again = clock.after(SNAPSHOTS_KEPT_MS, () => purgeAgain(pending).catch(reportUnpurged));
  }

  async function purgeAgain(pending: readonly ErasureRecord[]): Promise<void> {
    // A snapshot needs a new transaction.
    await store.transaction((tx) => tx.in(erasures).put(pending[0]!));
    await rawStore.purge?.(true);
    await markPurged(pending);
  }

  async function markPurged(pending: readonly ErasureRecord[]): Promise<void> {
    await store.transaction(async (tx) => {
      tx.acrossTenants?.();
      for (const { id } of pending) {
        const { pending: _, ...erasure } = (await tx.in(erasures).get(id))!;
        tx.in(erasures).put({ ...erasure, purged_at: clock.now().toISOString() });
      }
    });
  }

  function purgeLater(): void {
    purge(false).catch(reportUnpurged);
  }

  function reportUnpurged(error: unknown): void {
    // A stop ends the wait; the next start continues.
    if (!(error instanceof StoreUnavailable)) log.warn('erased data could not be removed from files; the next start continues', { error });
  }
}

const pushJob = (tx: Transaction, erasure: string, number: string): void => tx.push(erasureJobs, { erasure, number }, { id: erasure });

const listOf = (removed: Removed): string =>
  Object.entries(removed)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');

function sumOf(all: readonly Removed[]): Removed {
  const sum: Record<string, number> = {};
  for (const one of all) for (const [name, count] of Object.entries(one)) if (count > 0) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}
