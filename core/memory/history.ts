import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import { type CollectionType, type IndexValue, pagesOf } from '../ports/store.js';
import type { Database, Transaction } from '../ports/transaction.js';

/** Retention limits. Documents beyond any of them are evicted, oldest first. */
export interface HistoryLimits {
  readonly count: number;
  readonly bytes: number;
  readonly days: number;
}

/** Why a document was evicted: too many, too large together, too old, or memory is short. */
export type EvictionReason = 'count' | 'bytes' | 'age' | 'memory';

/** Documents that are retained for a while because clients may still request them. */
export interface HistoryOptions<T extends object> {
  /** Plural name for metrics and the admin API: `deliveries`. */
  readonly name: string;
  readonly type: CollectionType<T>;
  /** An index that orders documents from the oldest, by ISO 8601 date-times. Documents that are not in it do not count. */
  readonly index: string;
  /** The ISO 8601 date-time that orders the documents; undefined for one that does not count. */
  readonly at: (document: T) => string | undefined;
  /** Approximate size of a document with everything that belongs to it. */
  readonly bytes: (document: T) => number;
  /** The uuid of its number. Documents of an account on hold are not evicted, and do not count. */
  readonly number?: ((document: T) => string | undefined) | undefined;
  /** If every document of the collection counts: an index whose first field is the number. A start then reads none of those on disk, see `load`. */
  readonly wholeBy?: string | undefined;
  readonly limits: HistoryLimits;
  /** Whether the store keeps older documents on disk. */
  readonly isOnDisk?: boolean;
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

/** Which numbers are on hold. */
export interface HeldNumbers {
  numbers(): Promise<ReadonlySet<string>>;
  isHeld(tx: Transaction, number: string): Promise<boolean>;
}

export interface HistoryPorts {
  readonly store: Database;
  readonly clock: Pick<Clock, 'now' | 'during'>;
  readonly log: Pick<Logger, 'error'>;
  readonly holds?: HeldNumbers | undefined;
  /** Documents that are read together while they are counted. */
  readonly countedAtOnce?: number;
}

/**
 * Retention of finished documents: evicts the oldest beyond the limits. `core/messaging/history.ts` does this for the messages
 * of a conversation.
 */
export type History<T extends object> = ReturnType<typeof createHistory<T>>;

const DAY_MS = 24 * 60 * 60 * 1000;
/** Documents evicted per transaction. */
const PAGE = 100;
/** Documents from whose sizes the bytes of all are estimated. */
const SAMPLE = 1_000;
/** Eviction starts this far above the limits, so that not every new document costs a transaction. */
const SLACK = 1.05;
/** Logged on failure; the next addition retries. */
const NOT_EVICTED = 'evicting documents beyond the limits failed; the platform will retry';

export function createHistory<T extends object>({ store, clock, log, holds, countedAtOnce }: HistoryPorts, options: HistoryOptions<T>) {
  const { name, type, index, at, bytes: bytesOf, number: numberOf, limits, share = () => 1, evict: evictOne, onEvicted } = options;
  /** The index with which documents on disk are counted only for numbers on hold. */
  const wholeBy = options.isOnDisk ? options.wholeBy : undefined;
  let [count, bytes] = [0, 0];
  const byNumber = new Map<string, { count: number; bytes: number }>();
  /** While documents are counted: the key up to which they are, and of those after it which have changed, and whether they exist. */
  let counting: { upTo: string; readonly changed: Map<string, boolean> } | undefined;
  /** The numbers that were on hold at the last eviction. */
  let held: ReadonlySet<string> = new Set();
  let evicting: Promise<void> | undefined;

  return {
    name,
    limits,
    size: (): HistorySize => ({ count, bytes }),

    /** Whether `load` takes milliseconds, and nothing may change meanwhile. */
    loadsAtOnce: wholeBy !== undefined,

    /**
     * Counts the documents that exist when the platform starts. They may change meanwhile, unless `loadsAtOnce`: with `wholeBy` their bytes are estimated from the newest
     * ones, because reading millions would take minutes.
     * @throws DocumentDamaged
     */
    async load(isStopped: () => boolean): Promise<void> {
      [count, bytes] = [0, 0];
      byNumber.clear();
      if (wholeBy !== undefined) {
        const records = store.open(type);
        // First, because it reads no document, which may be damaged.
        count = await records.count();
        const newest = await records.find(index, { order: 'descending', limit: SAMPLE });
        const sampled = newest.reduce((sum, one) => sum + bytesOf(one), 0);
        bytes = Math.round((sampled / Math.max(1, newest.length)) * count);
        return;
      }
      const changed = new Map<string, boolean>();
      const counts = { upTo: '', changed };
      counting = counts;
      try {
        for await (const page of pagesOf(store, type, countedAtOnce)) {
          if (isStopped()) return;
          for (const one of page) if (at(one) !== undefined && !changed.has(keyOf(one))) add(1, one);
          if (page.length > 0) counts.upTo = keyOf(page.at(-1)!);
        }
      } finally {
        counting = undefined;
      }
    },

    /** Call in the transaction that adds a document to the index. */
    added(tx: Transaction, document: T): void {
      tx.afterCommit(() => {
        change(1, document);
        const free = freeSize();
        if (free.count > limits.count * share() * SLACK || free.bytes > limits.bytes * share() * SLACK) inBackground();
      });
    },

    /**
     * Call in every transaction that removes a document from the index, except in `evict`. Pass the document as it was before.
     * Ignores documents that were not in the index.
     */
    removed(tx: Transaction, document: T): void {
      if (at(document) !== undefined) tx.afterCommit(() => change(-1, document));
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

  function keyOf(document: T): string {
    return String(document[type.key]);
  }

  function change(by: 1 | -1, document: T): void {
    const key = keyOf(document);
    if (counting && key > counting.upTo) {
      const isCounted = counting.changed.get(key);
      counting.changed.set(key, by > 0);
      if (by < 0 && !isCounted) return;
    }
    add(by, document);
  }

  function add(by: 1 | -1, document: T): void {
    const size = by * bytesOf(document);
    count += by;
    bytes += size;
    if (!numberOf) return;
    const number = numberOf(document);
    if (number === undefined) return;
    if (wholeBy !== undefined && !byNumber.has(number)) return;
    const own = byNumber.get(number) ?? { count: 0, bytes: 0 };
    if (own.count + by === 0 && wholeBy === undefined) byNumber.delete(number);
    else byNumber.set(number, { count: own.count + by, bytes: own.bytes + size });
  }

  /** The size without what is on hold. */
  function freeSize(): HistorySize {
    let free = { count, bytes };
    for (const number of held) {
      const own = byNumber.get(number);
      if (own) free = { count: free.count - own.count, bytes: free.bytes - own.bytes };
    }
    return free;
  }

  function isHeld(document: T): boolean {
    return held.has(numberOf?.(document) ?? '');
  }

  function inBackground(): void {
    if (evicting) return;
    void clock.during(evict).catch((error: unknown) => log.error(NOT_EVICTED, { history: name, error }));
  }

  async function evictAll(): Promise<void> {
    for (;;) {
      if (numberOf && holds) held = await holds.numbers();
      for (const number of held) await countHeld(number);
      const surplus = surplusOf(await oldest());
      if (surplus.length === 0) return;
      await store.transaction(async (tx) => {
        tx.acrossTenants?.();
        for (const { document } of surplus) {
          const current = await tx.in(type).get(keyOf(document));
          // A changed document is in use again.
          if (!current || at(current) !== at(document)) continue;
          if (await isHeldNow(tx, current)) continue;
          await evictOne(tx, current);
          tx.afterCommit(() => change(-1, current));
        }
      });
      for (const { reason } of surplus) onEvicted?.(reason);
    }
  }

  /** The oldest documents that are not on hold. */
  async function oldest(): Promise<readonly T[]> {
    const found: T[] = [];
    for (let after: readonly IndexValue[] | undefined; ; ) {
      const page = await store.open(type).find(index, { limit: PAGE, ...(after && { after }) });
      for (const one of page) if (!isHeld(one) && found.push(one) === PAGE) return found;
      const last = page.at(-1) as Record<string, IndexValue> | undefined;
      if (!last || page.length < PAGE) return found;
      after = [...type.indexes![index]!, type.key].map((field) => last[field]!);
    }
  }

  /** Counts the documents of a number on hold that were not counted. */
  async function countHeld(number: string): Promise<void> {
    if (wholeBy === undefined || byNumber.has(number)) return;
    const own = { count: 0, bytes: 0 };
    byNumber.set(number, own);
    for (let after: readonly IndexValue[] | undefined; ; ) {
      const page = await store.open(type).find(wholeBy, { equals: [number], limit: PAGE, ...(after && { after }) });
      for (const one of page) {
        own.count++;
        own.bytes += bytesOf(one);
      }
      const last = page.at(-1) as Record<string, IndexValue> | undefined;
      if (!last || page.length < PAGE) return;
      after = [...type.indexes![wholeBy]!.slice(1), type.key].map((field) => last[field]!);
    }
  }

  async function isHeldNow(tx: Transaction, document: T): Promise<boolean> {
    const number = numberOf?.(document);
    return number !== undefined && ((await holds?.isHeld(tx, number)) ?? false);
  }

  function surplusOf(oldest: readonly T[]): { readonly document: T; readonly reason: EvictionReason }[] {
    const expired = new Date(clock.now().getTime() - limits.days * DAY_MS).toISOString();
    let { count: remaining, bytes: remainingBytes } = freeSize();
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
