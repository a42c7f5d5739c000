import { type JsonObject, PlatformError } from '#core';
import { MEDIA_SCHEME, turnType } from '#core/messaging';
import type { Outbound } from '#core';
import { bold, joined, plainText, type RichText, richText, split } from './rich-text.js';

/** Characters of a text, and of a caption, after its entities are parsed (Bot API). */
const MAX_TEXT = 4096;
const MAX_CAPTION = 1024;
/** Bytes of a photo; a larger image is sent as a document. */
const MAX_PHOTO_BYTES = 10 * 1024 * 1024;
/** Titles that fit two on a line of a phone. */
const SHORT_TITLE = 20;

/** A file of a call: one of the platform by its id, or a foreign one by its link. */
export interface CallFile {
  /** The field of the call that has the file: `photo`, `document`. */
  readonly field: string;
  readonly id?: string;
  readonly link?: string;
  readonly filename?: string;
}

/** One call of the Bot API. A message can need several, which are sent one after the other. */
export interface BotCall {
  readonly method: string;
  readonly fields: JsonObject;
  readonly file?: CallFile;
}

/** A button or row that the contact can tap. */
export interface TapOption {
  readonly id: string;
  readonly title: string;
  readonly kind: 'button_reply' | 'list_reply';
  readonly description?: string;
}

/** The calls of a message, and the options that they offer. */
export interface Rendered {
  readonly calls: readonly BotCall[];
  readonly options: readonly TapOption[];
}

export type Turn = Outbound['turn'];

/** What is known of the file of a message, if it is one of the platform. */
export type AboutFile = { readonly mime_type: string; readonly size: number; readonly filename: string | null } | undefined;

interface Interactive {
  readonly type: string;
  readonly body: { readonly text: string };
  readonly header?: { readonly type: string; readonly text?: string; readonly [kind: string]: unknown };
  readonly footer?: { readonly text: string };
  readonly action: JsonObject;
}
interface FilePart {
  readonly link: string;
  readonly id?: string;
  readonly mime_type?: string;
  readonly caption?: string;
  readonly filename?: string;
}

/** How the options of a message are offered: `key` begins the data of buttons. */
export interface Keyboard {
  readonly key: string;
  readonly kind: 'inline' | 'reply';
}

/** A message cannot be shown on Telegram. */
export class NotShown extends PlatformError {
  constructor(message: string) {
    super(400, 'telegram_cannot_show', message);
  }
}

/**
 * Renders a message as calls of the Bot API.
 * @param template the text of a template with its parameters filled in
 * @throws NotShown for forms, and for templates that are not known here
 */
export function rendered(turn: Turn, { template, keyboard, about }: { template?: string | undefined; keyboard: Keyboard; about?: AboutFile }): Rendered {
  const type = turnType(turn);
  if (type === 'text') return texts(richText((turn as unknown as { text: { body: string } }).text.body));
  if (type === 'template') {
    if (template === undefined) throw new NotShown('The template is not known here, so its text cannot be sent on Telegram');
    return texts(plainText(template));
  }
  if (type === 'interactive') return interactive((turn as unknown as { interactive: Interactive }).interactive, keyboard, about);
  return { calls: file(type, (turn as unknown as Record<string, FilePart>)[type]!, about), options: [] };
}

function texts(text: RichText, markup?: JsonObject): Rendered {
  const parts = split(text, MAX_TEXT);
  const calls = (parts.length === 0 ? [plainText(' ')] : parts).map((part, i, all) => ({
    method: 'sendMessage',
    fields: {
      text: part.text,
      ...(part.entities.length > 0 && { entities: part.entities as unknown as JsonObject[] }),
      // The keyboard belongs to the last part, which is nearest to the contact's thumb.
      ...(markup && i === all.length - 1 && { reply_markup: markup }),
    },
  }));
  return { calls, options: [] };
}

function interactive({ type, body, header, footer, action }: Interactive, keyboard: Keyboard, about: AboutFile): Rendered {
  if (type === 'flow') throw new NotShown('Telegram has no forms: send the questions as a journey, or a link');
  const sections = type === 'list' ? (action.sections as unknown as { title?: string; rows: TapOption[] }[]) : [];
  const options: TapOption[] =
    type === 'list'
      ? sections.flatMap(({ rows }) => rows.map(({ id, title, description }) => ({ id, title, kind: 'list_reply' as const, ...(description && { description }) })))
      : (action.buttons as unknown as { reply: { id: string; title: string } }[]).map(({ reply }) => ({ ...reply, kind: 'button_reply' as const }));
  const isFile = header !== undefined && header.type !== 'text';
  const text = joined([
    header && !isFile ? bold(header.text ?? '') : plainText(''),
    richText(body.text),
    described(sections),
    plainText(footer?.text ?? ''),
  ]);
  const { calls } = texts(text, keyboardOf(options, keyboard));
  const before = isFile ? file(header.type, header[header.type] as FilePart, about) : [];
  return { calls: [...before, ...calls], options };
}

/** Buttons have no second line: what rows say besides their titles goes into the text. */
function described(sections: readonly { title?: string; rows: readonly TapOption[] }[]): RichText {
  if (!sections.some(({ title, rows }) => title || rows.some(({ description }) => description))) return plainText('');
  const parts = sections.map(({ title, rows }) =>
    joined([bold(title ?? ''), ...rows.map((row) => plainText(row.description ? `${row.title}: ${row.description}` : `${row.title}`))], '\n'),
  );
  return joined(parts);
}

function keyboardOf(options: readonly TapOption[], { key, kind }: Keyboard): JsonObject {
  const isNarrow = options.every((one) => one.kind === 'button_reply' && one.title.length <= SHORT_TITLE);
  const perLine = isNarrow ? 2 : 1;
  const buttons = options.map(({ title }, i) => ({ text: title || '…', ...(kind === 'inline' && { callback_data: `${key}.${i}` }) }));
  const lines = Array.from({ length: Math.ceil(buttons.length / perLine) }, (_, line) => buttons.slice(line * perLine, (line + 1) * perLine));
  return kind === 'inline' ? { inline_keyboard: lines } : { keyboard: lines, resize_keyboard: true, one_time_keyboard: true };
}

const METHODS: Readonly<Record<string, readonly [method: string, field: string]>> = {
  image: ['sendPhoto', 'photo'],
  video: ['sendVideo', 'video'],
  audio: ['sendAudio', 'audio'],
  document: ['sendDocument', 'document'],
  sticker: ['sendSticker', 'sticker'],
};
const VOICE = ['sendVoice', 'voice'] as const;
const DOCUMENT = METHODS.document!;

/** The file of the platform that a part of a message has, if it has one. */
const ownFile = ({ id, link }: { readonly id?: string | undefined; readonly link?: string | undefined }): string | undefined =>
  id ?? (link?.startsWith(MEDIA_SCHEME) ? link.slice(MEDIA_SCHEME.length) : undefined);

/** The file of the platform that a message has, if it has one: at most one, as its content or as its header. */
export function fileIn(turn: Turn): string | undefined {
  const part = (turn as unknown as Record<string, unknown>)[turnType(turn)] as FilePart & { readonly header?: Interactive['header'] };
  return ownFile(part.header ? (part.header[part.header.type] as FilePart) : part);
}

/** How Telegram shows a file: images that are no photos, and videos and sounds of other formats than it plays, are documents. */
function methodOf(type: string, mimeType: string, bytes: number): readonly [method: string, field: string] {
  if (type === 'image') return /^image\/(jpeg|png|webp)$/.test(mimeType) && bytes <= MAX_PHOTO_BYTES ? METHODS.image! : DOCUMENT;
  if (type === 'video') return mimeType === 'video/mp4' ? METHODS.video! : DOCUMENT;
  if (type === 'audio') {
    if (/^audio\/(ogg|opus)/.test(mimeType)) return VOICE;
    return /^audio\/(mpeg|mp3|mp4|x-m4a|aac)$/.test(mimeType) ? METHODS.audio! : DOCUMENT;
  }
  return METHODS[type] ?? DOCUMENT;
}

function file(type: string, { link, id, mime_type: given = '', caption = '', filename }: FilePart, about: AboutFile): BotCall[] {
  const own = ownFile({ id, link });
  const [method, field] = methodOf(type, about?.mime_type ?? given, about?.size ?? 0);
  const name = filename || about?.filename || undefined;
  const text = richText(caption);
  const isShort = text.text.length <= MAX_CAPTION && type !== 'sticker';
  const call: BotCall = {
    method,
    fields: isShort && text.text !== '' ? { caption: text.text, caption_entities: text.entities as unknown as JsonObject[] } : {},
    file: { field, ...(own === undefined ? { link } : { id: own }), ...(name !== undefined && { filename: name }) },
  };
  return isShort ? [call] : [call, ...texts(text).calls];
}
