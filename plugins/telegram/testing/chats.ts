import type { Clock } from '#core/ports';
import { ApiError, badRequest } from './api-error.js';
import type { TelegramChat, TelegramMessage, TelegramUser } from './types.js';

/** The fields of a person that a test sets. */
export interface PersonSettings {
  readonly first_name?: string;
  readonly last_name?: string;
  readonly username?: string;
  readonly language_code?: string;
  /** The account was deleted: messages to it are refused. */
  readonly isDeactivated?: boolean;
}

interface Person {
  readonly user: TelegramUser;
  readonly isDeactivated: boolean;
  hasStarted: boolean;
  isBlocking: boolean;
}

interface Group {
  readonly chat: TelegramChat;
  isMember: boolean;
  migratedTo: number | undefined;
}

/** A key of a keyboard below the input field. */
export interface ReplyKey {
  readonly text: string;
  readonly request_contact?: boolean;
}

export type Keys = readonly (readonly ReplyKey[])[];

/** The people, groups and messages that the bot knows. People become known when they are first used. */
export class Chats {
  readonly #clock: Clock;
  readonly #people = new Map<number, Person>();
  readonly #groups = new Map<number, Group>();
  readonly #messages = new Map<number, Map<number, TelegramMessage>>();
  /** The keyboards below the input fields. */
  readonly keyboards = new Map<number, Keys>();
  /** Private chats and groups count together, and each supergroup by itself. */
  readonly #counts = new Map<number, number>();

  constructor(clock: Clock, firstMessageId = 1) {
    this.#clock = clock;
    this.#counts.set(0, firstMessageId - 1);
  }

  /** Unix seconds. */
  get date(): number {
    return Math.floor(this.#clock.now().getTime() / 1_000);
  }

  /** Describes a person: a new one, or further fields of a known one. */
  setPerson(id: number, settings: PersonSettings): TelegramUser {
    const { isDeactivated, ...fields } = settings;
    const known = this.#people.get(id);
    const user = { id, is_bot: false, first_name: `Person ${id}`, ...known?.user, ...fields };
    this.#people.set(id, {
      hasStarted: false,
      isBlocking: false,
      ...known,
      user,
      isDeactivated: isDeactivated ?? known?.isDeactivated ?? false,
    });
    return user;
  }

  person(id: number): Person {
    if (!this.#people.has(id)) this.setPerson(id, {});
    return this.#people.get(id)!;
  }

  setGroup(id: number, title: string, type: 'group' | 'supergroup'): Group {
    const group: Group = { chat: { id, type, title }, isMember: true, migratedTo: undefined };
    this.#groups.set(id, group);
    return group;
  }

  /** @throws Error for an unknown group */
  group(id: number): Group {
    const group = this.#groups.get(id);
    if (!group) throw new Error(`there is no group ${id}`);
    return group;
  }

  /** The chat with an id: that of a person, if it is positive. */
  chat(id: number): TelegramChat {
    if (id < 0) return this.group(id).chat;
    const { first_name, last_name, username } = this.person(id).user;
    return { id, type: 'private', first_name, ...(last_name !== undefined && { last_name }), ...(username !== undefined && { username }) };
  }

  /** The chat of a call, in which the bot may write. @throws ApiError */
  reachable(id: string): TelegramChat {
    if (id === '') throw badRequest('chat_id is empty');
    const [person, group] = [this.#people.get(Number(id)), this.#groups.get(Number(id))];
    if (person?.isDeactivated) throw new ApiError(403, 'Forbidden: user is deactivated');
    if (person?.isBlocking) throw new ApiError(403, 'Forbidden: bot was blocked by the user');
    if (person && !person.hasStarted) throw new ApiError(403, "Forbidden: bot can't initiate conversation with a user");
    if (group?.migratedTo !== undefined)
      throw new ApiError(400, 'Bad Request: group chat was upgraded to a supergroup chat', { migrate_to_chat_id: group.migratedTo });
    if (group && !group.isMember) throw new ApiError(403, `Forbidden: bot was kicked from the ${group.chat.type} chat`);
    if (!person && !group) throw badRequest('chat not found');
    return this.chat(Number(id));
  }

  nextMessageId({ id, type }: TelegramChat): number {
    const counter = type === 'supergroup' ? id : 0;
    const next = (this.#counts.get(counter) ?? 0) + 1;
    this.#counts.set(counter, next);
    return next;
  }

  keep(message: TelegramMessage): TelegramMessage {
    const messages = this.#messages.get(message.chat.id) ?? new Map<number, TelegramMessage>();
    this.#messages.set(message.chat.id, messages.set(message.message_id, message));
    return message;
  }

  message(chat: number, id: number): TelegramMessage | undefined {
    return this.#messages.get(chat)?.get(id);
  }
}

/** A message as another one quotes it. */
export function quoted(message: TelegramMessage): Omit<TelegramMessage, 'reply_to_message'> {
  const { reply_to_message: _, ...rest } = message;
  return rest;
}
