import type { Inbound, Json, JsonObject } from '#core';
import { objectOf } from '#core/basics';

/** A file of a message, which Telegram names by its id. */
export interface RemoteFile {
  readonly id: string;
  readonly size: number;
  readonly mimeType?: string;
  readonly filename?: string;
}

/** A message in the platform's form; its file is not fetched yet. */
export interface ReadMessage {
  readonly type: string;
  readonly part: Json | undefined;
  readonly file?: RemoteFile;
}

const listOf = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.map((one) => objectOf(one as Json)) : []);
export const textOf = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);
const numberOf = (value: Json | undefined): number | undefined => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);

/** An id of Telegram as text: at most 52 significant bits. */
export const idOf = (value: Json | undefined): string | undefined => (Number.isSafeInteger(value) ? String(value) : undefined);

/** The id of a message on the platform: ids of Telegram count per chat. */
export const messageId = (chat: string, message: string): string => `${chat}:${message}`;

/** The person who wrote. The name is that of the profile, else the user name. */
export function contactOf(from: JsonObject, chat: string): Inbound['contact'] {
  const name = [textOf(from.first_name), textOf(from.last_name)].filter(Boolean).join(' ') || textOf(from.username);
  return { id: chat, ...(name !== undefined && { name }) };
}

/** Reads the content of a message; `unsupported` with the raw message for kinds that the platform does not have. */
export function readMessage(message: JsonObject): ReadMessage {
  const { text, caption } = message;
  if (typeof text === 'string') return { type: 'text', part: { body: withLinks(text, message.entities) } };
  const captioned = typeof caption === 'string' && caption !== '' ? { caption: withLinks(caption, message.caption_entities) } : {};
  const photo = listOf(message.photo).at(-1);
  if (photo) return fileOf('image', photo, captioned, 'image/jpeg');
  // An animation also fills `document`, and a venue fills `location`.
  if (message.animation) return fileOf('video', objectOf(message.animation), captioned, 'video/mp4');
  if (message.video) return fileOf('video', objectOf(message.video), captioned, 'video/mp4');
  if (message.video_note) return fileOf('video', objectOf(message.video_note), captioned, 'video/mp4');
  if (message.voice) return fileOf('voice', objectOf(message.voice), captioned, 'audio/ogg');
  if (message.audio) return fileOf('audio', objectOf(message.audio), captioned, 'audio/mpeg');
  if (message.sticker) return stickerOf(objectOf(message.sticker));
  if (message.document) return fileOf('document', objectOf(message.document), captioned);
  if (message.venue) return locationOf(objectOf(objectOf(message.venue).location), objectOf(message.venue));
  if (message.location) return locationOf(objectOf(message.location), {});
  if (message.contact) return { type: 'contacts', part: [cardOf(objectOf(message.contact))] };
  return unsupported(message);
}

/** Telegram lists the sizes of a photo in growing order. */
function fileOf(type: string, file: JsonObject, more: JsonObject, otherwise?: string): ReadMessage {
  const id = textOf(file.file_id);
  if (id === undefined) return { type, part: more };
  const mimeType = textOf(file.mime_type) ?? otherwise;
  const filename = textOf(file.file_name);
  return {
    type,
    part: more,
    file: {
      id,
      size: numberOf(file.file_size) ?? 0,
      ...(mimeType !== undefined && { mimeType }),
      ...(filename !== undefined && { filename }),
    },
  };
}

/** Animated stickers have formats that only Telegram plays: their picture is taken. */
function stickerOf(sticker: JsonObject): ReadMessage {
  const isMoving = sticker.is_animated === true || sticker.is_video === true;
  const emoji = textOf(sticker.emoji);
  const picture = isMoving ? objectOf(sticker.thumbnail ?? sticker.thumb) : sticker;
  return fileOf('sticker', picture, emoji === undefined ? {} : { caption: emoji }, 'image/webp');
}

function locationOf(place: JsonObject, { title, address }: JsonObject): ReadMessage {
  const [latitude, longitude] = [numberOf(place.latitude), numberOf(place.longitude)];
  if (latitude === undefined || longitude === undefined) return { type: 'unsupported', part: { location: place } };
  const named = { ...(typeof title === 'string' && { name: title }), ...(typeof address === 'string' && { address }) };
  return { type: 'location', part: { latitude, longitude, ...named } };
}

function cardOf({ phone_number, first_name, last_name, user_id }: JsonObject): JsonObject {
  const [first, last] = [textOf(first_name) ?? '', textOf(last_name)];
  const user = idOf(user_id);
  return {
    name: { formatted_name: [first, last].filter(Boolean).join(' '), first_name: first, ...(last !== undefined && { last_name: last }) },
    phones: [{ phone: textOf(phone_number) ?? '', type: 'CELL', ...(user !== undefined && { user_id: user }) }],
  };
}

const FRAME = new Set(['message_id', 'from', 'chat', 'date', 'reply_to_message', 'edit_date']);

const unsupported = (message: JsonObject): ReadMessage => ({
  type: 'unsupported',
  part: Object.fromEntries(Object.entries(message).filter(([name]) => !FRAME.has(name))),
});

/** Links that are hidden behind words are written out, or their addresses would be lost. Offsets are in UTF-16 units. */
function withLinks(text: string, entities: Json | undefined): string {
  let shown = text;
  for (const { type, offset, length, url } of listOf(entities).reverse()) {
    const [from, size] = [numberOf(offset), numberOf(length)];
    if (type !== 'text_link' || typeof url !== 'string' || from === undefined || size === undefined) continue;
    shown = `${shown.slice(0, from + size)} (${url})${shown.slice(from + size)}`;
  }
  return shown;
}
