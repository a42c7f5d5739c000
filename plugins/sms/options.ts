import Joi from 'joi';
import { boolean, httpUrl, integer, number, object, oneOf, stringUpTo } from '#core';
import { chooseLines, inLanguage } from '#core/messaging';

export const gatewayNames = ['twilio', 'africas_talking'] as const;
/** A gateway that the plugin knows. */
export type GatewayName = (typeof gatewayNames)[number];

/** A number of a gateway, as options and the admin API have it. */
export interface SmsNumber {
  /** `twilio`, also for gateways with the same API, or `africas_talking`. */
  readonly gateway: GatewayName;
  /** The account: the SID of Twilio, the username of Africa's Talking. */
  readonly account: string;
  /** The auth token of Twilio, which also signs its callbacks; the API key of Africa's Talking. */
  readonly token: string;
  /** The number that contacts see, with `+` and country code; a short code; or a name of up to 11 characters, to which contacts cannot reply. */
  readonly sender: string;
  /** The SID of a messaging service of Twilio, which then chooses the number that a message is sent from. */
  readonly messaging_service?: string;
  /** The address of a compatible gateway. */
  readonly base_url?: string;
  /** Whether files are sent as MMS; `false` by default. Carriers of few countries have it. */
  readonly mms?: boolean;
  /** Replaces typographic characters if the text then fits the GSM alphabet, which is cheaper; `true` by default. */
  readonly plain_text?: boolean;
  /** A message of more segments is refused: 6 by default. */
  readonly max_segments?: number;
  /** Segments that are sent per second: 1 by default, as of a number of the USA. */
  readonly segments_per_second?: number;
  /** The language of texts for contacts whose field `language` has none of the plugin's: `en` by default. */
  readonly language?: string;
  /** Whether the gateway answers STOP itself, as Twilio does (the default with `twilio`). */
  readonly answers_stop?: boolean;
}

/** The texts that the plugin itself sends. */
export interface SmsTexts {
  /** The last line of a message with options. */
  readonly choose: string;
  /** The answer to STOP. */
  readonly stopped: string;
}

/** Options of the plugin. */
export interface SmsOptions {
  /** Numbers to connect at start; others can be connected in the admin API. */
  readonly numbers?: readonly SmsNumber[];
  /**
   * A request whose outcome is unknown, because the connection broke: `resend` it (the default), which can send the message twice, or `fail` it, which
   * can lose it.
   */
  readonly unknownOutcome?: 'resend' | 'fail';
  /** Texts by language, instead of the plugin's own or in further languages: `{ nl: { choose, stopped } }`. */
  readonly texts?: Readonly<Record<string, SmsTexts>>;
  /** Further words with which contacts opt out, besides those of English, German, French, Spanish and Portuguese. */
  readonly stopWords?: readonly string[];
}

/** The body of the admin route that connects a number. */
export const numberSchema = object(
  {
    gateway: oneOf(...gatewayNames),
    account: stringUpTo(100).pattern(/^[\w.-]+$/, 'the SID or name of an account'),
    token: stringUpTo(256),
    sender: stringUpTo(16).pattern(
      /^(\+[1-9]\d{6,14}|\d{3,8}|[A-Za-z0-9 ]{1,11})$/,
      'a number with + and country code, a short code, or a name',
    ),
  },
  {
    messaging_service: stringUpTo(34).pattern(/^MG\w+$/, 'the SID of a messaging service'),
    base_url: httpUrl(),
    mms: boolean().default(false),
    plain_text: boolean().default(true),
    max_segments: integer().min(1).max(100).default(6),
    segments_per_second: number().min(0.1).max(1_000).default(1),
    language: stringUpTo(16).default('en'),
    answers_stop: boolean(),
  },
);

/** The settings of a number as they are stored, without its token. */
export type SmsSettings = Omit<SmsNumber, 'token'> &
  Required<Pick<SmsNumber, 'mms' | 'plain_text' | 'max_segments' | 'segments_per_second' | 'language'>>;

const texts = Joi.object({ choose: Joi.string().max(100).required(), stopped: Joi.string().max(160).required() });

export const optionsSchema = Joi.object({
  numbers: Joi.array().items(numberSchema).unique('sender').default([]),
  unknownOutcome: Joi.valid('resend', 'fail').default('resend'),
  texts: Joi.object().pattern(Joi.string().min(2).max(16), texts).default({}),
  stopWords: Joi.array().items(Joi.string().max(40)).default([]),
});

/** The options with their defaults. */
export type Settings = Required<SmsOptions>;

const STOPPED = {
  en: 'You will receive no more messages from us. Reply START to receive them again.',
  de: 'Sie erhalten von uns keine Nachrichten mehr. Mit START erhalten Sie sie wieder.',
  fr: 'Vous ne recevrez plus nos messages. Répondez START pour les recevoir à nouveau.',
  es: 'No recibirá más mensajes nuestros. Responda START para recibirlos de nuevo.',
  pt: 'Não receberá mais mensagens nossas. Responda START para voltar a receber.',
};
/** In languages of the largest networks; others are options. */
const TEXTS = Object.fromEntries(
  Object.entries(STOPPED).map(([name, stopped]) => [name, { choose: inLanguage(chooseLines, [name]), stopped }]),
);

/** The texts in the first of these languages that has them. */
export const textsIn = (own: Settings['texts'], languages: readonly unknown[]): SmsTexts => inLanguage({ ...TEXTS, ...own }, languages);
