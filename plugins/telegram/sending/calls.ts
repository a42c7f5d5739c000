import type { JsonObject } from '#core';
import {
  type Mark,
  type RichText,
  splitText,
  type TurnFile,
  type TurnOption,
  type TurnParts,
  textBesideButtons,
  withFormLink,
} from '#core/messaging';

/** Characters of a text, and of a caption, after its formats are taken out (Bot API). */
const MAX_TEXT = 4096;
const MAX_CAPTION = 1024;
/** Bytes of a photo; a larger image is sent as a document. */
const MAX_PHOTO_BYTES = 10 * 1024 * 1024;
/** Titles of which two fit on a line of a phone. */
const SHORT_TITLE = 20;

/** The file of a call: one of the platform by its id, or a foreign one by its link. */
export interface CallFile {
  /** The field of the call that has the file: `photo`, `document`. */
  readonly field: string;
  readonly id?: string | undefined;
  readonly link: string;
  readonly filename?: string | undefined;
}

/** One call of the Bot API. A message can need several, which are sent one after the other. */
export interface BotCall {
  readonly method: string;
  readonly fields: JsonObject;
  readonly file?: CallFile;
}

/** How the options of a message are offered: `key` begins the data of buttons. */
export interface Keyboard {
  readonly key: string;
  readonly kind: 'inline' | 'reply';
}

/** The metadata of a file of the platform, if the message has one. */
export type AboutFile = { readonly mime_type: string; readonly size: number; readonly filename: string | null } | undefined;

/** Telegram refuses a message whose button has another address. */
const BUTTON_URL = /^https:\/\/[^/:@]+\.[a-z]/i;

/** Renders a message as calls of the Bot API. @param link to the page with the form of the message */
export function callsOf(given: TurnParts, keyboard: Keyboard, about: AboutFile, link = ''): BotCall[] {
  const title = given.form?.flow_cta;
  const opening = given.form && BUTTON_URL.test(link) && typeof title === 'string' && title !== '' ? { text: title, url: link } : undefined;
  const parts = given.form && !opening ? withFormLink(given, link) : given;
  const { file, sections } = parts;
  const options = sections.flatMap((one) => one.options);
  const markup = opening ? { inline_keyboard: [[opening]] } : options.length > 0 ? markupOf(options, keyboard) : undefined;
  const text = textBesideButtons(parts);
  if (!file) return textCalls(text, markup);
  const isCaption = !markup && text.text.length <= MAX_CAPTION && file.kind !== 'sticker';
  const call = fileCall(file, about, isCaption ? text : undefined);
  return isCaption || text.text === '' ? [call] : [call, ...textCalls(text, markup)];
}

/** Formats as the Bot API has them. Unlike `parse_mode`, they cannot make it refuse a message. */
const ENTITIES: Readonly<Record<Mark['type'], string>> = {
  strong: 'bold',
  emphasis: 'italic',
  strike: 'strikethrough',
  code: 'code',
  pre: 'pre',
  link: 'text_link',
};

function formatted({ text, marks }: RichText, [name, list]: readonly [name: string, list: string]): JsonObject {
  const entities = marks.map(({ type, offset, length, url }) => ({
    type: ENTITIES[type],
    offset,
    length,
    ...(url !== undefined && { url }),
  }));
  return { [name]: text, ...(entities.length > 0 && { [list]: entities }) };
}

function textCalls(text: RichText, markup: JsonObject | undefined): BotCall[] {
  const parts = splitText(text, MAX_TEXT);
  return parts.map((part, i) => ({
    method: 'sendMessage',
    fields: {
      ...formatted(part, ['text', 'entities']),
      // The keyboard belongs to the last part, which is nearest to the contact's thumb.
      ...(markup && i === parts.length - 1 && { reply_markup: markup }),
    },
  }));
}

function markupOf(options: readonly TurnOption[], { key, kind }: Keyboard): JsonObject {
  const isNarrow = options.every((one) => one.kind === 'button_reply' && one.title.length <= SHORT_TITLE);
  const perLine = isNarrow ? 2 : 1;
  const buttons = options.map(({ title }, i) => ({ text: title || '…', ...(kind === 'inline' && { callback_data: `${key}.${i}` }) }));
  const lines = Array.from({ length: Math.ceil(buttons.length / perLine) }, (_, line) =>
    buttons.slice(line * perLine, (line + 1) * perLine),
  );
  return kind === 'inline' ? { inline_keyboard: lines } : { keyboard: lines, resize_keyboard: true, one_time_keyboard: true };
}

function fileCall({ kind, id, link, mime_type = '', filename }: TurnFile, about: AboutFile, caption: RichText | undefined): BotCall {
  const [method, field] = methodOf(kind, about?.mime_type ?? mime_type, about?.size ?? 0);
  const name = filename || about?.filename || undefined;
  const fields = caption && caption.text !== '' ? formatted(caption, ['caption', 'caption_entities']) : {};
  return { method, fields, file: { field, id, link, filename: name } };
}

const DOCUMENT = ['sendDocument', 'document'] as const;

/** How Telegram shows a file: images in other formats than those of photos, and videos and sounds of other formats than it plays, are documents. */
function methodOf(kind: string, mimeType: string, bytes: number): readonly [method: string, field: string] {
  if (kind === 'image' && /^image\/(jpeg|png|webp)$/.test(mimeType) && bytes <= MAX_PHOTO_BYTES) return ['sendPhoto', 'photo'];
  if (kind === 'video' && mimeType === 'video/mp4') return ['sendVideo', 'video'];
  if (kind === 'sticker') return ['sendSticker', 'sticker'];
  if (kind !== 'audio') return DOCUMENT;
  if (/^audio\/(ogg|opus)/.test(mimeType)) return ['sendVoice', 'voice'];
  return /^audio\/(mpeg|mp3|mp4|x-m4a|aac)$/.test(mimeType) ? ['sendAudio', 'audio'] : DOCUMENT;
}
