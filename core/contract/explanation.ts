import { recordKindOf, recordKinds } from '../events/record-kinds.js';
import type { ContactRecord } from '../messaging/contact.js';
import type { ConversationRecord } from '../messaging/conversation.js';
import type { MessageRecord } from '../messaging/message.js';
import type { NumberRecord } from '../messaging/number.js';
import type { Logger } from '../ports/logger.js';
import { anyString, anyValue, array, boolean, named, nullable, object, oneOf, record, string, type TypeOf } from '../shape.js';

/**
 * `ok`: this step happened. `waiting`: it happens later. `broken`: it did not happen, and the steps after it depend on it. `unknown`: its
 * records are not available. `skipped`: it does not apply.
 */
export const linkStates = ['ok', 'waiting', 'broken', 'unknown', 'skipped'] as const;

export const recordIdSchema = named('RecordId', object({ kind: oneOf(...recordKinds), id: string() }));
/** A record that evidence refers to. A channel is a `number`. */
export type RecordId = TypeOf<typeof recordIdSchema>;

/** The records whose ids are values of evidence: its key ends with the kind, such as `other_journey`, or has a count, such as `webhook_2`. */
export function idsIn(evidence: Readonly<Record<string, string>>): RecordId[] {
  const found = Object.entries(evidence).flatMap(([key, id]) => {
    const kind = recordKindOf(key);
    return kind && id !== '' ? [{ kind, id }] : [];
  });
  return found.filter((one, i) => found.findIndex(({ kind, id }) => kind === one.kind && id === one.id) === i);
}

const step = {
  name: string().description('The kind of the step, such as `call`, `message`, `journey`, `webhook` or `delivery`.'),
  state: oneOf(...linkStates).description(
    '`ok`: the step happened. `waiting`: it happens later. `broken`: it did not happen. `unknown`: its records are not available. `skipped`: it does not apply.',
  ),
  summary: anyString().description('What happened, and why.'),
  at: nullable(string()).description('When it happened, or when it is due; null if that is unknown.'),
  evidence: record(anyString()).description(
    'Ids and values that show it. Keys that end with a kind of record have its id, such as `call`, `other_journey` and `webhook_2`.',
  ),
  fix: nullable(
    object(
      { action: string() },
      {
        command: string().description('A shell command that fixes it, or shows more.'),
        route: string().description('A call of the API that fixes it: method and path.'),
        body: record(anyValue()).description('The JSON body of the call of `route`, as far as it is known.'),
      },
    ),
  ).description('What to do about it; null if there is nothing to do.'),
};
const advice = array(object({ id: string(), name: string(), message: anyString(), fix: anyString() })).description(
  'Open advice on the records of a step that did not happen. It may have another cause than the step.',
);
const stepSchema = object(step, { advice });

/** A step as the admin API shows it. */
export const chainLinkSchema = named(
  'ChainLink',
  object(
    {
      ...step,
      ids: array(recordIdSchema).description('The records whose ids are in `evidence`.'),
      first: boolean().description('Whether this is the first broken step, or without one the first that waits.'),
    },
    { advice },
  ),
);
/** One step between what a contact or a client did and the outcome. */
export type ChainLink = TypeOf<typeof stepSchema>;

/** Explains what a plugin did with a message, for `GET /admin/v1/why`: `explain` with one of a contact, `explainSent` with one to a contact. */
export interface Explanation {
  /** The name of the explanation, unique on a platform. */
  readonly name: string;
  /**
   * Returns the steps of the plugin, in order; none if the plugin does not handle such messages. If the promise is rejected, the chain has
   * one step with the state `unknown` instead, and its other steps are unaffected.
   */
  explain(asked: AskedMessage): Promise<readonly ChainLink[]>;
  /** The same for a message to a contact: what keeps it from the network or connector, or what became of it there. */
  explainSent?(asked: AskedMessage): Promise<readonly ChainLink[]>;
}

/** The message to explain. */
export interface AskedMessage {
  readonly number: NumberRecord;
  readonly contact: ContactRecord;
  readonly conversation: ConversationRecord;
  readonly message: MessageRecord;
  /** A logger whose lines name the request. */
  readonly log: Logger;
}
