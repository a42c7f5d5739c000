import { event } from '#core';
import type { TurnTrace } from './answering/turn-trace.js';
import type { SessionView } from './schemas.js';

// These are events of the plugin about whole turns. Events inside a turn are the engine's `JourneyEvent`.

/** The common part of the events about the start and the end of a session: uuids. */
export interface SessionEvent {
  readonly session: string;
  readonly journey: string;
  readonly number: string;
  readonly contact: string;
  /** Null for a contact without a conversation. */
  readonly conversation: string | null;
}

/** Emitted with the first turn of a session. `message` is the message that started it; null for a start without one, such as a scheduled start. */
export const journeyStarted = event<SessionEvent & { readonly message: string | null }>(
  'journey.started',
  'A journey started with a contact: the first turn of a session was committed.',
);
/**
 * Emitted when a session ends: `ended` after its last block, `failed` with the reason in `failure`, `expired` without an answer or because its
 * wait was cancelled. A late reply can resume a session, which then ends once more.
 */
export const journeyEnded = event<SessionEvent & { readonly how: 'ended' | 'failed' | 'expired'; readonly failure: string | null }>(
  'journey.ended',
  'A session of a journey ended, failed or expired.',
);
/** Emitted for each committed turn. `message` is the message that the turn answers; null when the wait timed out. */
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
