import { type Json, type JsonObject, type MessageRecord, NotFound, type Turn } from '#core';
import type { JourneysContext } from '../../../plugins/journeys/plugin.js';
import { expressionsOf, type Perform } from '../../../plugins/journeys/plugin.js';
import { messageText } from '../../../plugins/simulation/response/transcript.js';
import { mediaTypes, type SentMessage, type Settings } from '../format/index.js';
import type { JourneyUnderTest } from '../run/journey-under-test.js';
import { calledOnPlatform, readCalled } from './called-journeys.js';
import { PersonalData, type Replaced } from './personal-data.js';
import { type RecordedInput, type RecordedTest, recordTest } from './record-test.js';

export interface ConversationOptions {
  /** Whether personal data stays as it is. */
  readonly keepsPersonalData: boolean;
  readonly name: string | undefined;
  /** The published journey of a uuid, compiled. */
  readonly journeyOf: (uuid: string) => Promise<JourneyUnderTest>;
}

export interface RecordedConversation extends Omit<RecordedTest, 'same' | 'setFields'> {
  readonly journey: { readonly uuid: string; readonly name: string };
  readonly replaced: readonly Replaced[];
}

/** The newest messages that are read; a session with more is recorded from there. */
const MAX_MESSAGES = 1_000;
/** Fields that are left out one by one; each repeats the conversation once. */
const MAX_CANDIDATES = 10;
const LINK = 'https://example.com/';
const PLACE = [-33.92, 18.42] as const;
const MEDIA = new Set<string>(mediaTypes);

/** There is nothing to record. */
export class NothingToRecord extends Error {
  override readonly name = 'NothingToRecord';
}

/**
 * Records the last session of a journey in a conversation as a test.
 * @throws NothingToRecord when no journey has answered in the conversation; NotFound
 */
export async function recordConversation(
  context: JourneysContext,
  uuid: string,
  options: ConversationOptions,
): Promise<RecordedConversation> {
  const conversation = await context.conversations.require(uuid);
  const messages = (await context.conversations.newest(uuid, MAX_MESSAGES)).reverse();
  const last = messages.findLast((message) => message.direction === 'outbound' && message.journey)?.journey;
  if (!last) throw new NothingToRecord('no journey has answered in this conversation');
  const record = await context.journeys.get(last.uuid);
  if (!record) throw new NotFound('journey', last.uuid);
  const [journey, contact] = await Promise.all([options.journeyOf(last.uuid), context.contacts.require(conversation.contact)]);
  const turns = turnsOf(messages, last.session);
  const fields = readFields(journey, contact.fields as JsonObject);
  const personal = options.keepsPersonalData ? undefined : new PersonalData(contact.fields as JsonObject, [contact.address, contact.id]);
  const inputs = turns.map((turn): RecordedInput => inputOf(turn, personal));
  const clock = turns[0]!.at;
  const settings: Settings = { clock };
  const name = options.name ?? `conversation of ${clock.slice(0, 10)}`;
  // Code of skills runs, and its requests get answers like those of the journey: recording sends nothing.
  const platform = (perform: Perform): Perform => context.journeys.performer(conversation.number, { http: (effect) => perform(effect) });
  const journeyNamed = await readCalled(journey, calledOnPlatform(context, conversation.number, options.journeyOf));
  const repeat = (contact: JsonObject): Promise<RecordedTest> =>
    recordTest({ name, journey, settings: { ...settings, contact }, inputs, journeyNamed, platform });
  const best = await closest(repeat, personal ? personal.fields(fields) : fields);
  return {
    test: best.test,
    notes: best.notes,
    journey: { uuid: record.uuid, name: record.name },
    replaced: personal?.replaced ?? [],
  };
}

/**
 * The contact's fields at the beginning are not stored, only their present values. The journey may have set some of them in the
 * conversation, so it is repeated without those that it sets, together and one by one, and the version with the most recorded messages
 * is right.
 */
async function closest(repeat: (contact: JsonObject) => Promise<RecordedTest>, contact: JsonObject): Promise<RecordedTest> {
  let best = { recorded: await repeat(contact), contact };
  const tried = async (keys: ReadonlySet<string>): Promise<RecordedTest> => {
    const without = Object.fromEntries(Object.entries(best.contact).filter(([key]) => !keys.has(key)));
    const recorded = await repeat(without);
    if (recorded.same > best.recorded.same) best = { recorded, contact: without };
    return recorded;
  };
  const keys = Object.keys(contact);
  if (keys.length === 0) return best.recorded;
  const { setFields } = best.recorded;
  if (keys.some((key) => setFields.has(key))) await tried(setFields);
  // A journey that finds a field set may not set it again: without any fields, it shows what else it sets.
  const bare = await tried(new Set(keys));
  const candidates = keys.filter((key) => setFields.has(key) || bare.setFields.has(key)).slice(0, MAX_CANDIDATES);
  for (const key of candidates) if (Object.hasOwn(best.contact, key)) await tried(new Set([key]));
  return best.recorded;
}

/** A message of the contact, or the start without one, with the replies of the journey. */
interface RecordedTurn {
  readonly message: MessageRecord | undefined;
  /** ISO 8601. */
  readonly at: string;
  readonly afterMs: number;
  readonly replies: readonly MessageRecord[];
}

function turnsOf(messages: readonly MessageRecord[], session: string): RecordedTurn[] {
  const first = messages.findIndex(({ journey }) => journey?.session === session);
  const before = messages[first - 1];
  const begin = before?.direction === 'inbound' ? first - 1 : first;
  const turns: { message: MessageRecord | undefined; at: string; afterMs: number; replies: MessageRecord[] }[] = [];
  for (const message of messages.slice(begin)) {
    const previous = turns.at(-1);
    if (message.direction === 'inbound' || !previous) {
      const afterMs = previous ? Math.max(0, Date.parse(message.recorded_at) - Date.parse(previous.at)) : 0;
      turns.push({ message: message.direction === 'inbound' ? message : undefined, at: message.recorded_at, afterMs, replies: [] });
    }
    if (message.direction === 'outbound' && message.journey?.session === session) turns.at(-1)!.replies.push(message);
  }
  return turns;
}

function inputOf({ message, afterMs, replies }: RecordedTurn, personal: PersonalData | undefined): RecordedInput {
  const text = (written: string): string => personal?.text(written) ?? written;
  return {
    say: message && saidIn(message, personal),
    afterMs,
    replies: replies.map(({ type, content }) => text(messageText({ type, ...content } as unknown as Turn))),
  };
}

/** The content of the contact's message, without what identifies a person or a file. */
function saidIn({ type, content }: MessageRecord, personal: PersonalData | undefined): string | SentMessage {
  const text = (written: string): string => personal?.text(written) ?? written;
  const part = (content[type] ?? {}) as JsonObject;
  const reply = (part.button_reply ?? part.list_reply) as { title?: string } | undefined;
  // A label is a text of the journey, which may mention the contact.
  const label = reply?.title ?? (typeof part.body === 'string' ? undefined : part.text);
  if (typeof label === 'string') return personal?.ofContact(label) ?? label;
  if (typeof part.body === 'string') return text(part.body);
  if (type === 'location') {
    const { latitude = 0, longitude = 0 } = part;
    if (!personal) return { location: { latitude, longitude } };
    personal.fixed('location', PLACE.join(', '));
    return { location: { latitude: PLACE[0], longitude: PLACE[1] } };
  }
  if (MEDIA.has(type)) {
    const link = personal
      ? personal.fixed(`link of ${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`, `${LINK}${type}`)
      : typeof part.link === 'string'
        ? part.link
        : `${LINK}${type}`;
    const caption = typeof part.caption === 'string' ? text(part.caption) : undefined;
    return { [type]: caption === undefined ? link : { link, caption } } as SentMessage;
  }
  const form = part.nfm_reply as { response_json?: unknown; response?: unknown } | undefined;
  if (form) {
    const answers = typeof form.response_json === 'string' ? parsed(form.response_json) : form.response;
    if (typeof answers === 'object' && answers !== null) return { form: (personal?.value(answers as Json) ?? answers) as JsonObject };
  }
  const whole = { type, ...content } as JsonObject;
  return { message: (personal?.value(whole) ?? whole) as JsonObject };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The contact fields that the journey reads: a test with all fields would say nothing about what matters. */
function readFields({ container }: JourneyUnderTest, fields: JsonObject): JsonObject {
  const sources = expressionsOf(container)
    .map(({ source }) => source)
    .join('\n');
  const names = new Set([...sources.matchAll(/\bcontact\.([A-Za-z_]\w*)/g)].map(([, name]) => name!));
  return Object.fromEntries(Object.entries(fields).filter(([key, value]) => names.has(key) && value !== null));
}
