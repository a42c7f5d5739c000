import { type ChunkedText, collection, owned, type Recording, type TypeOf } from '#core';
import type { JourneyRecord, RevisionRecord } from './definitions/journey.js';
import type { AiCallView, ConnectionView, cardSchema, SecretView, SessionView, skillSchema } from './schemas.js';

export const journeyRecords = collection<JourneyRecord>({
  storedAs: 'core.journeys',
  key: 'uuid',
  tenant: { number: 'number' },
  indexes: { number: ['number', 'order'] },
  audited: ['name', 'enabled', 'triggers', 'revisions', 'deleted_at'],
});

/** A journey that an admin call names. */
export const ofJourney = owned.record(journeyRecords, 'journey');

export const revisions = collection<RevisionRecord>({
  storedAs: 'core.revisions',
  key: 'uuid',
  tenant: { by: ['journey', journeyRecords] },
  indexes: { journey: ['journey', 'count'] },
});

export type SessionRecord = SessionView & {
  /** The contact for whom the session waits; absent if it does not wait. At most one session waits per contact. */
  readonly parked_for?: string;
  /** The revisions whose definitions the next step needs. */
  readonly revisions: readonly string[];
  /** The session state as the engine returned it, opaque here; empty once the session has ended. */
  readonly data: ChunkedText;
  readonly data_bytes?: number;
  /** The messages to which the session waits for an answer. */
  readonly asked?: readonly string[];
  /** When the session ended; absent while it waits. */
  readonly over_at?: string;
  /** The contacts whose session it was before they were merged, the newest merge last. */
  readonly moved_from?: readonly string[];
};

export const sessions = collection<SessionRecord>({
  key: 'uuid',
  tenant: { number: 'number' },
  unique: { parked: ['number', 'parked_for'] },
  indexes: { contact: ['contact', 'created_at', 'uuid'], journey: ['journey', 'created_at', 'uuid'], over: ['over_at', 'uuid'] },
  cold: { after: 0 },
});

/** The state of a session when one of its messages asked the contact something. A late reply to that message, or a tap on it, resumes from here. */
export interface PromptRecord {
  readonly message: string;
  /** Missing in records of earlier releases. */
  readonly number?: string;
  readonly session: string;
  readonly journey: string;
  readonly revisions: readonly string[];
  /** Absent while the session is still in that state; `data` of the session applies then. */
  readonly data?: ChunkedText;
  readonly data_bytes?: number;
  readonly replies?: readonly string[];
  readonly created_at: string;
}

export const prompts = collection<PromptRecord>({
  key: 'message',
  tenant: { by: ['session', sessions] },
  indexes: { created: ['created_at', 'message'] },
  cold: { after: 0 },
});

export interface PlannedStart {
  readonly uuid: string;
  readonly number: string;
  readonly contact: string;
  readonly journey: string;
  readonly due_at: string;
  readonly moved_from?: readonly string[];
}

export const plannedStarts = collection<PlannedStart>({
  key: 'uuid',
  tenant: { number: 'number' },
  indexes: { contact: ['contact', 'journey', 'due_at', 'uuid'] },
});

/** The name of a number's secret. The value is stored in the platform's secrets only. */
export interface SecretName extends SecretView {
  readonly key: string;
  readonly number: string;
}

export const secretNames = collection<SecretName>({ key: 'key', tenant: { number: 'number' }, unique: { name: ['number', 'name'] } });

/** The common fields of content cards, code skills and AI connections. Journeys refer to them by uuid or name. */
export interface AssetRecord {
  readonly uuid: string;
  readonly number: string;
  readonly name: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Names of assets are unique within a number. */
const assetIndexes = { key: 'uuid', tenant: { number: 'number' }, unique: { name: ['number', 'name'] } } as const;

/** A text with media that several journeys send. The text is a template, evaluated where the card is used. */
export type CardRecord = TypeOf<typeof cardSchema>;

export const cards = collection<CardRecord>({ ...assetIndexes });

export type SkillRecord = TypeOf<typeof skillSchema>;

export const skills = collection<SkillRecord>({ ...assetIndexes });

export type ConnectionRecord = ConnectionView & AssetRecord;

export const connections = collection<ConnectionRecord>({ ...assetIndexes });

export interface RecordingRecord extends Recording {
  readonly id: string;
  readonly connection: string;
  readonly count: number;
  /** The uuids of the contacts in whose conversations it was made. Absent in records of 0.1.0, and if no turn has used it. */
  readonly contacts?: readonly string[];
}

export const recordings = collection<RecordingRecord>({
  key: 'id',
  tenant: { by: ['connection', connections] },
  unique: { connection: ['connection', 'count'] },
});

/** A model call in a real conversation. The log has no contents; those are in the conversation. */
export type AiCallRecord = AiCallView & {
  /** Sequence number of the call, per number. */
  readonly count: number;
};

export const aiCalls = collection<AiCallRecord>({
  key: 'uuid',
  tenant: { number: 'number' },
  unique: { count: ['number', 'count'] },
  cold: { after: 0 },
});

/**
 * The counts of a journey's sessions in a period of some hours. A key has parts between line breaks: `exit`, block and exit; or `asked`,
 * `unclear` or `left`, and card.
 */
export interface TrafficRecord {
  readonly key: string;
  readonly number: string;
  readonly journey: string;
  readonly from: string;
  readonly counts: Readonly<Record<string, number>>;
}

export const traffic = collection<TrafficRecord>({
  key: 'key',
  tenant: { number: 'number' },
  indexes: { journey: ['journey', 'from'] },
  cold: { after: 0 },
});
