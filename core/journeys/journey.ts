import type { JsonObject } from '../json.js';
import { collection } from '../ports/store.js';
import { fields, flag, list, nullable, oneOf, type TypeOf, text, whole } from '../shape.js';

/**
 * What starts a journey by itself. `message`: any message, or one whose text is one of the words. `first_message`: the first
 * that a contact ever sends, of any text or one of the words. `catch_all`: a message that starts no other journey. Without a
 * trigger it starts only when it is called, planned, or started from outside.
 */
export const triggerSchema = fields({ on: oneOf('message', 'first_message', 'catch_all') }, { words: list(text()).min(1) });
/** What starts a journey. */
export type Trigger = TypeOf<typeof triggerSchema>;

/** A journey as it is kept, without its definitions. */
export const journeySchema = fields({
  uuid: text(),
  number: text(),
  name: text(),
  enabled: flag(),
  /** Counts up within the number: of two journeys that a message could start, the first answers. */
  order: whole(),
  triggers: list(triggerSchema),
  /** What a publication would publish; the revision it was published as last. */
  draft: text(),
  revisions: fields({ staging: nullable(text()), production: nullable(text()) }),
  deleted_at: nullable(text()),
  created_at: text(),
  updated_at: text(),
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
