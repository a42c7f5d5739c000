import Joi from 'joi';
import { httpUrl, object, oneOf, stringUpTo } from '#core';
import { API_URL } from './bot-api.js';

/** A bot, as options and the admin API have it. */
export interface TelegramBot {
  /** The token that @BotFather shows. */
  readonly token: string;
  /**
   * How updates arrive: the platform asks for them (`polling`, the default), which needs no public address, or Telegram calls the platform
   * (`webhook`), for which the option `publicUrl` of the platform must be an https address that Telegram reaches.
   */
  readonly receive?: 'polling' | 'webhook';
  /** Options as buttons of the message (`inline`, the default), or in place of the keyboard of the phone (`reply`). */
  readonly buttons?: 'inline' | 'reply';
  /** The address of another server of the Bot API: `https://api.telegram.org` by default. */
  readonly api_url?: string;
}

/** Options of the plugin. */
export interface TelegramOptions {
  /** Bots to connect at start; others can be connected in the admin API, or with `posthorn channel add telegram`. */
  readonly bots?: readonly TelegramBot[];
  /** Messages that a bot sends per second, 30 by default. */
  readonly messagesPerSecond?: number;
  /**
   * A call whose outcome is unknown, because the connection broke: `resend` it (the default), which can show the message twice, or `fail` it, which can
   * lose it.
   */
  readonly unknownOutcome?: 'resend' | 'fail';
}

/** The body of the admin route that connects a bot. */
export const botSchema = object(
  { token: stringUpTo(256).pattern(/^\d{1,20}:[\w-]{10,200}$/, 'the form of a token of a bot: digits, a colon, letters') },
  {
    receive: oneOf('polling', 'webhook').default('polling'),
    buttons: oneOf('inline', 'reply').default('inline'),
    api_url: httpUrl().default(API_URL),
  },
);

export const optionsSchema = Joi.object({
  bots: Joi.array().items(botSchema).unique('token').default([]),
  messagesPerSecond: Joi.number().min(1).max(1_000).default(30),
  unknownOutcome: Joi.valid('resend', 'fail').default('resend'),
});

/** The options with their defaults. */
export type Settings = Required<TelegramOptions>;

/** The settings of a bot as they are stored, without its token. */
export interface BotSettings {
  readonly bot_id: string;
  readonly username: string;
  readonly receive: 'polling' | 'webhook';
  readonly buttons: 'inline' | 'reply';
  readonly api_url: string;
}
