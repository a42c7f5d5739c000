import { event } from '#core';
import type { TurnTrace } from './answering/turn-trace.js';
import type { SessionView } from './schemas.js';

// These are events of the plugin about whole turns. Events inside a turn are the engine's `JourneyEvent`.

/** `message` is the message that the turn answers; null when the wait timed out. */
export const turnTaken = event<
  { session: SessionView; message: string | null; events: readonly string[]; failure: string | null } & TurnTrace
>('journey.turn_taken', 'A journey committed a turn of a conversation.');
/** Emitted for a message that no session waits for and no trigger matches. */
export const noneFits = event<{ message: string; number: string; contact: string; conversation: string }>(
  'journey.none_fits',
  'No journey answers a message: no session waits for the contact, and no trigger matches.',
);
/** Emitted when a journey hands a conversation over to human agents. */
export const handedOver = event<{ number: string; contact: string; journey: string; session: string; queue: string | null; note: string }>(
  'journey.handed_over',
  'A journey handed a conversation over to human agents.',
);
/** Emitted when a wait ends without an answer. */
export const sessionExpired = event<{ session: SessionView }>(
  'journey.session_expired',
  'The wait of a journey expired without an answer.',
);
/** Emitted when a journey is created, deleted, published, enabled, disabled or renamed, and for each new draft. */
export const journeyChanged = event<{ journey: string; number: string; name: string }>(
  'journey.changed',
  'A journey was created or deleted, or its draft, revisions, name or state changed.',
);
