import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import { type CollectionType, pagesOf, type Store } from '../ports/store.js';
import type { Database, Transaction } from '../ports/transaction.js';

/** Retention limits. Documents beyond any of them are evicted, oldest first. */
export interface HistoryLimits {
  readonly count: number;
  readonly bytes: number;
  readonly days: number;
}

/** Why a document was evicted: too many, too large together, too old, or memory is short. */
export type EvictionReason = 'count' | 'bytes' | 'age' | 'memory';

/** The documents of a history. */
export interface HistoryRecords<T extends object> {
  /** All documents, in pages. */
  all(): AsyncIterable<readonly T[]>;
  /** The documents with a date-time, oldest first. */
  oldest(limit: number): Promise<readonly T[]>;
  /** A document as the transaction sees it. */
  current(tx: Transaction, document: T): Promise<T | undefined>;
}

/** The documents of a collection. `index` orders them from the oldest, by ISO 8601 date-times. */
export const recordsOf = <T extends object>(store: Pick<Store, 'open'>, type: CollectionType<T>, index: string): HistoryRecords<T> => ({
  all: () => pagesOf(store, type),
  oldest: (limit) => store.open(type).find(index, { limit }),
  current: (tx, document) => tx.in(type).get(String(document[type.key])),
});

/** Documents that are retained for a while because clients may still request them. */
export interface HistoryOptions<T extends object> {
  /** Plural name for metrics and the admin API: `deliveries`. */
  readonly name: string;
  readonly records: HistoryRecords<T>;
  /** The ISO 8601 date-time that orders the documents; undefined for one that does not count. */
  readonly at: (document: T) => string | undefined;
  /** Approximate size of a document with everything that belongs to it. */
  readonly bytes: (document: T) => number;
  readonly limits: HistoryLimits;
  /** The share of the count and byte limits that applies now; 1 if not given. */
  readonly share?: () => number;
  /** Deletes a document and everything that belongs to it. */
  readonly evict: (tx: Transaction, document: T) => Promise<void>;
  readonly onEvicted?: (reason: EvictionReason) => void;
}

/** Current size of a history. */
export interface HistorySize {
  readonly count: number;
  readonly bytes: number;
}

export interface HistoryPorts {
  readonly store: Database;
  readonly clock: Pick<Clock, 'now' | 'during'>;
  readonly log: Pick<Logger, 'error'>;
}

/**
 * Retention of finished documents: evicts the oldest beyond the limits. `core/messaging/history.ts` does this for the messages
 * of a conversation.
 */
export type History<T extends object> = ReturnType<typeof createHistory<T>>;

const DAY_MS = 24 * 60 * 60 * 1000;
/** Documents evicted per transaction. */
const PAGE = 100;
/** Eviction starts this far above the limits, so that not every new document costs a transaction. */
const SLACK = 1.05;
/** Logged on failure; the next addition retries. */
const NOT_EVICTED = 'evicting documents beyond the limits failed; the platform will retry';

export function createHistory<T extends object>({ store, clock, log }: HistoryPorts, options: HistoryOptions<T>) {
  const { name, records, at, bytes: bytesOf, limits, share = () => 1, evict: evictOne, onEvicted } = options;
  let [count, bytes] = [0, 0];
  let evicting: Promise<void> | undefined;

  return {
    name,
    limits,
    size: (): HistorySize => ({ count, bytes }),

    /** Counts the documents that exist when the platform starts. */
    async load(): Promise<void> {
      [count, bytes] = [0, 0];
      for await (const page of records.all()) for (const one of page) if (at(one) !== undefined) add(1, bytesOf(one));
    },

    /** Call in the transaction that adds a document to the index. */
    added(tx: Transaction, document: T): void {
      tx.afterCommit(() => {
        add(1, bytesOf(document));
        if (count > limits.count * share() * SLACK || bytes > limits.bytes * share() * SLACK) inBackground();
      });
    },

    /**
     * Call in every transaction that removes a document from the index, except in `evict`. Pass the document as it was before.
     * Ignores documents that were not in the index.
     */
    removed(tx: Transaction, document: T): void {
      if (at(document) !== undefined) tx.afterCommit(() => add(-1, -bytesOf(document)));
    },

    /** Evicts everything beyond the current limits. */
    async evict(): Promise<void> {
      // An eviction in progress may have used the previous limits.
      await evicting?.catch(() => undefined);
      await evict();
    },
  };

  function evict(): Promise<void> {
    evicting ??= evictAll().finally(() => {
      evicting = undefined;
    });
    return evicting;
  }

  function add(documents: number, size: number): void {
    count += documents;
    bytes += size;
  }

  function inBackground(): void {
    if (evicting) return;
    void clock.during(evict).catch((error: unknown) => log.error(NOT_EVICTED, { history: name, error }));
  }

  async function evictAll(): Promise<void> {
    for (;;) {
      const oldest = await records.oldest(PAGE);
      const surplus = surplusOf(oldest);
      if (surplus.length === 0) return;
      await store.transaction(async (tx) => {
        tx.acrossTenants?.();
        for (const { document } of surplus) {
          const current = await records.current(tx, document);
          // A changed document is in use again.
          if (current && at(current) === at(document)) {
            await evictOne(tx, current);
            tx.afterCommit(() => add(-1, -bytesOf(current)));
          }
        }
      });
      for (const { reason } of surplus) onEvicted?.(reason);
    }
  }

  function surplusOf(oldest: readonly T[]): { readonly document: T; readonly reason: EvictionReason }[] {
    const expired = new Date(clock.now().getTime() - limits.days * DAY_MS).toISOString();
    let [remaining, remainingBytes] = [count, bytes];
    const surplus = [];
    for (const document of oldest) {
      const reason =
        (at(document) ?? '') <= expired
          ? 'age'
          : remaining > limits.count
            ? 'count'
            : remainingBytes > limits.bytes
              ? 'bytes'
              : remaining > limits.count * share() || remainingBytes > limits.bytes * share()
                ? 'memory'
                : undefined;
      if (!reason) break;
      surplus.push({ document, reason } as const);
      remaining--;
      remainingBytes -= bytesOf(document);
    }
    return surplus;
  }
}
