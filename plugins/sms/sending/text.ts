import type { RichText, TurnParts } from '#core/messaging';
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
export function textOf({ header, body, footer, sections }: TurnParts, choose: string): string {
  let n = 0;
  const options = sections.flatMap(({ title, options }) => [
    ...(title === '' ? [] : [title]),
    ...options.map((one) => `${++n} ${one.title}${one.description ? ` - ${one.description}` : ''}`),
  ]);
  const chosen = n > 0 ? [...options, choose].join('\n') : '';
  return [written(header), written(body), written(footer), chosen].filter((one) => one !== '').join('\n\n');
}

/** The messages in which a text is sent. */
export function smsTexts(text: string, { plain_text: isPlain }: Pick<SmsSettings, 'plain_text'>): SmsText[] {
  const sent = isPlain ? plainCharacters(text) : text;
  return splitParts(sent, MAX_CHARACTERS).map((part) => {
    const { encoding, segments } = segmentsOf(part);
    return { text: part, encoding, segments };
  });
}

/** A text whose links have their addresses behind the words. */
function written({ text, marks }: RichText): string {
  const links = marks.filter(({ type, url }) => type === 'link' && url !== undefined).sort((a, b) => b.offset - a.offset);
  return links.reduce((shown, { offset, length, url }) => {
    const [end, words] = [offset + length, text.slice(offset, offset + length)];
    return url!.replace(/^(mailto|tel):/, '') === words ? shown : `${shown.slice(0, end)} (${url})${shown.slice(end)}`;
  }, text);
}
