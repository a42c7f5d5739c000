import { setImmediate as breathe } from 'node:timers/promises';
import type { EvictionReason, HeldNumbers } from '../memory/history.js';
import { LEAST_KEPT_DAYS } from '../messaging/account.js';
import type { MessageRecords } from '../messaging/message-records.js';
import type { Clock, Timer } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import { DocumentDamaged } from '../ports/store.js';
import type { Database } from '../ports/transaction.js';
import { type Cursor, createMessageExpiry } from './expire-messages.js';
import type { MessageCounts } from './message-count.js';
import { createMessageCounts } from './message-counts.js';
import { byteGroups, limitsOfNumbers, type MessageLimits, type NumberLimits } from './message-limits.js';

const INTERVAL_MS = 60 * 60 * 1000;
/** Soon after a start, so that a platform that often restarts deletes messages too. */
const FIRST_MS = 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The kept messages of a number, and those that go next. */
export interface NumberReport {
  readonly limits: NumberLimits;
  /** The messages that were counted; undefined if the number has no limit. */
  readonly kept: { readonly messages: number; readonly bytes: number } | undefined;
  readonly oldest: string | undefined;
  /** The oldest messages: those of one day (UTC), and when the first of them goes. */
  readonly next: { readonly at: string; readonly reason: 'age' | 'bytes'; readonly messages: number; readonly bytes: number } | undefined;
}

type ExpiryParts = Omit<Parameters<typeof createMessageExpiry>[0], 'counts'>;

interface RetentionParts extends ExpiryParts {
  readonly store: Database;
  readonly records: MessageRecords;
  readonly holds: HeldNumbers;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error'>;
  readonly limits: MessageLimits;
  /** Called for each message that is deleted. */
  readonly onExpired?: (reason: EvictionReason) => void;
}

/** Keeps messages as long as the limits say, and deletes older ones in the background: a minute after the start, and each hour. */
export type MessageRetention = ReturnType<typeof createMessageRetention>;

export function createMessageRetention({ clock, log, limits: platform, onExpired, ...parts }: RetentionParts) {
  const { store, records } = parts;
  const counts = createMessageCounts({ store, records, clock });
  const expire = createMessageExpiry({ ...parts, counts });
  let timer: Timer | undefined;
  let running: Promise<void> | undefined;
  let isStopped = false;
  let numbersOnHold = 0;
  /** Numbers with a damaged message, since the last run began. */
  const stuck = new Set<string>();
  let total: { readonly count: number; readonly bytes: number } | undefined;

  return {
    async start(): Promise<void> {
      isStopped = false;
      await measure();
      schedule(FIRST_MS);
    },

    /** Waits for the batch in progress. */
    async stop(): Promise<void> {
      isStopped = true;
      timer?.cancel();
      await running;
    },

    run,
    measure,

    /** The counted messages of all numbers with a limit, as last measured; undefined if there is no such number. */
    total: () => total,

    /** As last measured. */
    numbersOnHold: () => numbersOnHold,

    async report(): Promise<NumberReport[]> {
      const all = await limitsOfNumbers(store, platform);
      const used = new Map(await Promise.all(all.map(async ({ number: { uuid } }) => [uuid, await counts.of(uuid)] as const)));
      const full = new Set(byteGroups(all).flatMap(({ limit, numbers }) => (bytesOf(numbers, used) > limit ? numbers : [])));
      return Promise.all(all.map((limits) => reportOf(limits, used.get(limits.number.uuid), full.has(limits.number.uuid))));
    },
  };

  /** Counts new messages and deletes those that are due. Never rejects: what fails is repeated after an hour. */
  function run(): Promise<void> {
    running ??= sweep()
      .catch((error: unknown) => log.error('expired messages could not be deleted; the platform will retry', { error }))
      .finally(() => {
        running = undefined;
      });
    return running;
  }

  function schedule(ms: number): void {
    timer = clock.after(ms, async () => {
      schedule(INTERVAL_MS);
      await run();
    });
  }

  async function sweep(): Promise<void> {
    stuck.clear();
    const all = await limitsOfNumbers(store, platform);
    for (const { number, days, bytes } of all) {
      if (days === undefined && bytes === undefined) continue;
      await unlessDamaged(number.uuid, () => counts.update(number.uuid, () => isStopped));
      if (days !== undefined) await unlessDamaged(number.uuid, () => expireUntil(number.uuid, daysAgo(days)));
    }
    for (const group of byteGroups(all)) await makeRoom(group);
    await measure();
  }

  async function expireUntil(number: string, until: string): Promise<void> {
    for (let after: Cursor | undefined; !isStopped; await breathe()) {
      const { messages, last } = await expire({ number, reason: 'age', until, after });
      for (let i = 0; i < messages; i++) onExpired?.('age');
      if (!last) return;
      after = last;
    }
  }

  /** Deletes the oldest messages of all numbers of a group, up to its limit. */
  async function makeRoom({ limit, numbers }: { readonly limit: number; readonly numbers: readonly string[] }): Promise<void> {
    const used = new Map(await Promise.all(numbers.map(async (number) => [number, await counts.of(number)] as const)));
    let excess = bytesOf(numbers, used) - limit;
    if (excess <= 0) return;
    const newest = daysAgo(LEAST_KEPT_DAYS);
    const cursors = new Map<string, Cursor | undefined>();
    const heads = (await Promise.all(numbers.map(async (number) => ({ number, at: await oldest(number) })))).filter(isDue);
    while (excess > 0 && heads.length > 0 && !isStopped) {
      heads.sort((a, b) => (a.at < b.at ? -1 : 1));
      const [{ number }, next] = heads as [Head, Head?];
      const until = next ? next.at : newest;
      heads.shift();
      const expired = await unlessDamaged(number, () =>
        expire({ number, reason: 'bytes', until, after: cursors.get(number), bytes: excess }),
      );
      if (!expired) continue;
      const { messages, bytes, last } = expired;
      for (let i = 0; i < messages; i++) onExpired?.('bytes');
      excess -= bytes;
      if (last) cursors.set(number, last);
      const head = { number, at: await oldest(number, cursors.get(number)) };
      if (isDue(head)) heads.push(head);
      await breathe();
    }

    function isDue(head: { readonly number: string; readonly at: string | undefined }): head is Head {
      return head.at !== undefined && head.at <= newest;
    }
  }

  /** Undefined also if that message is damaged. */
  async function oldest(number: string, after?: Cursor): Promise<string | undefined> {
    const range = { equals: [number], limit: 1, ...(after && { after }) };
    const found = await unlessDamaged(number, () => records.committed.find('age', range));
    return found?.[0]?.recorded_at;
  }

  /** A damaged message keeps those of its number, and not those of others. @returns undefined if there is one */
  async function unlessDamaged<T>(number: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DocumentDamaged)) throw error;
      if (!stuck.has(number)) log.error('messages of a number do not expire until a damaged file is repaired', { number, error });
      stuck.add(number);
      return undefined;
    }
  }

  async function reportOf(limits: NumberLimits, counted: MessageCounts | undefined, isFull: boolean): Promise<NumberReport> {
    const { number, days, bytes, isHeld } = limits;
    if (days === undefined && bytes === undefined) return { limits, kept: undefined, oldest: undefined, next: undefined };
    const kept = sumOf(Object.values(counted?.days ?? {}));
    const first = await oldest(number.uuid);
    const byAge = first === undefined || days === undefined ? undefined : Date.parse(first) + days * DAY_MS;
    const byBytes = first === undefined || !isFull ? undefined : Date.parse(first) + LEAST_KEPT_DAYS * DAY_MS;
    const due = Math.min(byAge ?? Number.POSITIVE_INFINITY, byBytes ?? Number.POSITIVE_INFINITY);
    if (isHeld || first === undefined || due === Number.POSITIVE_INFINITY) return { limits, kept, oldest: first, next: undefined };
    const [messages, size] = counted?.days[first.slice(0, 10)] ?? [0, 0];
    const next = { at: new Date(due).toISOString(), reason: due === byAge ? 'age' : 'bytes', messages, bytes: size } as const;
    return { limits, kept, oldest: first, next };
  }

  /** Reads what the metrics show. */
  async function measure(): Promise<void> {
    const all = await limitsOfNumbers(store, platform);
    numbersOnHold = all.filter(({ isHeld }) => isHeld).length;
    const limited = all.filter(({ days, bytes }) => days !== undefined || bytes !== undefined);
    const counted = await Promise.all(limited.map(({ number }) => counts.of(number.uuid)));
    const { messages, bytes } = sumOf(counted.flatMap((one) => Object.values(one?.days ?? {})));
    total = limited.length === 0 ? undefined : { count: messages, bytes };
  }

  function daysAgo(days: number): string {
    return new Date(clock.now().getTime() - days * DAY_MS).toISOString();
  }
}

/** A number and the time of its oldest message. */
interface Head {
  readonly number: string;
  readonly at: string;
}

const sumOf = (days: readonly (readonly [number, number])[]) =>
  days.reduce((sum, [messages, bytes]) => ({ messages: sum.messages + messages, bytes: sum.bytes + bytes }), { messages: 0, bytes: 0 });

const bytesOf = (numbers: readonly string[], used: ReadonlyMap<string, MessageCounts | undefined>): number =>
  numbers.reduce((sum, number) => sum + sumOf(Object.values(used.get(number)?.days ?? {})).bytes, 0);
