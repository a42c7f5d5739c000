import { type Route, route } from '../contract/route.js';
import { visibleNumbers } from '../kernel/http/account-scope.js';
import { operatorOf } from '../kernel/http/operators.js';
import { BOUNDS_MS, type Counts, type MarkRecord, PLACES, SERIES } from '../kernel/observe/endpoint-record.js';
import type { Endpoints } from '../kernel/observe/endpoints.js';
import type { Numbers } from '../messaging/numbers.js';
import type { Clock } from '../ports/clock.js';
import { array, integer, named, nullable, object, oneOf, string } from '../shape.js';

const RANGES = {
  '5m': { series: 'tens', times: 30 },
  '1h': { series: 'minutes', times: 60 },
  '24h': { series: 'quarters', times: 96 },
} as const;
type Range = keyof typeof RANGES;

const { ok, failed, high, default: middle, low, most, waiting, byTime } = PLACES;

const trafficSchema = named(
  'EndpointTraffic',
  object({
    at: string().description('When this time begins. The last one has not ended.'),
    ok: integer(),
    failed: integer(),
    p50_ms: nullable(integer()).description(
      'Half of the calls with a response took up to this long, as a histogram tells: at most two thirds or 5 ms from the exact value, and at most 10 s.',
    ),
    p95_ms: nullable(integer()),
    p99_ms: nullable(integer()),
    waiting: integer().description(
      'The maximum of deliveries that waited or were being sent at the same time; for several endpoints, the sum of their maxima.',
    ),
    lanes: object({ high: integer(), default: integer(), low: integer() }).description('Attempts of deliveries by lane.'),
    marks: array(
      object({
        at: string(),
        kind: oneOf('start', 'pause', 'resume', 'fault', 'clock'),
        text: string(),
        endpoint: nullable(string()).description('The paused or resumed webhook; null for the whole platform.'),
      }),
    ),
  }),
);

interface TrafficPorts {
  readonly endpoints: Endpoints | undefined;
  readonly numbers: Pick<Numbers, 'list'>;
  readonly clock: Clock;
}

/** The calls to endpoints over time, for charts. */
export const trafficRoutes = ({ endpoints, numbers, clock }: TrafficPorts): Route[] => [
  route({
    method: 'GET',
    path: '/endpoints/traffic',
    permission: 'deliveries.read',
    accounts: 'filtered',
    // Of the same time, each shard has an entry: add the counts. The highest percentile is an upper bound of that of all.
    shards: { list: 'times', by: ['at'], order: 'ascending' },
    summary:
      'Shows the calls to endpoints over time: of one, of a number, or of all, in the last 5 minutes, hour (the default) or 24 hours. `marks` are starts, pauses, faults and moves of the clock. A crash loses the counts of at most a minute.',
    request: { query: object({}, { endpoint: string(), number: string(), range: oneOf('5m', '1h', '24h') }) },
    responses: {
      200: object({ seconds: integer().description('How long each time is.'), times: array(trafficSchema) }),
    },
    async handler({ query: { endpoint, number, range = '1h' }, request }) {
      const visible = new Set((await visibleNumbers(numbers, operatorOf(request))).map(({ uuid }) => uuid));
      const isWanted = (one: { readonly endpoint?: string; readonly number?: string }): boolean =>
        one.number !== undefined &&
        visible.has(one.number) &&
        (endpoint === undefined || one.endpoint === endpoint) &&
        (number === undefined || one.number === number);
      const { series, times } = RANGES[range as Range];
      const { ms } = SERIES[series];
      const first = Math.floor(clock.now().getTime() / ms) - times + 1;
      const sums = Array.from({ length: times }, () => Array<number>(byTime + BOUNDS_MS.length + 1).fill(0));
      for (const one of endpoints?.counts() ?? []) if (isWanted(one)) add(sums, one.counts[series], first);
      const marks: MarkRecord[][] = sums.map(() => []);
      for (const mark of endpoints?.marks() ?? [])
        if (mark.endpoint === undefined || isWanted(mark)) marks[Math.floor(Date.parse(mark.at) / ms) - first]?.push(mark);
      return { seconds: ms / 1_000, times: sums.map((sum, n) => shown(new Date((first + n) * ms), sum, marks[n]!)) };
    },
  }),
];

/** Adds the counts of an endpoint, without a callback for each count: 2,000 endpoints with calls all day take 40 ms. */
function add(sums: readonly number[][], series: ReadonlyMap<number, Counts>, first: number): void {
  let before = Number.NEGATIVE_INFINITY;
  for (const time of series.keys()) if (time < first && time > before) before = time;
  // It changes only with events, which each have a time.
  let waits = series.get(before)?.[waiting] ?? 0;
  for (let n = 0; n < sums.length; n++) {
    const sum = sums[n]!;
    const counts = series.get(first + n);
    if (counts) {
      for (let place = 0; place < counts.length; place++) sum[place]! += counts[place]!;
      waits = counts[waiting]!;
    } else sum[most]! += waits;
  }
}

function shown(at: Date, sum: Counts, marks: readonly MarkRecord[]) {
  return {
    at: at.toISOString(),
    ok: sum[ok]!,
    failed: sum[failed]!,
    p50_ms: percentileOf(sum, 0.5),
    p95_ms: percentileOf(sum, 0.95),
    p99_ms: percentileOf(sum, 0.99),
    waiting: sum[most]!,
    lanes: { high: sum[high]!, default: sum[middle]!, low: sum[low]! },
    marks: marks.map(({ at, kind, text, endpoint = null }) => ({ at, kind, text, endpoint })),
  };
}

/** The response time that a share of the calls did not exceed: between the bounds of the histogram between which the exact value is. */
function percentileOf(sum: Counts, share: number): number | null {
  const calls = sum.slice(byTime);
  const total = calls.reduce((all, count) => all + count, 0);
  if (total === 0) return null;
  let rest = Math.ceil(share * total);
  const place = calls.findIndex((count) => {
    if (count >= rest) return true;
    rest -= count;
    return false;
  });
  const lower = BOUNDS_MS[place - 1] ?? 0;
  const upper = BOUNDS_MS[place] ?? lower;
  return Math.round(lower + ((upper - lower) * rest) / calls[place]!);
}
