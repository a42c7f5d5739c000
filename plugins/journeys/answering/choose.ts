import { type ChunkedText, type ContactRecord, type JsonObject, type MessageRecord, type NumberRecord, textOf } from '#core';
import type { Input } from '#core/basics';
import { inputOf, isInput } from '#core/messaging';
import { foldedWord, isAvailable, type JourneyRecord, type Trigger } from '../definitions/journey.js';
import { type PromptRecord, prompts, type SessionRecord, sessions } from '../records.js';
import type { JourneysContext } from '../service.js';
import { isWaiting } from '../sessions/session.js';
import { globalNames, knownFields } from '../starting/initial-names.js';

/** The session that runs the next turn of a conversation: a waiting or expired one, or a new one. */
export interface SelectedSession {
  readonly journey: JourneyRecord;
  /** `data` is null for a new session. */
  readonly session: Pick<SessionRecord, 'uuid' | 'revisions' | 'created_at' | 'moved_from'> & { readonly data: ChunkedText | null };
  /** The session that was parked for the contact when this one was selected, even if overdue. If that session changes, the selection is invalid. */
  readonly parked: SessionRecord | undefined;
}

/**
 * Chooses the session that answers a message. A session that waits for the contact comes first; a tap on a button of one of its
 * earlier questions resumes from that question. After it has expired, a reply resumes from a question only if `context.id` names
 * it (States, "Parked journey"). Otherwise the oldest journey with a matching trigger starts. Undefined if there is none.
 */
export async function choose(
  context: JourneysContext,
  number: NumberRecord,
  contact: ContactRecord,
  message: MessageRecord,
): Promise<SelectedSession | undefined> {
  if (!isInput(message)) return undefined;
  const { store, messages, journeys, ids, clock } = context;
  const parked = await store.open(sessions).getBy('parked', [number.uuid, contact.uuid]);
  const { id: repliesTo } = message.context ?? {};
  const question = repliesTo === undefined ? undefined : await messages.known(number.uuid, 'outbound', repliesTo);
  const prompt = question && (await store.open(prompts).get(question.uuid));
  if (isWaiting(parked, clock.now())) {
    const resumed =
      prompt?.session === parked.uuid && isTapOf(prompt, message) ? { revisions: prompt.revisions, data: prompt.data ?? parked.data } : {};
    return { journey: await journeys.require(parked.journey), session: { ...parked, ...resumed }, parked };
  }

  const ended = prompt && (await store.open(sessions).get(prompt.session));
  const journey = ended && (await journeys.require(ended.journey));
  if (ended?.contact === contact.uuid && journey && isAvailable(journey)) {
    return { journey, session: { ...ended, revisions: prompt.revisions, data: prompt.data ?? ended.data }, parked };
  }

  const started = await startedBy(context, number, contact, message);
  const revision = started?.revisions.production;
  if (!started || !revision) return undefined;
  const session = { uuid: ids.uuid(), revisions: [revision], created_at: clock.now().toISOString(), data: null };
  return { journey: started, session, parked };
}

/** The oldest journey with a trigger that matches the message; otherwise the oldest with a `catch_all` trigger. */
async function startedBy(
  context: JourneysContext,
  number: NumberRecord,
  contact: ContactRecord,
  message: MessageRecord,
): Promise<JourneyRecord | undefined> {
  const all = await context.journeys.ofNumber(number.uuid);
  return firstAccepted(context, candidatesOf(all, message, await isFirstFor(context, all, message)), number, contact, message);
}

/**
 * The triggers of available journeys that a message matches, in the order in which they are tried: those of the oldest journey first, and
 * `catch_all` triggers last. Conditions are not evaluated.
 */
export function candidatesOf(all: readonly JourneyRecord[], message: MessageRecord, isFirst: boolean): Candidate[] {
  const available = all.filter(isAvailable);
  const text = textOf(message);
  const fitting = (...kinds: readonly Trigger['on'][]): Candidate[] =>
    available.flatMap((journey) =>
      journey.triggers.filter((trigger) => kinds.includes(trigger.on) && hasWord(trigger, text)).map((trigger) => ({ journey, trigger })),
    );
  return [...fitting(...(isFirst ? DIRECT_OR_FIRST : DIRECT)), ...fitting('catch_all')];
}

const DIRECT: readonly Trigger['on'][] = ['message'];
const DIRECT_OR_FIRST: readonly Trigger['on'][] = ['message', 'first_message'];

/** Whether a message is the first of its contact. False without reading its conversation if no available journey asks. */
export const isFirstFor = async (context: JourneysContext, all: readonly JourneyRecord[], message: MessageRecord): Promise<boolean> =>
  all.some((journey) => isAvailable(journey) && journey.triggers.some(({ on }) => on === 'first_message')) &&
  (await isFirstOf(context, message));

const hasWord = ({ words }: Trigger, text: string): boolean => words?.some((word) => foldedWord(word) === foldedWord(text)) ?? true;

/** A journey with a trigger that the message matches. */
export interface Candidate {
  readonly journey: JourneyRecord;
  readonly trigger: Trigger;
}

/** The journey of the first candidate without a condition, or with one that is true. Conditions run together, on a worker thread. */
async function firstAccepted(
  context: JourneysContext,
  candidates: readonly Candidate[],
  number: NumberRecord,
  contact: ContactRecord,
  message: MessageRecord,
): Promise<JourneyRecord | undefined> {
  const unconditional = candidates.findIndex(({ trigger }) => trigger.when === undefined);
  const asked = unconditional < 0 ? candidates : candidates.slice(0, unconditional);
  const guards = asked.map(({ trigger }) => trigger.when!);
  const { first, warnings } =
    guards.length === 0 ? NONE_TRUE : await context.journeys.firstTrue(guards, await namesOf(context, number, contact, message));
  for (const { expression, reason } of warnings) {
    context.log.warn('the condition of a trigger has an error and counts as false', { expression, reason, number_id: number.uuid });
  }
  return first < 0 ? candidates[unconditional]?.journey : asked[first]!.journey;
}

const NONE_TRUE = { first: -1, warnings: [] };

/** The names that conditions of triggers can use: those of a session that the message starts. */
async function namesOf(
  context: JourneysContext,
  number: NumberRecord,
  contact: ContactRecord,
  message: MessageRecord,
): Promise<JsonObject> {
  const conversation = await context.conversations.ofContact(number.uuid, contact.uuid);
  const input = await inputWithParts(context, message);
  return { ...globalNames({ number, contact, conversation, input }), contact: knownFields(contact, conversation) };
}

/** The input of a journey for a message that may have further parts. */
export async function inputWithParts({ messages }: Pick<JourneysContext, 'messages'>, message: MessageRecord): Promise<Input> {
  const parts = await Promise.all((message.parts ?? []).map((uuid) => messages.get(uuid)));
  // A part can have expired or been erased since.
  return inputOf(
    message,
    parts.filter((part) => part !== undefined),
  );
}

async function isFirstOf({ conversations }: JourneysContext, message: MessageRecord): Promise<boolean> {
  const { first_inbound_at } = await conversations.require(message.conversation);
  if (first_inbound_at !== undefined && first_inbound_at < message.recorded_at) return false;
  // Messages recorded in the same millisecond are ordered by their position.
  const history = await conversations.newest(message.conversation, MAX_SAME_MILLISECOND);
  return !history.some(({ direction, position }) => direction === 'inbound' && position < message.position);
}

const MAX_SAME_MILLISECOND = 100;

const isTapOf = ({ replies = [] }: PromptRecord, message: MessageRecord): boolean => replies.includes(inputOf(message).reply?.id ?? '');

/** Whether a message arrived within a day after a session of its contact expired, without a `context.id` to resume from. */
export async function isLateReply(
  { store }: JourneysContext,
  message: MessageRecord,
  selected: SelectedSession | undefined,
): Promise<boolean> {
  if (message.context?.id !== undefined || !isInput(message) || selected?.session.data) return false;
  const found = await store.open(sessions).find('contact', { equals: [message.contact], order: 'descending', limit: 2 });
  const before = found.find(({ uuid }) => uuid !== selected?.session.uuid);
  return before?.state === 'expired' && Date.parse(before.updated_at) > Date.parse(message.recorded_at) - LATE_MS;
}

const LATE_MS = 24 * 60 * 60 * 1000;
