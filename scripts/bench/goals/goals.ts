// The speed that this project aims at. `npm run bench` measures all of it, and the page core/benchmarks.md has the history.

export type Unit = 'ratio' | 'KB' | 's' | 'files';

export interface Goal {
  readonly what: string;
  readonly unit: Unit;
  /** A limit that the figure must not miss: at least for rates and ratios to a floor, at most for costs. */
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** Twice 831/s, as it was until deliveries of one conversation shared transactions, at 4,750/s of the loop: its fastest rounds. */
const LANE = 0.35;

export const goals = {
  'files-message': { what: 'files that an inbound message runs, up to its last webhook', unit: 'files', atMost: 100 },
  'files-simulation': { what: 'files that a turn of a simulation runs', unit: 'files', atMost: 55 },
  'files-refusal': { what: 'files that a call without a valid token runs', unit: 'files', atMost: 20 },
  deliveries: { what: 'deliveries/s, of a bare loop of signed POSTs', unit: 'ratio', atLeast: 0.55 },
  'delivery-main': { what: 'main thread per delivery, of that loop', unit: 'ratio', atMost: 1.2 },
  lane: {
    what: 'deliveries/s of one webhook with one conversation, of a loop that sends one signed POST after the other',
    unit: 'ratio',
    atLeast: LANE,
  },
  'stack-bullmq': {
    what: 'deliveries per CPU-second of the whole stack, of BullMQ on Redis behind `node:http`',
    unit: 'ratio',
    atLeast: 1,
  },
  'stack-bullmq-hapi': {
    what: 'deliveries per CPU-second of the whole stack, of BullMQ on Redis behind a hapi route with a joi schema',
    unit: 'ratio',
    atLeast: 1.3,
  },
  'stack-pg-boss': { what: 'deliveries per CPU-second of the whole stack, of pg-boss on PostgreSQL', unit: 'ratio', atLeast: 3 },
  'stack-outpost': { what: 'deliveries per CPU-second of the whole stack, of Outpost', unit: 'ratio', atLeast: 3 },
  inbound: { what: 'inbound messages/s with a webhook, until all is delivered, of bare hapi', unit: 'ratio', atLeast: 0.65 },
  send: { what: 'sends/s with a webhook, until all is delivered, of bare hapi', unit: 'ratio', atLeast: 0.55 },
  mark: { what: 'marks as read/s, of bare hapi', unit: 'ratio', atLeast: 0.6 },
  allocated: { what: 'heap allocated per delivery', unit: 'KB', atMost: 20 },
  kept: { what: 'heap kept per message with one delivery', unit: 'KB', atMost: 2.5 },
  disk: { what: 'disk per message with one delivery of a 1 KB event', unit: 'KB', atMost: 2 },
  settled: { what: 'main thread per delivery with twice as many settled as are kept, of that with a tenth', unit: 'ratio', atMost: 1.1 },
  start: { what: 'start with 500,000 messages and 100,000 deliveries, with progress', unit: 's', atMost: 2.5 },
  'start-deliveries': { what: 'start with 100,000 messages, each with one delivery', unit: 's', atMost: 1.2 },
  merges: { what: 'bytes written by merges per byte of journal, at 500,000 messages', unit: 'ratio', atMost: 2 },
  writes: { what: 'durable writes/s of one writer, of SQLite with `synchronous = FULL`', unit: 'ratio', atLeast: 1 },
  'simulation-1': { what: 'simulation turns/s, 1 client, of the bare route', unit: 'ratio', atLeast: 0.6 },
  'simulation-16': { what: 'simulation turns/s, 16 clients, of the bare route', unit: 'ratio', atLeast: 0.6 },
  'simulation-256': { what: 'simulation turns/s, 256 clients, of the bare route', unit: 'ratio', atLeast: 0.6 },
  flow: { what: 'time to validate Flow JSON of 20 KB, of parsing it with jsonc-parser', unit: 'ratio', atMost: 1.2 },
  import: { what: 'CPU time to import the package with hapi and three plugins, of hapi alone', unit: 'ratio', atMost: 2 },
} satisfies Record<string, Goal>;

export type GoalName = keyof typeof goals;

/** A measured figure: the median, and the extremes of its rounds. */
export interface Figure {
  readonly value: number;
  readonly min?: number;
  readonly max?: number;
  /** The floor and the peers of the same run. */
  readonly beside?: string;
  /** The scale of the measurement, if it is smaller than that of the goal. */
  readonly at?: string;
  /** Why the goal is missed although the figure is within its limit. */
  readonly flaw?: string;
}

/** A figure, or the reason why there is none. */
export type Result = Figure | { readonly missing: string };

export type Verdict = 'reached' | 'not reached' | 'not measured';

export function verdictOf(goal: Goal, result: Result): Verdict {
  if ('missing' in result) return 'not measured';
  const { value, flaw } = result;
  const isWithin = value >= (goal.atLeast ?? Number.NEGATIVE_INFINITY) && value <= (goal.atMost ?? Number.POSITIVE_INFINITY);
  return isWithin && flaw === undefined ? 'reached' : 'not reached';
}

const digits: Readonly<Record<Unit, number>> = { ratio: 2, KB: 1, s: 1, files: 0 };

/** A figure with its unit: `0.55`, `24.8 KB`, `2.5 s`, `98 files`. */
export const written = (value: number, unit: Unit): string => `${value.toFixed(digits[unit])}${unit === 'ratio' ? '' : ` ${unit}`}`;

/** The limit of a goal: `at least 0.55`. */
export const limitOf = ({ unit, atLeast, atMost }: Goal): string =>
  atLeast === undefined ? `at most ${written(atMost!, unit)}` : `at least ${written(atLeast, unit)}`;
