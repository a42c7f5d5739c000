import { setImmediate as breathe } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { Conflict } from '../errors.js';
import type { Chunks } from '../memory/chunks.js';
import type { History } from '../memory/history.js';
import type { MessageRecord } from '../messaging/message.js';
import type { MessageRecords } from '../messaging/message-records.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import type { EndedAttempt, OutboxScope } from '../ports/outbox.js';
import { type Steps, wait } from '../ports/steps.js';
import { type IndexValue, peekAll, type Range } from '../ports/store.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { repetitionsOf } from './attempt-record.js';
import {
  type BodyOfMessage,
  type DeliveryContent,
  type DeliveryEntry,
  type DeliveryOutbox,
  type DeliveryRecord,
  isSettled,
  type StoredAttempt,
} from './delivery.js';
import { deliveryRecord } from './delivery-record.js';
import {
  type AnyDelivery,
  bodyOfMessage,
  type SettledDelivery,
  SettledDocument,
  SettledEntry,
  settledContent,
  settledDeliveries,
} from './settled-delivery.js';

/** A shorter content is not worth a reference. */
const MIN_REFERENCE = 64;
/** Deliveries of an earlier release that one transaction moves. */
const MOVED_AT_ONCE = 100;

/** The JSON of the content of a message as bodies have it: without the braces around its only field. */
const contentText = ({ content }: Pick<MessageRecord, 'content'>): string => JSON.stringify(content).slice(1, -1);

/** A body without the content of its message; undefined if it does not have it, or if that is short. */
export function withoutContent(body: string, content: MessageRecord['content']): BodyOfMessage | undefined {
  const text = contentText({ content });
  const at = text.length < MIN_REFERENCE ? -1 : body.indexOf(text);
  return at < 0 ? undefined : bodyOfMessage(body, [at, text.length]);
}

export type SettledDeliveries = ReturnType<typeof createSettledDeliveries>;

/** Moves deliveries out of the outbox when they settle, and reads both. */
export function createSettledDeliveries({
  store,
  outbox,
  chunks,
  records,
  clock,
  log,
}: {
  readonly store: Database;
  readonly outbox: DeliveryOutbox;
  readonly chunks: Pick<Chunks, 'expand'>;
  readonly records: Pick<MessageRecords, 'committed' | 'in'>;
  readonly clock: Pick<Clock, 'during'>;
  readonly log: Pick<Logger, 'warn'>;
}) {
  let isStopped = false;
  /** Whether the outbox may have settled deliveries of an earlier release. */
  let isMoving = true;
  let moving: Promise<void> = Promise.resolve();

  return {
    settle,

    /** Moves a settled delivery back into the outbox, to its place in the order. @throws Conflict if its body cannot be restored */
    async restart(tx: Transaction, entry: SettledEntry, record: DeliveryRecord): Promise<void> {
      const { content } = entry;
      const body = content.of_message && (await bodyOf(entry, tx));
      tx.in(settledDeliveries).delete(entry.id);
      outbox.in(tx).add(record, body === undefined ? content : { ...content, body }, entry);
    },

    /** A delivery as the transaction sees it. */
    async get(tx: Transaction, uuid: string): Promise<AnyDelivery | undefined> {
      const pending = outbox.in(tx).get(uuid);
      if (pending) return pending;
      const [settled] = await peekAll(tx, settledDeliveries, 'uuid', { equals: [uuid], limit: 1 });
      return settled && new SettledEntry(settled);
    },

    async read(uuid: string): Promise<AnyDelivery | undefined> {
      const pending = () => outbox.read((entries) => entries.get(uuid));
      const settled = async () => {
        const [found] = await store.open(settledDeliveries).find('uuid', { equals: [uuid], limit: 1 });
        return found && new SettledEntry(found);
      };
      // The last time because a redelivery may have moved it in between.
      return (await pending()) ?? (await settled()) ?? pending();
    },

    /** Methods for work in steps. */
    inSteps: { ofEvent },

    /** The body as it was sent; empty if it is no longer stored. @throws Conflict if it cannot be restored from its message */
    bodyOf,

    /** Deliveries in an order of creation, starting after that with the number `after`. */
    async find(order: 'newest' | 'oldest', scope: OutboxScope, limit: number, after?: number): Promise<AnyDelivery[]> {
      const mayHavePending = isMoving || !scope.outcomes || scope.outcomes.includes('pending');
      const byUuid = new Map<string, AnyDelivery>();
      const add = (found: readonly AnyDelivery[]) => {
        for (const one of found) byUuid.set(one.index.uuid, one);
      };
      const pending = () => (mayHavePending ? outbox.read((entries) => firstOf(entries[order](scope, after), limit)) : []);
      add(await pending());
      const range = { ...rangeAfter(order, after), limit };
      const settled = await Promise.all(
        indexesOf(scope).map(([index, equals]) => store.open(settledDeliveries).find(index, { ...range, equals })),
      );
      add(settled.flat().map((document) => new SettledEntry(document)));
      // Again, because one that was redelivered in between is in neither.
      if (settled.length > 0) add(await pending());
      const sorted = [...byUuid.values()].sort((a, b) => (order === 'newest' ? b.seq - a.seq : a.seq - b.seq));
      return sorted.slice(0, limit);
    },

    /** The number `after` with which `find` begins at the newest deliveries that are not later than a time. */
    async afterTime(at: string): Promise<number> {
      const [newest] = await this.find('newest', {}, 1);
      let [low, high] = [0, (newest?.seq ?? 0) + 1];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        const [last] = await this.find('newest', {}, 1, middle);
        if (last && last.index.created_at > at) high = last.seq;
        else low = middle;
      }
      return high;
    },

    /** Gives new deliveries places after all settled ones. Call it before the first is added. */
    async continueOrder(): Promise<void> {
      const [newest] = await store.open(settledDeliveries).find('all', { order: 'descending', limit: 1 });
      if (newest) outbox.continueAfter(newest.seq);
    },

    /** Moves settled deliveries that an earlier release has left in the outbox, in the background. */
    moveEarlier(history: Pick<History<SettledDelivery>, 'added'>): void {
      moving = clock
        .during(() => moveAll(history))
        .catch((error: unknown) =>
          log.warn('settled deliveries could not be moved to their collection; the next start continues', { error }),
        );
    },

    stop(): Promise<void> {
      isStopped = true;
      return moving;
    },
  };

  /** The delivery of an event, as the transaction sees it. */
  function* ofEvent(tx: Transaction, webhook: string, event: string): Steps<DeliveryRecord | undefined> {
    const pending = outbox.in(tx).ofEvent(webhook, event);
    if (pending) return pending.record;
    // Not a read: what settles meanwhile was found above.
    if (tx.in(settledDeliveries).mayHave?.('event', event) === false) return undefined;
    const [settled] = yield* wait(peekAll(tx, settledDeliveries, 'event', { equals: [event, webhook], limit: 1 }));
    return settled && deliveryRecord(settled);
  }

  /**
   * Moves a delivery out of the outbox with its last record, or changes one that has settled before.
   * @param attempt the attempt that has ended with it
   * @param tries its attempts, if they are not those of the entry
   */
  function settle(
    tx: Transaction,
    entry: AnyDelivery,
    {
      record,
      attempt,
      content = entry.content,
      tries: known = entry.attempts,
    }: {
      record: DeliveryRecord;
      attempt?: EndedAttempt<StoredAttempt> | undefined;
      content?: DeliveryContent;
      tries?: AnyDelivery['attempts'];
    },
  ): SettledDelivery {
    if (!(entry instanceof SettledEntry)) outbox.in(tx).delete(entry);
    const tries = attempt ? { ...known, [placeOf(entry, attempt)]: attempt.ended } : known;
    const document = new SettledDocument(record, entry.seq, tries);
    const json = document.toText(settledContent(content));
    tx.in(settledDeliveries).put(document as unknown as SettledDelivery, json);
    return document as unknown as SettledDelivery;
  }

  /** In small transactions, so that others run in between. */
  async function moveAll(history: Pick<History<SettledDelivery>, 'added'>): Promise<void> {
    for (let after = 0; !isStopped; ) {
      const page: DeliveryEntry[] = [];
      for (const entry of outbox.newest.oldest({}, after)) {
        after = entry.seq;
        if (isSettled(entry.index.state) && page.push(entry) === MOVED_AT_ONCE) break;
      }
      isMoving = page.length > 0;
      if (!isMoving) return;
      await store.transaction((tx) => {
        tx.acrossTenants?.();
        for (const known of page) {
          const entry = outbox.in(tx).current(known);
          if (entry && isSettled(entry.record.state)) history.added(tx, settle(tx, entry, { record: entry.record }));
        }
      });
      await breathe();
    }
  }

  async function bodyOf({ record, content }: AnyDelivery, tx?: Transaction): Promise<string> {
    const { body, edited, of_message: reference } = content;
    if (edited !== undefined) return edited;
    if (body !== undefined || !reference) return chunks.expand(body ?? '', tx);
    const message = record.message === undefined ? undefined : await (tx ? records.in(tx) : records.committed).get(record.message);
    const text = message && reference.before + contentText(message) + reference.after;
    if (text !== undefined && crc32(text) === reference.crc32) return text;
    const reason = message ? 'has changed' : 'is no longer stored';
    throw new Conflict('body_not_reproducible', `The body of the delivery cannot be restored, because its message ${reason}`);
  }
}

/** The key of an attempt. One that was interrupted is repeated with the same number. */
function placeOf(entry: AnyDelivery, attempt: EndedAttempt<StoredAttempt>): string {
  const repetitions = repetitionsOf(entry, attempt);
  return `${attempt.run}.${attempt.n}${repetitions === 0 ? '' : `.${repetitions}`}`;
}

const rangeAfter = (order: 'newest' | 'oldest', after: number | undefined): Range => ({
  order: order === 'newest' ? 'descending' : 'ascending',
  ...(after !== undefined && (order === 'newest' ? { before: [after] } : { after: [after] })),
});

/** The indexes that have the settled deliveries of a scope, and the values of their leading fields. */
function indexesOf({ webhook, number, message, outcomes }: OutboxScope): (readonly [index: string, equals: readonly IndexValue[]])[] {
  const settled = outcomes?.filter((outcome) => outcome !== 'pending');
  if (settled?.length === 0) return [];
  if (message !== undefined) return [['message', [message]]];
  const [name, own] = webhook !== undefined ? ['webhook', [webhook]] : number !== undefined ? ['number', [number]] : ['all', []];
  if (!settled || settled.includes('delivered')) return [[name!, own]];
  return settled.map((outcome) => [name === 'all' ? 'failed' : `${name}-failed`, [...own, outcome]]);
}

function firstOf<T>(all: Iterable<T>, limit: number): T[] {
  const first: T[] = [];
  for (const one of all) if (first.push(one) === limit) break;
  return first;
}
