/** Objects of the Bot API, with the fields that the stand-in fills. */

export interface TelegramUser {
  id: number;
  is_bot: boolean;
  first_name: string;
  last_name?: string;
  username?: string;
  language_code?: string;
}

/** The bot in the result of `getMe`. */
export interface TelegramBot extends TelegramUser {
  is_bot: true;
  username: string;
  can_join_groups: boolean;
  can_read_all_group_messages: boolean;
  supports_inline_queries: boolean;
  can_connect_to_business: boolean;
  has_main_web_app: boolean;
  has_topics_enabled: boolean;
  allows_users_to_create_topics: boolean;
  can_manage_bots: boolean;
  supports_join_request_queries: boolean;
}

export type TelegramChat =
  | { id: number; type: 'private'; first_name: string; last_name?: string; username?: string }
  | { id: number; type: 'group' | 'supergroup'; title: string };

export const plainEntities = [
  ...(['bold', 'italic', 'underline', 'strikethrough', 'spoiler', 'code', 'blockquote', 'expandable_blockquote'] as const),
  ...(['mention', 'hashtag', 'cashtag', 'bot_command', 'url', 'email', 'phone_number'] as const),
] as const;

/** A part of a text. `offset` and `length` count UTF-16 units. */
export type TelegramEntity = { offset: number; length: number } & (
  | { type: (typeof plainEntities)[number] }
  | { type: 'pre'; language?: string }
  | { type: 'text_link'; url: string }
  | { type: 'text_mention'; user: TelegramUser }
  | { type: 'custom_emoji'; custom_emoji_id: string }
);

export interface TelegramFile {
  file_id: string;
  file_unique_id: string;
  file_size?: number;
  file_path?: string;
}

interface Medium extends Omit<TelegramFile, 'file_path'> {
  mime_type?: string;
  file_name?: string;
  thumbnail?: PhotoSize;
}

export interface PhotoSize extends Omit<TelegramFile, 'file_path'> {
  width: number;
  height: number;
}

type Moving = Medium & { width: number; height: number; duration: number };

export interface TelegramLocation {
  latitude: number;
  longitude: number;
  horizontal_accuracy?: number;
  live_period?: number;
}

/** The media of a message by the name of their field. */
export interface TelegramMedia {
  photo?: PhotoSize[];
  video?: Moving;
  animation?: Moving;
  audio?: Medium & { duration: number; title?: string; performer?: string };
  voice?: Medium & { duration: number };
  video_note?: Medium & { length: number; duration: number };
  document?: Medium;
  sticker?: Omit<Medium, 'mime_type' | 'file_name'> & {
    type: 'regular';
    width: number;
    height: number;
    is_animated: boolean;
    is_video: boolean;
    emoji?: string;
    set_name?: string;
  };
}

export type TelegramButton = { text: string } & ({ url: string } | { callback_data: string } | { web_app: { url: string } });

export interface TelegramKeyboard {
  inline_keyboard: TelegramButton[][];
}

export interface TelegramMessage extends TelegramMedia {
  message_id: number;
  from: TelegramUser;
  chat: TelegramChat;
  /** Unix seconds. */
  date: number;
  edit_date?: number;
  reply_to_message?: Omit<TelegramMessage, 'reply_to_message'>;
  media_group_id?: string;
  text?: string;
  entities?: TelegramEntity[];
  caption?: string;
  caption_entities?: TelegramEntity[];
  location?: TelegramLocation;
  venue?: { location: TelegramLocation; title: string; address: string };
  contact?: { phone_number: string; first_name: string; last_name?: string; user_id?: number; vcard?: string };
  poll?: TelegramPoll;
  dice?: { emoji: string; value: number };
  web_app_data?: { data: string; button_text: string };
  reply_markup?: TelegramKeyboard;
  new_chat_members?: TelegramUser[];
  migrate_to_chat_id?: number;
  migrate_from_chat_id?: number;
}

export interface TelegramPoll {
  id: string;
  question: string;
  options: { persistent_id: string; text: string; voter_count: number }[];
  total_voter_count: number;
  is_closed: boolean;
  is_anonymous: boolean;
  type: 'regular' | 'quiz';
  allows_multiple_answers: boolean;
  allows_revoting: boolean;
  members_only: boolean;
}

export interface TelegramCallbackQuery {
  id: string;
  from: TelegramUser;
  message?: TelegramMessage | { chat: TelegramChat; message_id: number; date: 0 };
  chat_instance: string;
  data?: string;
}

type Member = { user: TelegramUser } & ({ status: 'member' | 'left' } | { status: 'kicked'; until_date: number });

export interface TelegramMembership {
  chat: TelegramChat;
  from: TelegramUser;
  date: number;
  old_chat_member: Member;
  new_chat_member: Member;
}

/** An update, which has one of the optional fields. */
export interface TelegramUpdate {
  update_id: number;
  message?: TelegramMessage;
  edited_message?: TelegramMessage & { edit_date: number };
  callback_query?: TelegramCallbackQuery;
  my_chat_member?: TelegramMembership;
}

export interface TelegramWebhookInfo {
  url: string;
  has_custom_certificate: boolean;
  pending_update_count: number;
  last_error_date?: number;
  last_error_message?: string;
  max_connections?: number;
  allowed_updates?: string[];
}
