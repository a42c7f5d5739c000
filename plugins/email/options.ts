import Joi from 'joi';
import { array, boolean, integer, number, object, oneOf, stringUpTo } from '#core';
import { chooseLines, inLanguage } from '#core/messaging';

const securities = ['tls', 'starttls', 'none'] as const;
/** How a connection is encrypted: from the first byte, after STARTTLS, or not at all. */
export type Security = (typeof securities)[number];

/** A number that is an e-mail address, as options and the admin API have it. */
export interface EmailNumber {
  /** The address that contacts see. */
  readonly address: string;
  /** The name beside it. */
  readonly name?: string;
  /** The server that takes mails to send. */
  readonly smtp_host: string;
  /** 587 by default. */
  readonly smtp_port?: number;
  /** `starttls` by default. */
  readonly smtp_security?: Security;
  /** The account at the servers: the address by default. */
  readonly username?: string;
  /** Its password. Without one, mails are sent without a login. */
  readonly password?: string;
  /** How mails arrive: from a mailbox (`imap`), at the listener of the plugin (`smtp`), or not at all (`none`, the default). */
  readonly receive?: 'imap' | 'smtp' | 'none';
  /** The server of the mailbox: `smtp_host` by default. */
  readonly imap_host?: string;
  /** 993 by default. */
  readonly imap_port?: number;
  /** `tls` by default. */
  readonly imap_security?: Security;
  /** `INBOX` by default. */
  readonly imap_mailbox?: string;
  /** The account at the server of the mailbox, if it is another one. */
  readonly imap_username?: string;
  readonly imap_password?: string;
  /** Further addresses of the number, at which it receives. */
  readonly aliases?: readonly string[];
  /** Whether replies and reports go to `name+key@…`, so that they find their message: `false` by default. The server must know such addresses. */
  readonly plus_addresses?: boolean;
  /** The subject of a mail that answers none: the name or address of the number by default. */
  readonly subject?: string;
  /** The language of texts for contacts whose field `language` has none of the plugin's: `en` by default. */
  readonly language?: string;
  /** Mails that are sent per second: 1 by default. */
  readonly mails_per_second?: number;
  /** Mails of a contact within an hour that journeys answer; later ones are recorded only: 5 by default. */
  readonly answers_per_hour?: number;
  /** The name with which the own mail server begins its `Authentication-Results`. */
  readonly authserv_id?: string;
}

/** Where the plugin itself receives mails. */
export interface EmailListener {
  /** 25 behind a forward of this port, or for servers that can name another one. */
  readonly port: number;
  /** An address of this machine; all by default. */
  readonly host?: string;
  /** The name with which the server greets. */
  readonly hostname?: string;
  /** Key and certificate in PEM, for STARTTLS. */
  readonly key?: string;
  readonly cert?: string;
}

/** Options of the plugin. */
export interface EmailOptions {
  /** Numbers to connect at start; others can be connected in the admin API. */
  readonly numbers?: readonly EmailNumber[];
  /** Receives mails for numbers with `receive: 'smtp'`. */
  readonly listener?: EmailListener;
  /**
   * A mail whose outcome is unknown, because the connection broke: `resend` it with the same Message-ID (the default), which most mailboxes show once,
   * or `fail` it, which can lose it.
   */
  readonly unknownOutcome?: 'resend' | 'fail';
  /** The last line of a mail with options by language, instead of the plugin's own or in further languages: `{ nl: '…' }`. */
  readonly texts?: Readonly<Record<string, string>>;
}

const address = () => stringUpTo(254).pattern(/^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/, 'an e-mail address');
const host = () => stringUpTo(253).pattern(/^[\w.:-]+$/, 'a host name or an IP address');
const port = () => integer().min(1).max(65_535);

/** The body of the admin route that connects a number. */
export const numberSchema = object(
  { address: address(), smtp_host: host() },
  {
    name: stringUpTo(100),
    smtp_port: port().default(587),
    smtp_security: oneOf(...securities).default('starttls'),
    username: stringUpTo(254),
    password: stringUpTo(1_000),
    receive: oneOf('imap', 'smtp', 'none').default('none'),
    imap_host: host(),
    imap_port: port().default(993),
    imap_security: oneOf(...securities).default('tls'),
    imap_mailbox: stringUpTo(200).default('INBOX'),
    imap_username: stringUpTo(254),
    imap_password: stringUpTo(1_000),
    aliases: array(address()).max(20).default([]),
    plus_addresses: boolean().default(false),
    subject: stringUpTo(200),
    language: stringUpTo(16).default('en'),
    mails_per_second: number().min(0.01).max(1_000).default(1),
    answers_per_hour: integer().min(1).max(1_000).default(5),
    authserv_id: stringUpTo(253),
  },
);

type WithoutDefault = 'name' | 'username' | 'imap_host' | 'imap_username' | 'subject' | 'authserv_id';
/** The settings of a number as they are stored, without its passwords. */
export type EmailSettings = Required<Omit<EmailNumber, WithoutDefault | 'password' | 'imap_password'>> & Pick<EmailNumber, WithoutDefault>;

export const optionsSchema = Joi.object({
  numbers: Joi.array().items(numberSchema).unique('address').default([]),
  listener: Joi.object({
    port: Joi.number().integer().min(0).max(65_535).required(),
    host: Joi.string(),
    hostname: Joi.string().hostname(),
    key: Joi.string(),
    cert: Joi.string(),
  }).and('key', 'cert'),
  unknownOutcome: Joi.valid('resend', 'fail').default('resend'),
  texts: Joi.object().pattern(Joi.string().min(2).max(16), Joi.string().max(100)).default({}),
});

/** The options with their defaults. */
export type Settings = Required<Omit<EmailOptions, 'listener'>> & Pick<EmailOptions, 'listener'>;

/** The line that tells a contact to reply with a number, in the first of these languages that has it. */
export const chooseIn = (own: Settings['texts'], languages: readonly unknown[]): string =>
  inLanguage({ ...chooseLines, ...own }, languages);
