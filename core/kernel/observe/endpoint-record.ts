import { collection } from '../../ports/store.js';

/** The upper bounds of the response times that are counted together, in milliseconds; the last count has the longer ones. */
export const BOUNDS_MS = [5, 10, 15, 25, 40, 60, 100, 150, 250, 400, 600, 1_000, 1_500, 2_500, 4_000, 6_000, 10_000] as const;

/** The calls of a time: those that succeeded, those that failed, and those with a response by response time. Without zeros at the end. */
export type Counts = readonly [ok: number, failed: number, ...byTime: number[]];

/** The series of counts: how long each of its times is, and how many are kept. */
export const SERIES = {
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
  /** Counts by the number of the minute, or quarter of an hour, since 1970. Times without calls have none. */
  readonly minutes: Readonly<Record<string, Counts>>;
  readonly quarters: Readonly<Record<string, Counts>>;
}

export const endpointRecords = collection<EndpointRecord>({ key: 'endpoint', tenant: { number: 'number' } });
