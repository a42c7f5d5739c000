import type { Announcement } from '../../ports/events.js';
import { collection } from '../../ports/store.js';

/** The upper bounds of the response times that are counted together, in milliseconds; the last count has the longer ones. */
export const BOUNDS_MS = [5, 10, 15, 25, 40, 60, 100, 150, 250, 400, 600, 1_000, 1_500, 2_500, 4_000, 6_000, 10_000] as const;

/** The places of the numbers in `Counts`. From `byTime` on, each has the calls whose response time is up to the next of the bounds. */
export const PLACES = { ok: 0, failed: 1, high: 2, default: 3, low: 4, most: 5, waiting: 6, byTime: 7 } as const;

/**
 * The counts of a time: calls that succeeded and that failed, calls by lane, the maximum of waiting deliveries, how many wait since its last
 * event, and calls with a response by response time. Without zeros at the end.
 */
export type Counts = readonly number[];

/** The series of counts: how long each of its times is, and how many are kept. */
export const SERIES = {
  tens: { ms: 10_000, kept: 31 },
  minutes: { ms: 60_000, kept: 61 },
  quarters: { ms: 15 * 60_000, kept: 97 },
} as const;
export type SeriesName = keyof typeof SERIES;

/** How the calls to an endpoint went: to a webhook or an integration, or to the service of a number. It has no text and no id of a contact. */
export interface EndpointRecord {
  /** The uuid of the webhook, integration or number. */
  readonly endpoint: string;
  readonly number: string;
  readonly last_at: string;
  readonly failures_in_a_row: number;
  readonly last_error?: { readonly at: string; readonly code: string; readonly status?: number; readonly delivery?: string };
  /** By the number of the ten seconds, minute, or quarter of an hour, since 1970. Times without events have none. */
  readonly counts: Readonly<Record<SeriesName, Readonly<Record<string, Counts>>>>;
}

export const endpointRecords = collection<EndpointRecord>({ key: 'endpoint', tenant: { number: 'number' } });

/** Something that charts mark, because it may explain them. */
export interface MarkRecord extends NonNullable<Announcement['mark']> {
  readonly id: string;
  readonly at: string;
}

export const markRecords = collection<MarkRecord>({ key: 'id', tenant: { number: 'number' } });
