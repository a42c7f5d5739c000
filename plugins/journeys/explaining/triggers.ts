import { type MessageRecord, textOf } from '#core';
import type { Candidate } from '../answering/choose.js';
import { foldedWord, isAvailable, type JourneyRecord, type Trigger } from '../definitions/journey.js';

const MAX_WORDS = 5;
const MAX_TEXT = 60;

/** How the triggers of a number were tried for a message. */
export interface Trial {
  readonly message: MessageRecord;
  /** The triggers that the message matches, in the order in which they are tried. */
  readonly candidates: readonly Candidate[];
  /** The journey that took the message, if one did, and whether a session of it had waited, so that no trigger was tried. */
  readonly taker?: { readonly journey: JourneyRecord; readonly wasParked: boolean } | undefined;
}

/** Journeys in the order in which their triggers are tried: the oldest first, then those that only have `catch_all` triggers. */
export function inOrderOfTrial(all: readonly JourneyRecord[]): JourneyRecord[] {
  const isLast = ({ triggers }: JourneyRecord): boolean => triggers.length > 0 && triggers.every(({ on }) => on === 'catch_all');
  return [...all.filter((journey) => !isLast(journey)), ...all.filter(isLast)];
}

/** The reason why a journey did not start, as a clause; the taker is another journey. */
export function whyNotStarted(journey: JourneyRecord, { message, candidates, taker }: Trial): string {
  if (journey.created_at > message.recorded_at) return 'it was created after the message';
  if (journey.revisions.production === null) return 'it is not published';
  if (!isAvailable(journey)) return 'it is disabled';
  if (journey.triggers.length === 0) return 'it has no trigger, so only the API, a schedule or another journey starts it';
  const own = candidates.findIndex((candidate) => candidate.journey.uuid === journey.uuid);
  if (own < 0) return journey.triggers.map((trigger) => mismatch(trigger, message)).join(', and ');
  if (taker?.wasParked) return `triggers are tried only when no session waits for the contact, and one of '${taker.journey.name}' did`;
  const taken = taker ? candidates.findIndex((candidate) => candidate.journey.uuid === taker.journey.uuid) : candidates.length;
  if (own > taken) {
    const isCatchAll = candidates[own]!.trigger.on === 'catch_all' && candidates[taken]?.trigger.on !== 'catch_all';
    return isCatchAll
      ? `catch_all starts only if no other trigger matches, and one of '${taker!.journey.name}' did`
      : `its trigger was not tried, because '${taker!.journey.name}' is older and took the message`;
  }
  const { when } = candidates[own]!.trigger;
  if (when === undefined) return 'it has changed since the message';
  const text = textOf(message);
  // Spaces that no reader sees are often the reason.
  const about = quoted(text) === `'${cut(text)}'` ? '' : `; the message is ${quoted(text)}`;
  return `the condition of its trigger was not true: ${cut(when)}${about}`;
}

function mismatch({ on, words }: Trigger, message: MessageRecord): string {
  const text = textOf(message);
  const listed = words && `${words.slice(0, MAX_WORDS).map(quoted).join(', ')}${words.length > MAX_WORDS ? ', …' : ''}`;
  const isOther = `the message ${quoted(text)} is not one of its words (${listed})`;
  if (on !== 'first_message') return isOther;
  return words && !words.some((word) => foldedWord(word) === foldedWord(text))
    ? `it starts with the first message of a contact, and ${isOther}`
    : 'it starts only with the first message of a contact';
}

/** A text in quotes that shows spaces at its ends, doubled spaces and invisible signs. */
export const quoted = (text: string): string =>
  `'${cut(text)
    .replace(/^ +| +$| {2,}/g, (spaces) => '␣'.repeat(spaces.length))
    .replaceAll('\n', '↵')
    .replace(/[^\P{C}\p{Cs}]|[^\P{Zs} ]/gu, (sign) => `‹U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}›`)}'`;

const cut = (text: string): string => (text.length > MAX_TEXT ? `${Array.from(text).slice(0, MAX_TEXT).join('')}…` : text);
