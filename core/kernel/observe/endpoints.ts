import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../../ports/clock.js';
import type { Announcement } from '../../ports/events.js';
import type { Logger } from '../../ports/logger.js';
import type { Database } from '../../ports/transaction.js';
import { BOUNDS_MS, type Counts, type EndpointRecord, endpointRecords, SERIES, type SeriesName } from './endpoint-record.js';

/** Counts are stored this long after the first one that is not: a crash loses at most the counts of this time. */
const STORE_AFTER_MS = 60_000;
/** Above it, the endpoints that were called longest ago are deleted. One with calls at all times takes about 30 kB. */
const MAX_ENDPOINTS = 2_000;
const NUMBERS: readonly SeriesName[] = ['minutes', 'quarters'];

/** An endpoint in memory. */
interface Endpoint extends Omit<EndpointRecord, SeriesName> {
  last_at: string;
  failures_in_a_row: number;
  last_error?: NonNullable<EndpointRecord['last_error']>;
  readonly minutes: Map<number, number[]>;
  readonly quarters: Map<number, number[]>;
}

/** Calls that succeeded, and that failed. */
export interface Tally {
  readonly ok: number;
  readonly failed: number;
}

export interface EndpointHealth extends Omit<EndpointRecord, SeriesName> {
  readonly last_15_min: Tally;
  readonly last_24_h: Tally;
}

/**
 * Counts how calls to endpoints went, from the events that say so: in memory, so that a delivery costs no write more, and stored every minute.
 * The counts are those of the last hour by minute and of the last day by quarter of an hour, with a histogram of response times.
 */
export type Endpoints = ReturnType<typeof createEndpoints>;

export function createEndpoints({ store, clock, log }: { readonly store: Database; readonly clock: Clock; readonly log: Logger }) {
  /** In the order of the last call. */
  const endpoints = new Map<string, Endpoint>();
  const changed = new Set<string>();
  /** Runs work in the async context of the start: that of an admin call would make it part of the call. */
  let inStart: ((work: () => void) => void) | undefined;
  let isPlanned = false;

  return {
    /** Reads what an earlier process has stored. */
    async start(): Promise<void> {
      for (const record of await store.open(endpointRecords).list()) endpoints.set(record.endpoint, loaded(record));
      inStart = AsyncLocalStorage.snapshot();
    },

    /** Stores what is not stored yet. */
    async stop(): Promise<void> {
      inStart = undefined;
      await save();
    },

    received({ outcome }: Announcement): void {
      if (outcome) count(outcome, clock.now());
    },

    /** The endpoints that were called in the last day. */
    list(): EndpointHealth[] {
      const now = clock.now().getTime();
      return [...endpoints.values()].flatMap(({ minutes, quarters, ...about }) => {
        const last_24_h = tallyOf(quarters, SERIES.quarters.ms, { now, times: 96 });
        if (last_24_h.ok + last_24_h.failed === 0) return [];
        return [{ ...about, last_24_h, last_15_min: tallyOf(minutes, SERIES.minutes.ms, { now, times: 15 }) }];
      });
    },
  };

  function count({ endpoint: uuid, number, ok, ms, code, status, delivery }: NonNullable<Announcement['outcome']>, now: Date): void {
    const known = endpoints.get(uuid);
    const at = now.toISOString();
    const one: Endpoint = known ?? { endpoint: uuid, number, last_at: at, failures_in_a_row: 0, minutes: new Map(), quarters: new Map() };
    // It becomes the last in the order.
    if (known) endpoints.delete(uuid);
    endpoints.set(uuid, one);
    one.last_at = at;
    one.failures_in_a_row = ok ? 0 : one.failures_in_a_row + 1;
    if (!ok)
      one.last_error = { at, code: code ?? 'failed', ...(status !== undefined && { status }), ...(delivery !== undefined && { delivery }) };
    const place = ms === undefined ? undefined : 2 + placeOf(ms);
    for (const name of NUMBERS) {
      const series = one[name];
      const time = Math.floor(now.getTime() / SERIES[name].ms);
      let counts = series.get(time);
      if (!counts) {
        counts = [0, 0];
        series.set(time, counts);
        for (const earlier of series.keys()) if (earlier <= time - SERIES[name].kept) series.delete(earlier);
      }
      counts[ok ? 0 : 1]!++;
      if (place === undefined) continue;
      while (counts.length <= place) counts.push(0);
      counts[place]!++;
    }
    changed.add(uuid);
    if (endpoints.size > MAX_ENDPOINTS) forget(endpoints.keys().next().value!);
    plan();
  }

  /** The next change that is stored is its deletion. */
  function forget(uuid: string): void {
    changed.add(uuid);
    endpoints.delete(uuid);
  }

  /** A timer only while something is not stored, so that an idle platform has none. */
  function plan(): void {
    if (isPlanned || !inStart) return;
    isPlanned = true;
    inStart(() => {
      clock.after(STORE_AFTER_MS, () =>
        clock.during(async () => {
          isPlanned = false;
          if (inStart) await save();
        }),
      );
    });
  }

  async function save(): Promise<void> {
    const now = clock.now().getTime();
    const day = SERIES.quarters.ms * SERIES.quarters.kept;
    for (const [uuid, { last_at: at }] of endpoints) if (now - Date.parse(at) > day) forget(uuid);
    const written = [...changed];
    if (written.length === 0) return;
    changed.clear();
    try {
      await store.transaction((tx) => {
        // Each document has one tenant, and they are independent of each other.
        tx.acrossTenants?.();
        for (const uuid of written) {
          const one = endpoints.get(uuid);
          if (one) tx.in(endpointRecords).put(recordOf(one));
          else tx.in(endpointRecords).delete(uuid);
        }
      });
    } catch (error) {
      for (const uuid of written) changed.add(uuid);
      log.debug('the counts of calls to endpoints are stored later', { error });
      plan();
    }
  }
}

const placeOf = (ms: number): number => {
  const place = BOUNDS_MS.findIndex((bound) => ms <= bound);
  return place < 0 ? BOUNDS_MS.length : place;
};

function tallyOf(
  series: ReadonlyMap<number, readonly number[]>,
  ms: number,
  { now, times }: { readonly now: number; readonly times: number },
): Tally {
  const last = Math.floor(now / ms);
  let [ok, failed] = [0, 0];
  for (const [time, counts] of series) {
    if (time > last || time <= last - times) continue;
    ok += counts[0]!;
    failed += counts[1]!;
  }
  return { ok, failed };
}

const textOf = (series: ReadonlyMap<number, readonly number[]>): Record<string, Counts> =>
  Object.fromEntries([...series].map(([time, counts]) => [time, counts as unknown as Counts]));

const recordOf = ({ minutes, quarters, ...about }: Endpoint): EndpointRecord => ({
  ...about,
  minutes: textOf(minutes),
  quarters: textOf(quarters),
});

const seriesOf = (counts: Readonly<Record<string, Counts>>): Map<number, number[]> =>
  new Map(Object.entries(counts).map(([time, of]) => [Number(time), [...of]]));

const loaded = ({ minutes, quarters, ...about }: EndpointRecord): Endpoint => ({
  ...about,
  minutes: seriesOf(minutes),
  quarters: seriesOf(quarters),
});
