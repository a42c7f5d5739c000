import type { Chunks } from '../memory/chunks.js';
import { type DataSubject, mentionsOf } from '../messaging/personal-data.js';
import type { Clock } from '../ports/clock.js';
import type { Transaction } from '../ports/transaction.js';
import { type DeliveryContent, type DeliveryOutbox, isSettled, type StoredAttempt } from './delivery.js';
import { changedRecord } from './delivery-record.js';
import type { DeliveryHistory } from './retention.js';
import type { SettledDeliveries } from './settled-deliveries.js';
import { type AnyDelivery, SettledEntry } from './settled-delivery.js';

/** The reason of a delivery whose contact was erased. */
export const ERASED = 'contact_erased';
const PAGE = 200;
/** After all times in ISO form. */
const FOREVER = '9999';

/** A body that cannot be restored, so that a redelivery gets 409 `body_not_reproducible`. */
const NO_BODY: DeliveryContent = { of_message: { before: '', after: '', crc32: 0 } };

interface Parts {
  readonly settled: Pick<SettledDeliveries, 'find' | 'get' | 'settle' | 'bodyOf'>;
  readonly outbox: Pick<DeliveryOutbox, 'newest'>;
  readonly chunks: Pick<Chunks, 'release'>;
  readonly history: Pick<DeliveryHistory, 'added' | 'removed'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Removes the content of the deliveries about a contact. Their records remain, with times and outcomes only. One that is not settled is cancelled: the
 * receiver must not get what was erased. This emits no event, because listeners would act on the message that is being deleted.
 */
export function createErasedDeliveries({ settled, outbox, chunks, history, clock }: Parts) {
  return {
    /** The deliveries of a person that are not settled. */
    pending: (subject: DataSubject, until: string): AnyDelivery[] =>
      [...outbox.newest.oldest({ number: subject.number.uuid })].filter((entry) => names(entry, subject, until)),

    ofMessage: (message: string): Promise<AnyDelivery[]> => settled.find('oldest', { message }, Number.MAX_SAFE_INTEGER),

    /**
     * The deliveries of a person in any state, in pages. Reads all deliveries of the number, because some belong to no message.
     * @param until the time of an erasure: later ones are about a new contact with the same ids
     */
    async *all(subject: DataSubject, until = FOREVER): AsyncGenerator<readonly AnyDelivery[]> {
      const isNamed = mentionsOf({ ...subject, conversations: [] });
      const theirs = new Set<string>();
      for (let after: number | undefined; ; ) {
        const page = await settled.find('oldest', { number: subject.number.uuid }, PAGE, after);
        const found: AnyDelivery[] = [];
        for (const entry of page) {
          const { uuid, reason, replay_of: original } = entry.record;
          if (reason === ERASED) theirs.add(uuid);
          else if (
            (original !== undefined && theirs.has(original)) ||
            names(entry, subject, until) ||
            (await isInBody(entry, isNamed, until))
          ) {
            theirs.add(uuid);
            found.push(entry);
          }
        }
        if (found.length > 0) yield found;
        if (page.length < PAGE) return;
        after = page.at(-1)!.seq;
      }
    },

    /** @returns how many deliveries it has changed */
    async erase(tx: Transaction, known: readonly AnyDelivery[]): Promise<number> {
      let erased = 0;
      for (const { index } of known) {
        const entry = await settled.get(tx, index.uuid);
        if (!entry || entry.record.reason === ERASED) continue;
        const ending = isSettled(entry.record.state) ? {} : { state: 'cancelled' as const, settled_at: clock.now().toISOString() };
        const record = changedRecord(entry.record, { ...EMPTY, ...ending, event: `erased:${index.uuid}`, reason: ERASED, kept_bytes: 0 });
        if (entry instanceof SettledEntry) history.removed(tx, entry.document);
        chunks.release(tx, entry.content.body);
        history.added(tx, settled.settle(tx, entry, { record, content: NO_BODY, tries: withoutResponses(entry.attempts) }));
        erased++;
      }
      return erased;
    },
  };

  /** Whether a delivery that names neither a message nor a conversation has an id of the person in its body. */
  async function isInBody(entry: AnyDelivery, isNamed: (text: string) => boolean, until: string): Promise<boolean> {
    const { message, conversation, created_at: created } = entry.record;
    return message === undefined && conversation === undefined && created <= until && isNamed(await settled.bodyOf(entry));
  }
}

const EMPTY = {
  recipient: undefined,
  last_error: undefined,
  replay_url: undefined,
  held_at: undefined,
  due_at: undefined,
  started_at: undefined,
};

function names({ record }: AnyDelivery, { conversations, ids }: DataSubject, until: string): boolean {
  const { conversation, recipient, created_at: created } = record;
  if (conversation !== undefined) return conversations.includes(conversation);
  return recipient !== undefined && created <= until && ids.includes(recipient);
}

/** Attempts without what receivers responded. */
const withoutResponses = (attempts: AnyDelivery['attempts']): AnyDelivery['attempts'] =>
  Object.fromEntries(
    Object.entries(attempts).map(([key, { response: _, response_headers: _headers, error: _error, ...attempt }]) => [
      key,
      { ...attempt, response_headers: {} } as StoredAttempt,
    ]),
  );
