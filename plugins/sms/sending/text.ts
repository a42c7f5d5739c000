import { joinedTexts, numberedOptions, type TurnParts, writtenText } from '#core/messaging';
import type { SmsSettings } from '../options.js';
import { plainCharacters, type Segments, segmentsOf, splitParts } from './segments.js';

/** Characters of a message that gateways take (Twilio); longer texts are sent in several. */
const MAX_CHARACTERS = 1_600;

/** A message, and what it costs. */
export interface SmsText extends Pick<Segments, 'encoding' | 'segments'> {
  readonly text: string;
}

/**
 * The text of a message: options are numbered, in the order of `choices.byText`.
 * @param choose the line that tells the contact to reply with a number
 */
export function textOf(parts: TurnParts, choose: string): string {
  const { header, body, footer } = parts;
  return writtenText(joinedTexts([header, body, footer, numberedOptions(parts, choose)]));
}

/** The messages in which a text is sent. */
export function smsTexts(text: string, { plain_text: isPlain }: Pick<SmsSettings, 'plain_text'>): SmsText[] {
  const sent = isPlain ? plainCharacters(text) : text;
  return splitParts(sent, MAX_CHARACTERS).map((part) => {
    const { encoding, segments } = segmentsOf(part);
    return { text: part, encoding, segments };
  });
}
