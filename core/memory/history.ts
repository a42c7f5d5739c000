import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import { type CollectionType, pagesOf } from '../ports/store.js';
import type { Database, Transaction } from '../ports/transaction.js';

/** How much of something is kept. What is beyond any of them is taken away, the oldest first. */
export interface HistoryLimits {
  readonly count: number;
  readonly bytes: number;
  readonly days: number;
}

/** Why something was taken away: too many, too large together, too old, or because memory is short. */
export type EvictionReason = 'count' | 'bytes' | 'age' | 'memory';

/** Documents that are kept for a while because they may still be requested. */
export interface HistoryOptions<T extends object> {
  /** What they are, for metrics and the admin API: `deliveries`. */
  readonly name: string;
  readonly type: CollectionType<T>;
  /** An index that orders them from the oldest by moments in ISO 8601. Documents that are not in it do not count. */
  readonly index: string;
  /** The moment the index has; undefined for a document that is not in it. */
  readonly at: (document: T) => string | undefined;
  /** About what a document takes, with all that goes with it. */
  readonly bytes: (document: T) => number;
  readonly limits: HistoryLimits;
  /** What part of the count and the bytes it may have at the moment; all if not given. */
  readonly share?: () => number;
  /** Takes a document away with all that belongs to it, if it is still as it was found. */
  readonly evict: (tx: Transaction, document: T) => Promise<void>;
  readonly onEvicted?: (reason: EvictionReason) => void;
}

/** What a history has at the moment. */
export interface HistorySize {
  readonly count: number;
  readonly bytes: number;
}

export interface HistoryPorts {
  readonly store: Database;
  readonly clock: Pick<Clock, 'now' | 'during'>;
  readonly log: Pick<Logger, 'error'>;
}

/** Retention of documents that are over: evicts the oldest beyond its limits. The messages of a conversation are in `core/messaging/history.ts`. */
export type History<T extends object> = ReturnType<typeof createHistory<T>>;

const DAY_MS = 24 * 60 * 60 * 1000;
/** Documents that are taken away in one transaction. */
const PAGE = 100;
/** It begins to evict this far beyond its limits, so that not every new document costs a transaction. */
const SLACK = 1.05;
/** What is said of a failure; the next addition tries again. */
const NOT_EVICTED = 'documents that are not to be kept any longer could not be evicted; it is tried again';

export function createHistory<T extends object>({ store, clock, log }: HistoryPorts, options: HistoryOptions<T>) {
  const { name, type, index, at, bytes: bytesOf, limits, share = () => 1, evict: evictOne, onEvicted } = options;
  const records = store.open(type);
  let [count, bytes] = [0, 0];
  let evicting: Promise<void> | undefined;

  return {
    name,
    limits,
    size: (): HistorySize => ({ count, bytes }),

    /** Counts what was there when the platform started. */
    async load(): Promise<void> {
      [count, bytes] = [0, 0];
      for await (const page of pagesOf(store, type)) for (const one of page) if (at(one) !== undefined) add(1, bytesOf(one));
    },

    /** To be called in the transaction that puts a document into the index. */
    added(tx: Transaction, document: T): void {
      tx.afterCommit(() => {
        add(1, bytesOf(document));
        if (count > limits.count * share() * SLACK || bytes > limits.bytes * share() * SLACK) inBackground();
      });
    },

    /** To be called with a document as it was by a transaction that takes it out of the index, unless that is `evict`; also when it was not in it. */
    removed(tx: Transaction, document: T): void {
      if (at(document) !== undefined) tx.afterCommit(() => add(-1, -bytesOf(document)));
    },

    /** Takes away what is beyond the limits as they are now. */
    async evict(): Promise<void> {
      // One that is under way may have found its end by the limits of before.
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

  function add(documents: number, taken: number): void {
    count += documents;
    bytes += taken;
  }

  function inBackground(): void {
    if (evicting) return;
    void clock.during(evict).catch((error: unknown) => log.error(NOT_EVICTED, { history: name, error }));
  }

  async function evictAll(): Promise<void> {
    for (;;) {
      const oldest = await records.find(index, { limit: PAGE });
      const surplus = beyond(oldest);
      if (surplus.length === 0) return;
      await store.transaction(async (tx) => {
        for (const { document } of surplus) {
          const current = await tx.in(type).get(String(document[type.key]));
          // Otherwise it is in use again.
          if (current && at(current) === at(document)) {
            await evictOne(tx, current);
            tx.afterCommit(() => add(-1, -bytesOf(current)));
          }
        }
      });
      for (const { reason } of surplus) onEvicted?.(reason);
    }
  }

  function beyond(oldest: readonly T[]): { readonly document: T; readonly reason: EvictionReason }[] {
    const expired = new Date(clock.now().getTime() - limits.days * DAY_MS).toISOString();
    let [left, remainingBytes] = [count, bytes];
    const surplus = [];
    for (const document of oldest) {
      const reason =
        (at(document) ?? '') <= expired
          ? 'age'
          : left > limits.count
            ? 'count'
            : remainingBytes > limits.bytes
              ? 'bytes'
              : left > limits.count * share() || remainingBytes > limits.bytes * share()
                ? 'memory'
                : undefined;
      if (!reason) break;
      surplus.push({ document, reason } as const);
      left--;
      remainingBytes -= bytesOf(document);
    }
    return surplus;
  }
}
