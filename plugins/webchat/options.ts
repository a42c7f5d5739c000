import Joi from 'joi';
import { array, boolean, object, record, string, stringUpTo } from '#core';

/** A web chat, as options and the admin API have it. */
export interface WebchatNumber {
  /** Its public key, in its address `webchat:<key>`; random if not given. A number of the options needs one, so that it stays the same. */
  readonly key?: string;
  /** The name that visitors see; `Chat` if not given. */
  readonly name?: string;
  /** Origins of the pages that may use it: `https://shop.example`, or all hosts below one: `https://*.shop.example`. */
  readonly origins?: readonly string[];
  /** The language of a page that has none of the languages in `texts`; `en` if not given. */
  readonly language?: string;
  /** Texts of the widget by language and key. */
  readonly texts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Colours of the widget by key, such as `accent`, as `#rgb` or `#rrggbb`. */
  readonly theme?: Readonly<Record<string, string>>;
  /** Whether visitors can send files; true if not given. */
  readonly upload?: boolean;
  /** Signs the ids of users of the website: at least 32 characters. Without it, all visitors are anonymous. */
  readonly identity_secret?: string;
  /** The secret before the current one, which is still accepted. */
  readonly previous_identity_secret?: string;
  /** Whether visitors whom the website does not identify are refused; false if not given. */
  readonly require_identity?: boolean;
}

/** Options of the plugin. */
export interface WebchatOptions {
  /** Web chats to connect at start, each with a `key`; others can be connected in the admin API, or with `posthorn channel add webchat`. */
  readonly numbers?: readonly (WebchatNumber & { readonly key: string })[];
  /** Sessions that visitors from one address may begin in a minute; 10 if not given. Behind a proxy, set `trustedProxies` of the platform. */
  readonly sessionsPerMinute?: number;
  /** Streams that visitors from one address may keep open; 60 if not given. */
  readonly streamsPerAddress?: number;
}

/** An origin as browsers send it, without a path; `*.` stands for one or more labels of a host. */
const ORIGIN = /^https?:\/\/(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/;
const COLOUR = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i;
const LANGUAGE = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;
const KEY = /^[A-Za-z0-9_-]{4,64}$/;
const SECRET_CHARACTERS = 32;

const secret = () => stringUpTo(256, SECRET_CHARACTERS);

export const numberSchema = object(
  {},
  {
    key: string().pattern(KEY, 'letters, digits, - and _'),
    name: stringUpTo(80).default('Chat'),
    origins: array(string().pattern(ORIGIN, 'the form of an origin, such as https://shop.example')).max(50).default([]),
    language: string().pattern(LANGUAGE, 'the form of a language, such as en or pt-BR').default('en'),
    texts: record(record(stringUpTo(500))).default({}),
    theme: record(string().pattern(COLOUR, 'the form of a colour, such as #0a6ebd')).default({}),
    upload: boolean().default(true),
    identity_secret: secret(),
    previous_identity_secret: secret(),
    require_identity: boolean().default(false),
  },
);

export const optionsSchema = Joi.object({
  numbers: Joi.array()
    .items(numberSchema.fork('key', (key) => key.required()))
    .unique('key')
    .default([]),
  sessionsPerMinute: Joi.number().integer().min(1).default(10),
  streamsPerAddress: Joi.number().integer().min(1).default(60),
});

/** The options with their defaults. */
export type Options = Required<WebchatOptions>;

/** The settings of a web chat as they are stored, without its secrets. */
export type WebchatSettings = Required<Omit<WebchatNumber, 'identity_secret' | 'previous_identity_secret'>> & {
  /** Whether it has an identity secret. */
  readonly identify: boolean;
};
