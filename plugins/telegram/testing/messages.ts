import { badRequest } from './api-error.js';
import type { Parameters } from './call.js';
import { type Chats, type Keys, quoted } from './chats.js';
import { checkedEntities, type FormattedText, shown } from './formatted-text.js';
import { parseHtml } from './html.js';
import { type Markup, markupOf } from './keyboards.js';
import { parseMarkdown } from './markdown.js';
import { type Media, type MediaKind, mediaKinds } from './media.js';
import type { FetchedFile } from './settings.js';
import type { TelegramBot, TelegramMedia, TelegramMessage } from './types.js';

/** A message of the bot. */
export interface TelegramSent {
  /** The method that sent it, such as `sendPhoto`. */
  readonly method: string;
  /** The message as it is shown now, after edits. */
  readonly message: TelegramMessage;
  /** Its file. */
  readonly bytes: Uint8Array | undefined;
  /** The keys that it put below the input field. */
  readonly keys: Keys | undefined;
}

const MAX_TEXT = 4_096;
const MAX_CAPTION = 1_024;
/** The fields of a media message that are taken over from the call. */
const ABOUT_MEDIA = ['duration', 'width', 'height', 'title', 'performer', 'emoji'] as const;

/** The messages of the bot: sent, and edited. */
export class Messages {
  /** In the order in which they were sent. */
  readonly sent: TelegramSent[] = [];
  readonly #bot: TelegramBot;
  readonly #chats: Chats;
  readonly #media: Media;
  readonly #fetch: (url: string) => Promise<FetchedFile>;

  constructor(parts: { bot: TelegramBot; chats: Chats; media: Media; fetch: (url: string) => Promise<FetchedFile> }) {
    this.#bot = parts.bot;
    this.#chats = parts.chats;
    this.#media = parts.media;
    this.#fetch = parts.fetch;
  }

  /** `sendMessage`. @throws ApiError */
  sendText(parameters: Parameters, isScheduled: boolean): TelegramMessage {
    const { text, entities } = formatted(parameters, 'text', 'entities', MAX_TEXT, 'message');
    if (text === '') throw badRequest('message text is empty');
    return this.#send('sendMessage', parameters, { text, ...(entities.length > 0 && { entities: [...entities] }) }, isScheduled);
  }

  /** `sendPhoto` and its like. @throws ApiError */
  async sendMedia(kind: MediaKind, method: string, parameters: Parameters, isScheduled: boolean): Promise<TelegramMessage> {
    const { text, entities } = formatted(parameters, 'caption', 'caption_entities', MAX_CAPTION, 'message caption');
    // Before the file, which can take long.
    this.#chats.reachable(parameters.text('chat_id'));
    const media = await this.#mediaIn(kind, parameters);
    const caption = { ...(text !== '' && { caption: text }), ...(entities.length > 0 && { caption_entities: [...entities] }) };
    return this.#send(method, parameters, { ...media, ...caption }, isScheduled);
  }

  /** `sendLocation`. @throws ApiError */
  sendLocation(parameters: Parameters, isScheduled: boolean): TelegramMessage {
    const [latitude, longitude] = ['latitude', 'longitude'].map((name) => Number(parameters.text(name) || Number.NaN)) as [number, number];
    if (Number.isNaN(latitude)) throw badRequest('latitude is empty');
    if (Number.isNaN(longitude)) throw badRequest('longitude is empty');
    if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) throw badRequest('wrong location specified');
    return this.#send('sendLocation', parameters, { location: { latitude, longitude } }, isScheduled);
  }

  /** `sendContact`. @throws ApiError */
  sendContact(parameters: Parameters, isScheduled: boolean): TelegramMessage {
    const [phone, first, last] = ['phone_number', 'first_name', 'last_name'].map((name) => parameters.text(name)) as [
      string,
      string,
      string,
    ];
    if (phone === '') throw badRequest('phone number is empty');
    if (first === '') throw badRequest('first name is empty');
    const contact = { phone_number: phone, first_name: first, ...(last !== '' && { last_name: last }) };
    return this.#send('sendContact', parameters, { contact }, isScheduled);
  }

  /** `editMessageText`. @throws ApiError */
  editText(parameters: Parameters): TelegramMessage {
    const { text, entities } = formatted(parameters, 'text', 'entities', MAX_TEXT, 'message');
    if (text === '') throw badRequest('message text is empty');
    const message = this.#own(parameters);
    if (message.text === undefined) throw badRequest('there is no text in the message to edit');
    const { text: _, entities: __, ...rest } = message;
    return this.#change(message, { ...rest, text, ...(entities.length > 0 && { entities: [...entities] }) }, markupOf(parameters));
  }

  /** `editMessageReplyMarkup`, which without buttons removes them. @throws ApiError */
  editMarkup(parameters: Parameters): TelegramMessage {
    const message = this.#own(parameters);
    return this.#change(message, message, markupOf(parameters));
  }

  #own(parameters: Parameters): TelegramMessage {
    const chat = this.#chats.reachable(parameters.text('chat_id'));
    const id = parameters.integer('message_id');
    if (id === undefined) throw badRequest('message identifier is not specified');
    const message = this.#chats.message(chat.id, id);
    if (!message) throw badRequest('message to edit not found');
    if (message.from.id !== this.#bot.id) throw badRequest("message can't be edited");
    return message;
  }

  #change(before: TelegramMessage, { reply_markup: _, edit_date: __, ...content }: TelegramMessage, markup: Markup): TelegramMessage {
    const after: TelegramMessage = { ...content, ...(markup.inline && { reply_markup: markup.inline }) };
    const { edit_date: ___, ...compared } = before;
    if (JSON.stringify(sorted(compared)) === JSON.stringify(sorted(after)))
      throw badRequest(
        'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
      );
    const edited = this.#chats.keep({ ...after, edit_date: this.#chats.date });
    const place = this.sent.findIndex(({ message }) => message === before);
    if (place !== -1) this.sent[place] = { ...this.sent[place]!, message: edited };
    return edited;
  }

  #send(method: string, parameters: Parameters, content: Partial<TelegramMessage>, isScheduled: boolean): TelegramMessage {
    const markup = markupOf(parameters);
    const chat = this.#chats.reachable(parameters.text('chat_id'));
    const reply = this.#replyOf(chat.id, parameters);
    const message: TelegramMessage = {
      message_id: isScheduled ? 0 : this.#chats.nextMessageId(chat),
      from: userOf(this.#bot),
      chat,
      date: this.#chats.date,
      ...(reply && { reply_to_message: quoted(reply) }),
      ...content,
      ...(markup.inline && { reply_markup: markup.inline }),
    };
    const { keys } = markup;
    if (keys === 'removed') this.#chats.keyboards.delete(chat.id);
    else if (keys) this.#chats.keyboards.set(chat.id, keys);
    this.#chats.keep(message);
    this.sent.push({ method, message, bytes: this.#media.bytesOf(message), keys: keys === 'removed' ? undefined : keys });
    return message;
  }

  #replyOf(chat: number, parameters: Parameters): TelegramMessage | undefined {
    const { message_id: given, allow_sending_without_reply: isOptional } = Object(
      parameters.json('reply_parameters', "can't parse reply parameters JSON object"),
    ) as Record<string, unknown>;
    const id = Number(given ?? parameters.integer('reply_to_message_id'));
    if (Number.isNaN(id)) return undefined;
    const found = this.#chats.message(chat, id);
    if (!found && isOptional !== true && !parameters.isTrue('allow_sending_without_reply'))
      throw badRequest('message to be replied not found');
    return found;
  }

  /** The file of a call: uploaded, with its id, or fetched from its address. */
  async #mediaIn(kind: MediaKind, parameters: Parameters): Promise<TelegramMedia> {
    const { maxBytes, maxFetchedBytes, mimeType } = mediaKinds[kind];
    const about = Object.fromEntries(
      ABOUT_MEDIA.filter((name) => parameters.all[name] !== undefined).map((name) => [
        name,
        parameters.integer(name) ?? parameters.text(name),
      ]),
    );
    const uploaded = parameters.file(kind);
    if (uploaded) {
      const { bytes, fileName, mimeType: type } = uploaded;
      if (bytes.length === 0) throw badRequest('file must be non-empty');
      if (bytes.length > maxBytes)
        throw badRequest(`file of size ${bytes.length} bytes is too big for a ${kind}; the maximum size is ${maxBytes} bytes`);
      return this.#media.add(kind, {
        ...about,
        bytes,
        file_name: fileName,
        mime_type: type.startsWith('application/octet') ? mimeType : type,
      });
    }
    const given = parameters.text(kind);
    if (given === '') throw badRequest(`there is no ${kind} in the request`);
    if (!/^[a-z]+:/i.test(given)) return this.#media.byId(kind, given);
    if (!/^https?:/i.test(given)) throw badRequest('wrong HTTP URL specified: unsupported URL protocol');
    // An address that cannot be reached is refused like one that does not answer well.
    const fetched = await this.#fetch(given).catch(() => undefined);
    if (fetched?.status !== 200) throw badRequest('failed to get HTTP URL content');
    if (fetched.mimeType.startsWith('text/html')) throw badRequest('wrong type of the web page content');
    if (fetched.bytes.length > maxFetchedBytes) throw badRequest('failed to get HTTP URL content');
    const name = new URL(given).pathname.split('/').at(-1)!;
    return this.#media.add(kind, { ...about, bytes: fetched.bytes, ...(name !== '' && { file_name: name }), mime_type: fetched.mimeType });
  }
}

/** The bot as the sender of a message. */
export const userOf = ({ id, first_name, username }: TelegramBot) => ({ id, is_bot: true, first_name, username });

/** A text of a call without its markup. @throws ApiError */
function formatted(parameters: Parameters, name: string, entitiesName: string, max: number, what: string): FormattedText {
  const source = parameters.text(name).replaceAll('\0', '');
  const result = shown(parsed(source, parameters, entitiesName));
  if (result.text.length > max) throw badRequest(`${what} is too long`);
  return result;
}

function parsed(source: string, parameters: Parameters, entitiesName: string): FormattedText {
  const mode = parameters.text('parse_mode').toLowerCase();
  if (mode === 'html') return parseHtml(source);
  if (mode === 'markdownv2') return parseMarkdown(source);
  if (mode !== '') throw badRequest('unsupported parse_mode');
  const entities = parameters.json(entitiesName, "can't parse entities JSON object");
  return { text: source, entities: entities === undefined ? [] : checkedEntities(source, entities) };
}

/** An object with its fields in a fixed order, so that two can be compared as texts. */
const sorted = (value: object): unknown => Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
