import { collection, type TypeOf } from '#core';
import type { ChunkedText, Recording } from '#core/areas';
import type { AiCallView, ConnectionView, cardSchema, SecretView, SessionView, skillSchema } from './schemas.js';

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

/** A journey that is to start for a contact at a moment. */
export interface PlannedStart {
  readonly uuid: string;
  readonly number: string;
  readonly contact: string;
  readonly journey: string;
  readonly due_at: string;
}

export const plannedStarts = collection<PlannedStart>({ key: 'uuid', indexes: { contact: ['contact', 'journey', 'due_at', 'uuid'] } });

/** That a number has a secret of a name. The value is where secrets are kept, and never leaves it but to where it is sent. */
export interface SecretName extends SecretView {
  readonly key: string;
  readonly number: string;
}

export const secretNames = collection<SecretName>({ key: 'key', unique: { name: ['number', 'name'] } });

/** Something that journeys of a number use and that is kept beside them. They call it by its uuid or its name. */
export interface AssetRecord {
  readonly uuid: string;
  readonly number: string;
  readonly name: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** How a collection of assets is indexed: names are unique within a number. */
const assetIndexes = { key: 'uuid', unique: { name: ['number', 'name'] } } as const;

/** A text with media that several journeys show. Texts are templates, evaluated where the card is shown. */
export type CardRecord = TypeOf<typeof cardSchema>;

export const cards = collection<CardRecord>({ ...assetIndexes });

/** Code that journeys call. */
export type SkillRecord = TypeOf<typeof skillSchema>;

export const skills = collection<SkillRecord>({ ...assetIndexes });

/** What a model answered to a request, for a connection that replays it. */
export interface RecordingRecord extends Recording {
  readonly id: string;
  readonly connection: string;
  readonly count: number;
}

export const recordings = collection<RecordingRecord>({ key: 'id', unique: { connection: ['connection', 'count'] } });

export type ConnectionRecord = ConnectionView & AssetRecord;

export const connections = collection<ConnectionRecord>({ ...assetIndexes });

/** A model was asked in a real conversation. What was said is in the conversation, not here. */
export type AiCallRecord = AiCallView & {
  /** Counts up within the number. */
  readonly count: number;
};

export const aiCalls = collection<AiCallRecord>({ key: 'uuid', unique: { count: ['number', 'count'] } });
