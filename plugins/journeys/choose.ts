import type { ContactRecord, JourneyRecord, MessageRecord, NumberRecord, PluginContext } from '#core';
import { textOf } from '#core';
import { prompts, type SessionRecord, sessions } from './sessions.js';

/** Where a conversation goes on, or that it starts. */
export type Way =
  | { readonly kind: 'resume'; readonly session: SessionRecord }
  | { readonly kind: 'restore'; readonly session: SessionRecord }
  | { readonly kind: 'start'; readonly journey: JourneyRecord; readonly revision: string };

/**
 * Which journey answers a message. One that waits for this contact comes first. After it has expired, a reply is linked
 * back only when it names the message it replies to (States, "Parked journey"); then it goes on as it stood when it asked.
 * Otherwise the first journey, oldest first, whose trigger the message fits.
 */
export async function choose(
  { store, messages, journeys, clock }: PluginContext,
  number: NumberRecord,
  contact: ContactRecord,
  message: MessageRecord,
): Promise<Way | undefined> {
  const parked = await store.open(sessions).getBy('parked', [number.uuid, contact.uuid]);
  if (parked?.expires_at && Date.parse(parked.expires_at) > clock.now().getTime()) return { kind: 'resume', session: parked };

  const asked = message.context && (await messages.known(number.uuid, 'outbound', message.context.id));
  const prompt = asked && (await store.open(prompts).get(asked.uuid));
  const ended = prompt && (await store.open(sessions).get(prompt.session));
  if (prompt && ended?.contact === contact.uuid) {
    return { kind: 'restore', session: { ...ended, revisions: prompt.revisions, data: prompt.data, turns: prompt.turns } };
  }

  for (const journey of await journeys.ofNumber(number.uuid)) {
    const revision = journey.revisions.production;
    if (journey.enabled && revision !== null && fits(journey, textOf(message))) return { kind: 'start', journey, revision };
  }
  return undefined;
}

const fits = ({ triggers }: JourneyRecord, text: string): boolean =>
  triggers.some(({ words }) => words === undefined || words.some((word) => fold(word) === fold(text)));

const fold = (text: string): string => text.trim().normalize('NFC').toLocaleLowerCase('en');
