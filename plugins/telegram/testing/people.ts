import { type Chats, quoted } from './chats.js';
import { shown } from './formatted-text.js';
import { type GivenFile, isMediaKind, type Media, type MediaKind } from './media.js';
import { userOf } from './messages.js';
import type { TelegramBot, TelegramCallbackQuery, TelegramMedia, TelegramMessage, TelegramPoll, TelegramUpdate } from './types.js';
import type { Updates } from './updates.js';

/** The text that a person writes, or the fields of a message. Files are given as bytes: `{ photo: { bytes }, caption: 'a shop' }`. */
export type Written = Readonly<Partial<Omit<TelegramMessage, keyof TelegramMedia | 'poll'>>> & {
  readonly [kind in MediaKind]?: GivenFile;
} & { readonly poll?: { readonly question: string; readonly options: readonly string[] } };

/** Where a person writes, and to what. */
export interface WriteOptions {
  /** The group. Default: the private chat with the bot. */
  readonly chat?: number;
  /** The id of the message that this one replies to. */
  readonly replyTo?: number;
}

/** The button that a person taps: its text, its place counted from 0, or data that the button need not have. */
export type Tapped = string | number | { readonly data: string };

/** A callback query, and the answer of the bot. */
export interface TelegramQuery {
  readonly query: TelegramCallbackQuery;
  /** Milliseconds of the clock. */
  readonly at: number;
  answer?: Readonly<Record<string, unknown>>;
}

/** Plays the people who write to the bot. */
export class People {
  readonly queries: TelegramQuery[] = [];
  readonly #bot: TelegramBot;
  readonly #chats: Chats;
  readonly #media: Media;
  readonly #updates: Updates;
  readonly #now: () => number;
  #albums = 0;
  #polls = 0;

  constructor(parts: { bot: TelegramBot; chats: Chats; media: Media; updates: Updates; now: () => number }) {
    this.#bot = parts.bot;
    this.#chats = parts.chats;
    this.#media = parts.media;
    this.#updates = parts.updates;
    this.#now = parts.now;
  }

  async write(from: number, written: string | Written, { chat: chatId = from, replyTo }: WriteOptions = {}): Promise<TelegramMessage> {
    const person = this.#chats.person(from);
    if (person.isBlocking) throw new Error(`person ${from} blocks the bot: unblock first`);
    if (chatId === from) person.hasStarted = true;
    else if (!this.#chats.group(chatId).isMember) throw new Error(`the bot is not in the group ${chatId}`);
    const chat = this.#chats.chat(chatId);
    const reply = replyTo === undefined ? undefined : this.#messageIn(chatId, replyTo);
    const message: TelegramMessage = {
      ...{ message_id: this.#chats.nextMessageId(chat), from: person.user, chat, date: this.#chats.date },
      ...(reply && { reply_to_message: quoted(reply) }),
      ...this.#content(typeof written === 'string' ? { text: written } : written),
    };
    await this.#updates.add('message', this.#chats.keep(message), chatId);
    return message;
  }

  /** Several files as one album. Each is a message, and an update, of its own. */
  async album(from: number, items: readonly Written[], options?: WriteOptions): Promise<TelegramMessage[]> {
    const media_group_id = String(1_300_000_000_000_001 + this.#albums++);
    const messages: TelegramMessage[] = [];
    for (const item of items) messages.push(await this.write(from, { ...item, media_group_id }, options));
    return messages;
  }

  /** A person changes an own message: the text, or the fields that are given. */
  async edit(from: number, messageId: number, written: string | Written, { chat = from }: Pick<WriteOptions, 'chat'> = {}) {
    const before = this.#messageIn(chat, messageId);
    if (before.from.id !== from) throw new Error(`message ${messageId} is not of person ${from}`);
    const content = this.#content(typeof written === 'string' ? { text: written } : written);
    const { entities: _, ...kept } = before;
    const edited = { ...(content.text === undefined ? before : kept), ...content, edit_date: this.#chats.date };
    await this.#updates.add('edited_message', edited, chat);
    return this.#chats.keep(edited);
  }

  /** A person taps a button below a message, or one that it had: with `data`, whatever the message shows. */
  async tap(from: number, messageId: number, tapped: Tapped, { chat: chatId = from, isOld = false } = {}): Promise<TelegramCallbackQuery> {
    const chat = this.#chats.chat(chatId);
    const query: TelegramCallbackQuery = {
      id: String(3_000_000_000_000_000_000n + BigInt(this.queries.length + 1)),
      from: this.#chats.person(from).user,
      message: isOld ? { chat, message_id: messageId, date: 0 } : this.#messageIn(chatId, messageId),
      chat_instance: String(-4_000_000_000_000_000_000n - BigInt(Math.abs(chatId))),
      data: typeof tapped === 'object' ? tapped.data : this.#dataOf(this.#messageIn(chatId, messageId), tapped),
    };
    this.queries.push({ query, at: this.#now() });
    await this.#updates.add('callback_query', query, chatId);
    return query;
  }

  /** A person taps a key below the input field: its text arrives, or the contact that it asks for. */
  async choose(from: number, text: string, { chat = from }: Pick<WriteOptions, 'chat'> = {}): Promise<TelegramMessage> {
    const keys = this.#chats.keyboards.get(chat)?.flat() ?? [];
    const key = keys.find((one) => one.text === text);
    if (!key) throw new Error(`chat ${chat} has no key ${text}; it has ${keys.map((one) => one.text).join(', ') || 'none'}`);
    if (!key.request_contact) return this.write(from, text, { chat });
    const { id, first_name } = this.#chats.person(from).user;
    return this.write(from, { contact: { phone_number: `1555${String(id).padStart(7, '0')}`, first_name, user_id: id } }, { chat });
  }

  /** A person blocks the bot, or takes that back. */
  async block(from: number, isBlocking: boolean): Promise<void> {
    const person = this.#chats.person(from);
    if (person.isBlocking === isBlocking) return;
    person.isBlocking = isBlocking;
    person.hasStarted = true;
    await this.#membership(from, from, isBlocking ? 'kicked' : 'member');
  }

  /** A person adds the bot to a group, or removes it. */
  async setMember(from: number, groupId: number, isMember: boolean): Promise<void> {
    const group = this.#chats.group(groupId);
    group.isMember = isMember;
    await this.#membership(from, groupId, isMember ? 'member' : 'kicked');
    if (isMember) await this.write(from, { new_chat_members: [userOf(this.#bot)] }, { chat: groupId });
  }

  /** A group becomes a supergroup with another id. */
  async migrate(from: number, groupId: number, to: number): Promise<void> {
    const group = this.#chats.group(groupId);
    if (group.chat.type !== 'group') throw new Error(`${groupId} is a supergroup already`);
    this.#chats.setGroup(to, group.chat.title, 'supergroup');
    group.migratedTo = to;
    await this.write(from, { migrate_to_chat_id: to }, { chat: groupId });
    await this.write(from, { migrate_from_chat_id: groupId }, { chat: to });
  }

  async #membership(from: number, chatId: number, status: 'member' | 'kicked'): Promise<void> {
    const user = userOf(this.#bot);
    const member = (is: 'member' | 'kicked' | 'left') => (is === 'kicked' ? { user, status: is, until_date: 0 } : { user, status: is });
    const before = status === 'kicked' ? 'member' : chatId > 0 ? 'kicked' : 'left';
    const change: TelegramUpdate['my_chat_member'] = {
      ...{ chat: this.#chats.chat(chatId), from: this.#chats.person(from).user, date: this.#chats.date },
      ...{ old_chat_member: member(before), new_chat_member: member(status) },
    };
    await this.#updates.add('my_chat_member', change, chatId);
  }

  #messageIn(chat: number, id: number): TelegramMessage {
    const message = this.#chats.message(chat, id);
    if (!message) throw new Error(`chat ${chat} has no message ${id}`);
    return message;
  }

  #dataOf({ reply_markup: markup, message_id: id }: TelegramMessage, tapped: string | number): string {
    const buttons = markup?.inline_keyboard.flat() ?? [];
    const button = typeof tapped === 'number' ? buttons[tapped] : buttons.find(({ text }) => text === tapped);
    if (!button) throw new Error(`message ${id} has no button ${tapped}; it has ${buttons.map(({ text }) => text).join(', ') || 'none'}`);
    if (!('callback_data' in button)) throw new Error(`the button ${button.text} opens a page: the bot receives nothing`);
    return button.callback_data;
  }

  /** The fields of a message as the bot receives them. */
  #content({ poll, venue, ...written }: Written): Partial<TelegramMessage> {
    const given = Object.entries(written);
    const files = given.filter(([name]) => isMediaKind(name)).map(([name, file]) => this.#media.add(name as MediaKind, file as GivenFile));
    const rest = Object.fromEntries(given.filter(([name]) => !isMediaKind(name))) as Partial<TelegramMessage>;
    const { text, entities, caption, caption_entities, ...others } = rest;
    const body = text === undefined ? undefined : shown({ text, entities: entities ?? [] });
    const below = caption === undefined ? undefined : shown({ text: caption, entities: caption_entities ?? [] });
    return {
      ...others,
      ...(body && { text: body.text, ...(body.entities.length > 0 && { entities: [...body.entities] }) }),
      ...(below && { caption: below.text, ...(below.entities.length > 0 && { caption_entities: [...below.entities] }) }),
      ...Object.assign({}, ...files),
      ...(venue && { venue, location: venue.location }),
      ...(poll && { poll: this.#poll(poll) }),
    };
  }

  #poll({ question, options }: NonNullable<Written['poll']>): TelegramPoll {
    return {
      ...{ id: String(5_000_000_000_000_000_000n + BigInt(++this.#polls)), question, total_voter_count: 0, type: 'regular' },
      options: options.map((text, index) => ({ persistent_id: String(index), text, voter_count: 0 })),
      ...{ is_closed: false, is_anonymous: true, allows_multiple_answers: false, allows_revoting: true, members_only: false },
    };
  }
}
