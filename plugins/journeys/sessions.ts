import { anyText, collection, event, fields, nullable, oneOf, queue, type TypeOf, text, whole } from '#core';
import type { ChunkedText } from '#core/areas';
import type { TurnTrace } from './turn-trace.js';

/** A conversation with a journey, as the admin API shows it. */
export const sessionSchema = fields({
  uuid: text(),
  number: text(),
  contact: text(),
  journey: text(),
  state: oneOf('waiting', 'ended', 'failed', 'expired'),
  card: anyText(),
  turns: whole(),
  /** When it stops waiting for the contact; null unless it waits. */
  expires_at: nullable(text()),
  created_at: text(),
  updated_at: text(),
});
export type SessionView = TypeOf<typeof sessionSchema>;

export type SessionRecord = SessionView & {
  /** The contact it is parked for; absent unless it waits. One session waits per contact. */
  readonly parked_for?: string;
  /** What the next step needs definitions of. */
  readonly revisions: readonly string[];
  /** The session as the engine returned it, opaque here; empty when it is over. */
  readonly data: ChunkedText;
  /** What that takes; 0 when it is over. */
  readonly data_bytes?: number;
  /** The messages that asked what it waits for. */
  readonly asked?: readonly string[];
  /** Absent while it waits. */
  readonly over_at?: string;
};

/** Whether a session still waits for its contact: one whose time is up waits only until that is seen. */
export const isWaiting = (session: SessionRecord | undefined, now: Date): session is SessionRecord & { readonly expires_at: string } =>
  typeof session?.expires_at === 'string' && Date.parse(session.expires_at) > now.getTime();

export const sessions = collection<SessionRecord>({
  key: 'uuid',
  unique: { parked: ['number', 'parked_for'] },
  indexes: { contact: ['contact', 'created_at', 'uuid'], journey: ['journey', 'created_at', 'uuid'], over: ['over_at', 'uuid'] },
});

/** How a session stood when a message asked the contact something: a late reply to that message, or a tap on it, goes on from here. */
export interface PromptRecord {
  /** The message that asked. */
  readonly message: string;
  readonly session: string;
  readonly journey: string;
  readonly revisions: readonly string[];
  /** Absent while the session stands as it did then: its own data is the same. */
  readonly data?: ChunkedText;
  readonly data_bytes?: number;
  /** Ids of the buttons or rows it offered. */
  readonly replies?: readonly string[];
  readonly created_at: string;
}

export const prompts = collection<PromptRecord>({ key: 'message', indexes: { created: ['created_at', 'message'] } });

/** A message that a journey has to answer. */
export const answers = queue<{ message: string }>('journeys.answers');

/** A waiting session whose time is up, unless it has gone on meanwhile: then its number of turns has changed. */
export const timers = queue<{ session: string; turns: number; kind: 'expiry' | 'timeout' }>('journeys.timers');

/** `message` is the one it answers; null when nobody wrote in time. */
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

export function viewOf({
  parked_for: _parked,
  over_at: _over,
  revisions: _revisions,
  data: _data,
  data_bytes: _bytes,
  asked: _asked,
  ...view
}: SessionRecord): SessionView {
  return view;
}
