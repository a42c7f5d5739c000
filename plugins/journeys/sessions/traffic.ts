import type { PluginContext, Transaction } from '#core';
import type { JourneyEvent } from '../engine/session.js';
import { type TrafficRecord, traffic } from '../records.js';

const HOUR_MS = 60 * 60 * 1000;
/** Short periods make "the last day" exact, long ones keep few documents: 57 for each journey. */
const PERIOD_MS = 3 * HOUR_MS;
const KEPT_MS = 7 * 24 * HOUR_MS;
/** Counts are stored with the first turn after this time. A crash loses those since. */
const WRITE_AFTER_MS = 10_000;
const LIMITS = { keys: 1_000, key: 300 } as const;

type Counts = ReadonlyMap<string, number>;

interface Period {
  readonly number: string;
  readonly from: string;
  readonly counts: Counts;
}

interface Pending {
  readonly number: string;
  readonly counts: Map<string, number>;
}

/** Counts what sessions did: the exits that they took, and the questions that they asked, did not understand, or left unanswered. */
export type Traffic = ReturnType<typeof createTraffic>;

export function createTraffic({ store, clock, log }: Pick<PluginContext, 'store' | 'clock' | 'log'>) {
  /** Counts that are not stored yet, by journey and by the beginning of their period. */
  const pending = new Map<string, Map<string, Pending>>();
  const writtenAt = new Map<string, number>();

  const periodOf = (ms: number): string => new Date(ms - (ms % PERIOD_MS)).toISOString();

  async function add(tx: Transaction, journey: string, number: string, counts: Counts): Promise<void> {
    const now = clock.now().getTime();
    const added = { number, from: periodOf(now), counts };
    if (now - (writtenAt.get(journey) ?? Number.NEGATIVE_INFINITY) < WRITE_AFTER_MS) {
      tx.onCommit(() => change(journey, added, 1));
      return;
    }
    // Before the commit, so that no other turn writes the same document meanwhile and one of the two has to run again.
    writtenAt.set(journey, now);
    await write(tx, journey, added);
  }

  /** Changes what is pending in place: a copy for each turn takes 15 us. */
  function change(journey: string, { from, number, counts }: Period, by: 1 | -1): void {
    const periods = pending.get(journey) ?? new Map<string, Pending>();
    const period = periods.get(from) ?? { number, counts: new Map() };
    for (const [key, count] of counts) {
      const sum = (period.counts.get(key) ?? 0) + by * count;
      if (sum > 0) period.counts.set(key, sum);
      else period.counts.delete(key);
    }
    if (period.counts.size > 0) periods.set(from, period);
    else periods.delete(from);
    if (periods.size > 0) pending.set(journey, periods);
    else pending.delete(journey);
  }

  /** Stores the pending counts of a journey, with those of this transaction. */
  async function write(tx: Transaction, journey: string, added?: Period): Promise<void> {
    const waiting = [...(pending.get(journey) ?? [])].map(
      ([from, { number, counts }]): Period => ({ from, number, counts: new Map(counts) }),
    );
    const records = tx.in(traffic);
    for (const { number, from, counts } of added ? [...waiting, added] : waiting) {
      const key = `${journey}/${from}`;
      const stored = await records.get(key);
      records.put({ key, number, journey, from, counts: Object.fromEntries(sum(stored?.counts, counts)) });
      if (stored) continue;
      const oldest = periodOf(clock.now().getTime() - KEPT_MS);
      for (const old of await records.find('journey', { equals: [journey], before: [oldest] })) records.delete(old.key);
    }
    tx.onCommit(() => {
      for (const period of waiting) change(journey, period, -1);
    });
  }

  return {
    /** Counts the events of a turn, when the transaction commits. */
    async count(tx: Transaction, number: string, events: readonly JourneyEvent[]): Promise<void> {
      for (const [journey, counts] of countsIn(events)) await add(tx, journey, number, counts);
    },

    /** Counts a wait that ended without an answer. */
    left: (tx: Transaction, { journey, number, card }: { readonly journey: string; readonly number: string; readonly card: string }) =>
      add(tx, journey, number, new Map([[`left\n${card}`, 1]])),

    /** The counts of a journey in the periods of the last hours. `since` is the beginning of the first of them. */
    async since(journey: string, hours: number) {
      const since = periodOf(clock.now().getTime() - hours * HOUR_MS);
      const stored = await store.open(traffic).find('journey', { equals: [journey], from: [since] });
      const total = new Map<string, number>();
      for (const { counts } of stored) addTo(total, Object.entries(counts));
      for (const [from, { counts }] of pending.get(journey) ?? []) if (from >= since) addTo(total, counts);
      return { since, ...partsOf(total) };
    },

    /** Stores what is pending, before the platform stops. */
    async stop(): Promise<void> {
      for (const journey of [...pending.keys()]) {
        try {
          await store.transaction((tx) => write(tx, journey));
        } catch (error) {
          log.warn('counts of the last seconds of a journey were not stored', { journey, error: String(error) });
        }
      }
    },
  };
}

function countsIn(events: readonly JourneyEvent[]): ReadonlyMap<string, Counts> {
  const journeys = new Map<string, Map<string, number>>();
  for (const event of events) {
    const key =
      event.type === 'exit_taken'
        ? `exit\n${event.at.block}\n${event.exit}`
        : event.type === 'wait'
          ? `asked\n${event.at.card}`
          : event.type === 'input_invalid'
            ? `unclear\n${event.at.card}`
            : event.type === 'expired'
              ? `left\n${event.at.card}`
              : undefined;
    if (key === undefined || key.length > LIMITS.key || !('at' in event)) continue;
    const counts = journeys.get(event.at.journey) ?? new Map<string, number>();
    counts.set(key, (counts.get(key) ?? 0) + 1);
    journeys.set(event.at.journey, counts);
  }
  return journeys;
}

function addTo(total: Map<string, number>, counts: Iterable<readonly [string, number]>): void {
  for (const [key, count] of counts) total.set(key, (total.get(key) ?? 0) + count);
}

/** The sum, without new keys beyond the limit. */
function sum(before: TrafficRecord['counts'] = {}, added: Counts): Counts {
  const total = new Map(Object.entries(before));
  for (const [key, count] of added) if (total.has(key) || total.size < LIMITS.keys) total.set(key, (total.get(key) ?? 0) + count);
  return total;
}

/** How often a card waited for an answer, got one that it did not understand, and got none until the wait ended. */
export interface CardTraffic {
  readonly card: string;
  readonly asked: number;
  readonly unclear: number;
  readonly left: number;
}

function partsOf(counts: Counts) {
  const exits: { block: string; name: string; count: number }[] = [];
  const cards = new Map<string, CardTraffic>();
  for (const [key, count] of counts) {
    const [kind, place = '', ...rest] = key.split('\n');
    if (kind === 'exit') exits.push({ block: place, name: rest.join('\n'), count });
    else {
      const card = [place, ...rest].join('\n');
      cards.set(card, { ...(cards.get(card) ?? { card, asked: 0, unclear: 0, left: 0 }), [kind!]: count });
    }
  }
  return { exits, cards: [...cards.values()] };
}
