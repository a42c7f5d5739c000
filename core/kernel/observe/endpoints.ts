import { AsyncLocalStorage } from 'node:async_hooks';
import { type DeliveryRecord, deliveryQueued, deliverySettled, isOfEndpoint } from '../../delivery/delivery.js';
import type { Clock } from '../../ports/clock.js';
import type { Announcement } from '../../ports/events.js';
import type { Logger } from '../../ports/logger.js';
import type { Database } from '../../ports/transaction.js';
import {
  BOUNDS_MS,
  type EndpointRecord,
  endpointRecords,
  type MarkRecord,
  markRecords,
  PLACES,
  SERIES,
  type SeriesName,
} from './endpoint-record.js';

/** Counts are stored this long after the first one that is not: a crash loses at most the counts of this time. */
const STORE_AFTER_MS = 60_000;
/** Above it, the endpoints that were called longest ago are deleted. One with calls at all times takes about 40 kB. */
const MAX_ENDPOINTS = 2_000;
const MAX_MARKS = 200;
const DAY_MS = SERIES.quarters.ms * SERIES.quarters.kept;
const NAMES = Object.keys(SERIES) as SeriesName[];

type Outcome = NonNullable<Announcement['outcome']>;
type Mark = NonNullable<Announcement['mark']>;

/** An endpoint in memory. */
interface Endpoint extends Omit<EndpointRecord, 'counts' | 'last_at'> {
  lastAt: number;
  failures_in_a_row: number;
  last_error?: NonNullable<EndpointRecord['last_error']>;
  /** Deliveries that wait for it or are being sent, as of its last event. */
  waiting: number;
  readonly counts: Readonly<Record<SeriesName, Map<number, number[]>>>;
  /** The counts of the newest time of each series, and the number of its ten seconds: most events are in the same one as the event before. */
  newest: readonly number[][];
  newestTime: number;
}

/** Calls that succeeded, and that failed. */
export interface Tally {
  readonly ok: number;
  readonly failed: number;
}

export interface EndpointHealth extends Omit<EndpointRecord, 'counts'> {
  readonly last_15_min: Tally;
  readonly last_24_h: Tally;
}

interface EndpointPorts {
  readonly store: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly version: string;
  /** How many deliveries to an endpoint are not settled. */
  readonly waiting: (endpoint: string) => number;
}

/**
 * Counts how calls to endpoints went, and how many deliveries waited for them, from the events that say so: in memory, so that a delivery costs
 * no write more, and stored every minute. The counts are those of the last five minutes by ten seconds, of the last hour by minute, and of the
 * last day by quarter of an hour, with a histogram of response times. It also keeps the marks of charts.
 */
export type Endpoints = ReturnType<typeof createEndpoints>;

export function createEndpoints({ store, clock, log, version, waiting }: EndpointPorts) {
  /** In the order of the last call. */
  const endpoints = new Map<string, Endpoint>();
  const marks = new Map<string, MarkRecord>();
  /** Endpoints and marks whose change or deletion is not stored. */
  const changed = new Set<string>();
  const changedMarks = new Set<string>();
  /** Runs work in the async context of the start: that of an admin call would make it part of the call. */
  let inStart: ((work: () => void) => void) | undefined;
  let isPlanned = false;
  let noted = 0;

  return {
    /** Reads what an earlier process has stored. */
    async start(): Promise<void> {
      for (const mark of await store.open(markRecords).list()) marks.set(mark.id, mark);
      for (const record of await store.open(endpointRecords).list()) {
        // Builds before the first release with counts had others.
        if (!record.counts) continue;
        const one = loaded(record);
        endpoints.set(one.endpoint, one);
        // After a crash the newest counts are missing.
        if (waiting(one.endpoint) !== one.waiting) sample(one, clock.now().getTime());
      }
      // Stored with the first counts: a process that does nothing writes nothing.
      note({ kind: 'start', text: `Started version ${version}` });
      inStart = AsyncLocalStorage.snapshot();
    },

    /** Stores what is not stored yet. */
    async stop(): Promise<void> {
      inStart = undefined;
      if (isPlanned) await save();
    },

    received({ name, payload, outcome, mark }: Announcement): void {
      if (outcome) count(outcome, clock.now().getTime());
      else if (name === deliveryQueued.name || name === deliverySettled.name) wait((payload as { delivery: DeliveryRecord }).delivery);
      if (!mark) return;
      note(mark);
      plan();
    },

    /** The endpoints that were called in the last day. */
    list(): EndpointHealth[] {
      const now = clock.now().getTime();
      return [...endpoints.values()].flatMap((one) => {
        const last_24_h = tallyOf(one.counts.quarters, SERIES.quarters.ms, { now, times: 96 });
        if (last_24_h.ok + last_24_h.failed === 0) return [];
        return [{ ...aboutOf(one), last_24_h, last_15_min: tallyOf(one.counts.minutes, SERIES.minutes.ms, { now, times: 15 }) }];
      });
    },

    /** The counts of all endpoints in memory. */
    counts: (): Iterable<Pick<Endpoint, 'endpoint' | 'number' | 'counts'>> => endpoints.values(),

    /** The marks of the last day, oldest first. */
    marks: (): Iterable<MarkRecord> => marks.values(),
  };

  function endpointOf(endpoint: string, number: string, lastAt: number): Endpoint {
    const known = endpoints.get(endpoint);
    if (known) return known;
    const counts = { tens: new Map(), minutes: new Map(), quarters: new Map() };
    const one: Endpoint = { endpoint, number, lastAt, failures_in_a_row: 0, waiting: 0, counts, newest: [], newestTime: 0 };
    endpoints.set(endpoint, one);
    if (endpoints.size > MAX_ENDPOINTS) forget(endpoints.keys().next().value!);
    return one;
  }

  function count({ endpoint: uuid, number, ok, ms, lane, code, status, delivery }: Outcome, now: number): void {
    const one = endpointOf(uuid, number, now);
    // It becomes the last in the order.
    endpoints.delete(uuid);
    endpoints.set(uuid, one);
    one.lastAt = now;
    one.failures_in_a_row = ok ? 0 : one.failures_in_a_row + 1;
    if (!ok) {
      const about = { ...(status !== undefined && { status }), ...(delivery !== undefined && { delivery }) };
      one.last_error = { at: new Date(now).toISOString(), code: code ?? 'failed', ...about };
    }
    sample(one, now);
    const place = ms === undefined ? undefined : PLACES.byTime + placeOf(ms);
    for (const counts of one.newest) {
      counts[ok ? PLACES.ok : PLACES.failed]!++;
      if (lane !== undefined) counts[PLACES[lane]]!++;
      if (place === undefined) continue;
      while (counts.length <= place) counts.push(0);
      counts[place]!++;
    }
  }

  /** A delivery was queued, or settled without success, so perhaps without an attempt. */
  function wait(delivery: DeliveryRecord): void {
    if (delivery.state === 'delivered' || !isOfEndpoint(delivery)) return;
    const now = clock.now().getTime();
    sample(endpointOf(delivery.webhook, delivery.number, now), now);
  }

  /** Notes how many deliveries wait now, in the counts of the current time of each series. */
  function sample(one: Endpoint, now: number): void {
    const before = one.waiting;
    one.waiting = waiting(one.endpoint);
    const time = Math.floor(now / SERIES.tens.ms);
    if (one.newestTime !== time) {
      one.newest = NAMES.map((name) => countsAt(one.counts[name], SERIES[name], { now, waiting: before }));
      one.newestTime = time;
    }
    for (const counts of one.newest) {
      if (counts[PLACES.most]! < one.waiting) counts[PLACES.most] = one.waiting;
      counts[PLACES.waiting] = one.waiting;
    }
    changed.add(one.endpoint);
    plan();
  }

  function note(mark: Mark): void {
    const at = clock.now().toISOString();
    // In order also within a millisecond.
    const id = `${at}/${String(++noted).padStart(6, '0')}/${mark.kind}`;
    marks.set(id, { id, at, ...mark });
    changedMarks.add(id);
    if (marks.size > MAX_MARKS) forgetMark(marks.keys().next().value!);
  }

  /** The next change that is stored is its deletion. */
  function forget(uuid: string): void {
    changed.add(uuid);
    endpoints.delete(uuid);
  }

  function forgetMark(id: string): void {
    changedMarks.add(id);
    marks.delete(id);
  }

  /** A timer only while something is not stored, so that an idle platform has none. */
  function plan(): void {
    if (isPlanned || !inStart) return;
    isPlanned = true;
    inStart(() => {
      clock.after(STORE_AFTER_MS, () =>
        clock.during(async () => {
          if (inStart) await save();
        }),
      );
    });
  }

  async function save(): Promise<void> {
    isPlanned = false;
    const oldest = clock.now().getTime() - DAY_MS;
    for (const [uuid, { counts }] of endpoints) if (newestOf(counts.quarters) * SERIES.quarters.ms < oldest) forget(uuid);
    for (const [id, { at }] of marks) if (Date.parse(at) < oldest) forgetMark(id);
    const written = [...changed];
    const writtenMarks = [...changedMarks];
    changed.clear();
    changedMarks.clear();
    try {
      await store.transaction((tx) => {
        // Each document has one tenant, and they are independent of each other.
        tx.acrossTenants?.();
        for (const uuid of written) {
          const one = endpoints.get(uuid);
          if (one) tx.in(endpointRecords).put(recordOf(one));
          else tx.in(endpointRecords).delete(uuid);
        }
        for (const id of writtenMarks) {
          const mark = marks.get(id);
          if (mark) tx.in(markRecords).put(mark);
          else tx.in(markRecords).delete(id);
        }
      });
    } catch (error) {
      for (const uuid of written) changed.add(uuid);
      for (const id of writtenMarks) changedMarks.add(id);
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

/** The counts of the current time of a series. If there are none, they are added, and those that are too old deleted. */
function countsAt(
  series: Map<number, number[]>,
  { ms, kept }: (typeof SERIES)[SeriesName],
  { now, waiting }: { readonly now: number; readonly waiting: number },
): number[] {
  const time = Math.floor(now / ms);
  const known = series.get(time);
  if (known) return known;
  const added = [0, 0, 0, 0, 0, waiting, waiting];
  series.set(time, added);
  for (const earlier of series.keys()) if (earlier <= time - kept) series.delete(earlier);
  return added;
}

const newestOf = (series: ReadonlyMap<number, unknown>): number => Math.max(...series.keys());

const aboutOf = ({ endpoint, number, lastAt, failures_in_a_row, last_error }: Endpoint): Omit<EndpointRecord, 'counts'> => ({
  ...{ endpoint, number, last_at: new Date(lastAt).toISOString(), failures_in_a_row, ...(last_error && { last_error }) },
});

const recordOf = (one: Endpoint): EndpointRecord => ({
  ...aboutOf(one),
  counts: {
    tens: Object.fromEntries(one.counts.tens),
    minutes: Object.fromEntries(one.counts.minutes),
    quarters: Object.fromEntries(one.counts.quarters),
  },
});

const seriesOf = (counts: Readonly<Record<string, readonly number[]>>): Map<number, number[]> =>
  new Map(Object.entries(counts).map(([time, of]) => [Number(time), [...of]]));

function loaded({ counts: { tens, minutes, quarters }, last_at, ...about }: EndpointRecord): Endpoint {
  const counts = { tens: seriesOf(tens), minutes: seriesOf(minutes), quarters: seriesOf(quarters) };
  const waiting = counts.quarters.get(newestOf(counts.quarters))?.[PLACES.waiting] ?? 0;
  return { ...about, lastAt: Date.parse(last_at), counts, waiting, newest: [], newestTime: 0 };
}
