import { array, boolean, integer, type JsonObject, named, nullable, object, oneOf, string, stringUpTo, type TypeOf } from '#core';
import { wordKey } from '../engine/answers/words.js';

/**
 * A trigger starts a journey for incoming messages. `message`: any message, or one whose text is one of the words. `first_message`:
 * the contact's first message ever, optionally with one of the words. `catch_all`: a message that starts no other journey. `when` is
 * an expression over `contact` and `event` that must be true, too. A journey without triggers starts only by a call, a schedule or the
 * API.
 */
export const triggerSchema = named(
  'Trigger',
  object({ on: oneOf('message', 'first_message', 'catch_all') }, { words: array(string()).min(1), when: stringUpTo(65_536) }),
);
/** Starts a journey: on a message, the first message of a contact, or one that nothing else answers; by words, or by a condition. */
export type Trigger = TypeOf<typeof triggerSchema>;

/** A word of a trigger, or the text of a message, as they are compared: as people type words, with other quotes, spaces or punctuation. */
export const foldedWord = wordKey;

/** The record of a journey, without its definitions. */
export const journeySchema = named(
  'Journey',
  object({
    uuid: string(),
    number: string(),
    name: string(),
    enabled: boolean(),
    /** Increases within the number. When a message matches several journeys, the one with the lowest order starts. */
    order: integer(),
    triggers: array(triggerSchema),
    /** The revision that the next publication publishes. */
    draft: string(),
    revisions: object({ staging: nullable(string()), production: nullable(string()) }),
    deleted_at: nullable(string()),
    created_at: string(),
    updated_at: string(),
  }),
);

/** An automated conversation. Its definitions are revisions. */
export type JourneyRecord = TypeOf<typeof journeySchema>;

/** Whether messages can start a journey and other journeys can call it. False until it is published, also when recreated after deletion. */
export const isAvailable = ({ enabled, deleted_at, revisions }: JourneyRecord): boolean =>
  enabled && deleted_at === null && revisions.production !== null;

/** A definition. Revisions are immutable: a session continues on the revision that it started on. */
export interface RevisionRecord {
  readonly uuid: string;
  readonly journey: string;
  /** Increases within the journey. */
  readonly count: number;
  readonly created_at: string;
  /** The container that runs; empty for a notebook with errors, which cannot run. */
  readonly definition: JsonObject;
  /** The notebook that the definition was compiled from, exactly as it was put. */
  readonly notebook?: string;
  /**
   * Whether the answer of a contact that is a number is none of the texts of `isstring`. Revisions of release 0.1.0 lack it until they are
   * published again, so that journeys do not change without their author.
   */
  readonly reads_answers?: true;
  /** When it was last published as production. Absent in revisions that releases up to 0.2.0 published. */
  readonly published_at?: string;
}

/** An earlier revision that is published instead of the draft, and the draft that the caller has seen. */
export interface Republication {
  readonly of?: string | undefined;
  readonly replaces?: string | undefined;
}

/** The names under which a definition can be published. */
export const revisionNames = ['production', 'staging'] as const;
/** The name under which a definition is published. */
export type RevisionName = (typeof revisionNames)[number];
