import { event } from '#core';
import type { TurnTrace } from './answering/turn-trace.js';
import type { SessionView } from './schemas.js';

/** The events that the plugin announces about turns of journeys. An event inside a turn is `JourneyEvent` of the engine. */

/** `message` is the one it answers; null when the wait timed out. */
export const turnTaken = event<
  { session: SessionView; message: string | null; events: readonly string[]; failure: string | null } & TurnTrace
>('journey.turn_taken', 'A journey took its turn in a conversation.');
export const noneFits = event<{ message: string; number: string; contact: string; conversation: string }>(
  'journey.none_fits',
  'No journey answers a message: none waits for the contact, and none starts with what it says.',
);
export const handedOver = event<{ number: string; contact: string; journey: string; session: string; queue: string | null; note: string }>(
  'journey.handed_over',
  'A journey handed a conversation over to people.',
);
export const sessionExpired = event<{ session: SessionView }>('journey.session_expired', 'A waiting journey was not answered in time.');
