import type { JsonObject } from '../json.js';
import { collection } from '../ports/store.js';
import { array, boolean, integer, nullable, object, oneOf, string, type TypeOf } from '../shape.js';

/**
 * What starts a journey by itself. `message`: any message, or one whose text is one of the words. `first_message`: the first
 * that a contact ever sends, of any text or one of the words. `catch_all`: a message that starts no other journey. Without a
 * trigger it starts only when it is called, planned, or started from outside.
 */
export const triggerSchema = object({ on: oneOf('message', 'first_message', 'catch_all') }, { words: array(string()).min(1) });
/** What starts a journey. */
export type Trigger = TypeOf<typeof triggerSchema>;

/** A journey as it is kept, without its definitions. */
export const journeySchema = object({
  uuid: string(),
  number: string(),
  name: string(),
  enabled: boolean(),
  /** Counts up within the number: of two journeys that a message could start, the first answers. */
  order: integer(),
  triggers: array(triggerSchema),
  /** What a publication would publish; the revision it was published as last. */
  draft: string(),
  revisions: object({ staging: nullable(string()), production: nullable(string()) }),
  deleted_at: nullable(string()),
  created_at: string(),
  updated_at: string(),
});

/** An automated conversation. Its definition lives in revisions, which never change: a run stays on the one it started on. */
export type JourneyRecord = TypeOf<typeof journeySchema>;

export const journeyRecords = collection<JourneyRecord>({ key: 'uuid', indexes: { number: ['number', 'order'] } });

/** Whether messages start a journey and others can call it. One that was deleted and put back is a draft: nothing of it runs. */
export const isAvailable = ({ enabled, deleted_at, revisions }: JourneyRecord): boolean =>
  enabled && deleted_at === null && revisions.production !== null;

/** A published definition. It never changes: sessions stay on the one they began with. */
export interface RevisionRecord {
  readonly uuid: string;
  readonly journey: string;
  /** Counts up within the journey. */
  readonly count: number;
  readonly created_at: string;
  readonly definition: JsonObject;
}

export const revisions = collection<RevisionRecord>({ key: 'uuid', indexes: { journey: ['journey', 'count'] } });

/** The names under which a definition can be published. */
export const revisionNames = ['production', 'staging'] as const;
/** The name under which a definition is published. */
export type RevisionName = (typeof revisionNames)[number];
