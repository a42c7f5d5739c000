import {
  array,
  boolean,
  type Clock,
  Conflict,
  dateTime,
  definePlugin,
  event,
  integer,
  type ManualClock,
  number,
  object,
  oneOf,
  permit,
  route,
  string,
} from '#core';
import type { PendingTimer } from '#core/ports';
import { sandboxCauses } from '../causes.js';

/** The longest move in one call. */
const MAX_MOVE_S = 366 * 24 * 3600;
const MAX_TIMERS = 500;
const DEFAULT_TIMERS = 50;

const timerSchema = object(
  {
    /** When the clock reaches it. */
    at: string(),
    /** The kind of timer, such as `retry`, `session` or `media_link`. */
    kind: string(),
    title: string(),
  },
  { id: string() },
);

const reading = {
  /** `real`: follows the clock of the machine, at a distance. `manual`: is paused. */
  mode: oneOf('real', 'manual'),
  paused: boolean(),
  now: string(),
  /** Milliseconds by which this clock is ahead of the clock of the machine. */
  offset_ms: integer(),
  /** Work that becomes due, the next first. */
  timers: array(timerSchema),
};
const clockSchema = object(reading);
/** `reached`: the timers that were pending before the call, and have become due in it. */
const movedSchema = object({ ...reading, reached: array(timerSchema) });

const moves = object(
  {},
  {
    /** Seconds to advance. */
    advance: number().min(0).max(MAX_MOVE_S),
    /** The time to advance to. */
    set: dateTime(),
    /** Advance to the next timer. */
    next: boolean().valid(true),
    /** Stop the clock, or let it follow real time. */
    paused: boolean(),
  },
).xor('advance', 'set', 'next', 'paused');

export interface ClockChanged {
  readonly now: string;
  readonly paused: boolean;
  readonly by: 'advance' | 'set' | 'next' | 'pause' | 'resume';
}

const WORDS = { advance: 'advanced', set: 'advanced', next: 'advanced', pause: 'paused', resume: 'resumed' } as const;

export const clockChanged = event<ClockChanged>('clock.changed', 'The clock of the sandbox was advanced, paused or resumed.', {
  mark: ({ by }) => ({ kind: 'clock', text: `Clock ${WORDS[by]}` }),
});

interface ClockServices {
  /** The clock of the platform, if it can be moved. */
  readonly movable: ManualClock | undefined;
  /** Delayed jobs and retries, by due time. */
  readonly pendingTimers: (limit: number) => Promise<readonly PendingTimer[]>;
}

/** Shows and moves the clock of the platform. Without a movable clock, moves get 409. */
export const clockPlugin = ({ movable, pendingTimers }: ClockServices) =>
  definePlugin({
    name: 'clock',
    version: '0.1.0',
    permissions: {
      'clock.write': permit.both('Move the clock.'),
    },
    causes: sandboxCauses.clock,
    emits: [clockChanged],
    register: ({ clock, announce }) => {
      async function timers(limit: number): Promise<PendingTimer[]> {
        const labelled = movable?.labelled().map(({ at, label }) => ({ at, ...label })) ?? [];
        return [...labelled, ...(await pendingTimers(limit))].sort((a, b) => a.at.getTime() - b.at.getTime()).slice(0, limit);
      }

      const view = async (limit = DEFAULT_TIMERS) => ({ ...readingOf(clock, movable), timers: (await timers(limit)).map(shown) });

      async function move(by: ClockChanged['by'], how: (clock: ManualClock, pending: readonly PendingTimer[]) => Promise<void> | void) {
        if (!movable) throw new Conflict('real_clock', 'The clock of this platform cannot be moved');
        const pending = await timers(MAX_TIMERS);
        await how(movable, pending);
        const now = movable.now();
        announce(clockChanged, { now: now.toISOString(), paused: movable.isPaused, by });
        return { ...(await view()), reached: pending.filter(({ at }) => at <= now).map(shown) };
      }

      const advance = (seconds: number) => move('advance', (clock) => clock.advance(Math.round(seconds * 1000)));
      const set = (iso: string) => move('set', (clock) => advanceTo(clock, new Date(iso)));
      const next = () =>
        move('next', async (clock, [first]) => {
          if (!first) throw new Conflict('nothing_pending', 'Nothing is pending, so the clock has no next timer to advance to');
          // It may have become due meanwhile, if the clock follows real time.
          if (first.at > clock.now()) await advanceTo(clock, first.at);
        });
      const pace = (paused: boolean) => move(paused ? 'pause' : 'resume', (clock) => (paused ? clock.pause() : clock.resume()));

      return {
        admin: [
          route({
            method: 'GET',
            path: '/clock',
            permission: 'platform.read',
            shards: 'refused',
            summary: 'Shows the time of the sandbox, and what becomes due.',
            request: { query: object({}, { limit: integer().min(1).max(MAX_TIMERS) }) },
            responses: { 200: clockSchema },
            handler: ({ query: { limit } }) => view(limit),
          }),
          route({
            method: 'POST',
            path: '/clock',
            permission: 'clock.write',
            shards: 'refused',
            summary:
              'Moves the clock forward, pauses or resumes it. Takes one of `advance`, `set`, `next` and `paused`; responds when everything that became due has run.',
            request: { payload: moves },
            responses: { 200: movedSchema },
            handler: ({ payload: { advance: seconds, set: iso, paused } }) => {
              if (seconds !== undefined) return advance(seconds);
              if (iso !== undefined) return set(iso);
              return paused === undefined ? next() : pace(paused);
            },
          }),
          route({
            method: 'POST',
            path: '/clock/advance',
            permission: 'clock.write',
            shards: 'refused',
            summary: 'Advances the clock; responds when all timers that were due meanwhile have run.',
            request: { payload: object({ seconds: number().min(0).max(MAX_MOVE_S) }) },
            responses: { 200: movedSchema },
            handler: ({ payload: { seconds } }) => advance(seconds),
          }),
        ],
      };
    },
  })();

/** @throws Conflict for a time in the past */
async function advanceTo(clock: ManualClock, at: Date): Promise<void> {
  const now = clock.now();
  if (at < now) {
    const why = 'it never goes back, because stored records would then be in the future';
    throw new Conflict('clock_backwards', `The clock shows ${now.toISOString()} and ${why}. To go back, reset or import a state`);
  }
  if (at.getTime() - now.getTime() > MAX_MOVE_S * 1000)
    throw new Conflict('clock_too_far', `The clock shows ${now.toISOString()}; one call advances it by at most 366 days`);
  await clock.advanceTo(at);
}

function readingOf(clock: Clock, movable: ManualClock | undefined) {
  const now = clock.now();
  const paused = movable?.isPaused ?? false;
  const offset_ms = movable ? now.getTime() - Date.now() : 0;
  return { mode: paused ? ('manual' as const) : ('real' as const), paused, now: now.toISOString(), offset_ms };
}

const shown = ({ at, kind, id, title }: PendingTimer) => ({ at: at.toISOString(), kind, title, ...(id !== undefined && { id }) });
