import type { StandInRule } from '../../plugins/cloud-api/testing/rules.js';

export const CONTACTS = 12;

interface Times {
  readonly deadlineMs: number;
  readonly unknownMs: number;
}
type Fault = (times: Times) => Omit<StandInRule, 'on' | 'times' | 'skip'>;

const AFTER_MS = 1_000;
const NOT_ON_NETWORK = 131026;

/** Faults of the stand-in during a send. */
export const FAULTS = {
  'reset before acceptance': () => ({ connection: 'reset' }),
  'reset after acceptance': () => ({ connection: 'reset after' }),
  'reset, and late statuses': (times) => ({ connection: 'reset after', statuses: lateStatuses(times) }),
  'no answer': () => ({ connection: 'silent' }),
  'two answers': () => ({ connection: 'answer twice' }),
  'late answer': ({ deadlineMs }) => ({ holdMs: deadlineMs / 3 }),
  'answer after the deadline': ({ deadlineMs }) => ({ holdMs: deadlineMs + AFTER_MS }),
  'answer after the deadline, and late statuses': (times) => ({ holdMs: times.deadlineMs + AFTER_MS, statuses: lateStatuses(times) }),
  'temporary error': () => ({ error: 131000 }),
  'busy gateway': () => ({ respond: { status: 503, body: '<html>busy</html>' } }),
  'permanent error': () => ({ error: NOT_ON_NETWORK }),
  'failed status': () => ({ statuses: [{ status: 'failed', afterMs: 100, error: NOT_ON_NETWORK }] }),
} satisfies Record<string, Fault>;
export type FaultName = keyof typeof FAULTS;

/** Statuses that come when the message has been sent again. */
const lateStatuses = ({ deadlineMs, unknownMs }: Times): NonNullable<StandInRule['statuses']> => {
  const afterMs = deadlineMs + unknownMs + 2 * AFTER_MS;
  return [
    { status: 'sent', afterMs },
    { status: 'delivered', afterMs: afterMs + 100 },
  ];
};

/** The faults after which the platform cannot know whether the network has accepted the message. */
export const UNKNOWN: ReadonlySet<string> = new Set<FaultName>([
  'reset before acceptance',
  'reset after acceptance',
  'reset, and late statuses',
  'no answer',
  'late answer',
  'answer after the deadline',
  'answer after the deadline, and late statuses',
]);
/** The faults that make a message fail. */
export const FAILING: ReadonlySet<string> = new Set<FaultName>(['permanent error', 'failed status']);
