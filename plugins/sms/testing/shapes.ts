import { createHmac } from 'node:crypto';
import type { StandInReply } from '#core/testing';
import type { SentSms, SmsFault } from './settings.js';

type Form = Readonly<Record<string, string | undefined>>;

/** A request that sends a message, as a gateway reads it. */
export interface ReadSms {
  readonly to: string;
  readonly from: string;
  readonly text: string;
  readonly file: string | undefined;
  readonly callback: string | undefined;
}

/** How the API of a gateway looks. */
export interface Shape {
  readonly account: string;
  readonly token: string;
  /** The paths that a request may have, by what it does. */
  readonly paths: { readonly send: RegExp; readonly account: RegExp; readonly file: RegExp };
  isAuthorized(headers: Readonly<Record<string, string>>): boolean;
  read(form: URLSearchParams): ReadSms;
  accepted(sms: SentSms): StandInReply;
  refused(error: NonNullable<SmsFault['error']>, to: string): StandInReply;
  /** The form of a message that a person wrote. `files` are the addresses of its files with their types. */
  written(id: string, from: string, to: string, text: string, files: readonly (readonly [url: string, type: string])[]): Form;
  report(sms: SentSms, status: string, about: { code?: number; reason?: string }): Form;
  /** The headers of a callback. */
  headers(url: string, form: URLSearchParams): Readonly<Record<string, string>>;
}

const TWILIO = { account: 'ACstandin000000000000000000000000', token: 'stand-in-auth-token' } as const;
const basic = `Basic ${Buffer.from(`${TWILIO.account}:${TWILIO.token}`).toString('base64')}`;

const twilio: Shape = {
  ...TWILIO,
  paths: {
    send: /^\/2010-04-01\/Accounts\/[^/]+\/Messages\.json$/,
    account: /^\/2010-04-01\/Accounts\/[^/]+\.json$/,
    file: /^\/2010-04-01\/Accounts\/[^/]+\/Messages\/[^/]+\/Media\/(\w+)$/,
  },
  isAuthorized: ({ authorization }) => authorization === basic,
  read: (form) => ({
    to: form.get('To') ?? '',
    from: form.get('From') ?? form.get('MessagingServiceSid') ?? '',
    text: form.get('Body') ?? '',
    file: form.get('MediaUrl') ?? undefined,
    callback: form.get('StatusCallback') ?? undefined,
  }),
  accepted: ({ id, to, from, text }) => ({ status: 201, body: { sid: id, status: 'queued', to, from, body: text, error_code: null } }),
  refused: ({ status, code = 20_000 + status, message = 'Refused' }) => ({
    status,
    body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
  }),
  written: (id, from, to, text, files) => ({
    ...{
      MessageSid: id,
      SmsSid: id,
      AccountSid: TWILIO.account,
      From: from,
      To: to,
      Body: text,
      NumMedia: String(files.length),
      NumSegments: '1',
    },
    ...Object.fromEntries(files.flatMap(([url, type], i) => [[`MediaUrl${i}`, url] as const, [`MediaContentType${i}`, type] as const])),
  }),
  report: ({ id, to, from }, status, { code, reason }) => ({
    ...{ MessageSid: id, SmsSid: id, MessageStatus: status, SmsStatus: status, To: to, From: from, AccountSid: TWILIO.account },
    ...(code !== undefined && { ErrorCode: String(code), ErrorMessage: reason ?? 'Refused by the carrier' }),
  }),
  headers(url, form) {
    let signed = url;
    for (const name of [...form.keys()].sort()) signed += name + form.get(name);
    return { 'x-twilio-signature': createHmac('sha1', TWILIO.token).update(signed).digest('base64') };
  },
};

const AFRICAS_TALKING = { account: 'sandbox', token: 'stand-in-api-key' } as const;
const REASON = 'InvalidSenderId';

const africasTalking: Shape = {
  ...AFRICAS_TALKING,
  paths: { send: /^\/version1\/messaging$/, account: /^\/version1\/user$/, file: /^$/ },
  isAuthorized: ({ apikey }) => apikey === AFRICAS_TALKING.token,
  read: (form) => ({
    ...{ to: form.get('to') ?? '', from: form.get('from') ?? '', text: form.get('message') ?? '' },
    ...{ file: undefined, callback: undefined },
  }),
  accepted: ({ id, to }) => recipients([{ statusCode: 101, number: to, status: 'Success', cost: 'KES 0.8000', messageId: id }]),
  refused: ({ status, code = 403, message = REASON }, to) =>
    status >= 400
      ? { status, body: message }
      : recipients([{ statusCode: code, number: to, status: message, cost: '0', messageId: 'None' }]),
  written: (id, from, to, text) => ({ id, linkId: `link-${id}`, from, to, text, date: '2026-11-30 09:00:00' }),
  report: ({ id, to }, status, { reason }) => ({
    id,
    phoneNumber: to,
    status,
    networkCode: '63902',
    ...(reason && { failureReason: reason }),
  }),
  headers: () => ({}),
};

export const recipients = (list: readonly object[], message = 'Sent to 1/1 Total Cost: KES 0.8000'): StandInReply => ({
  status: 201,
  body: { SMSMessageData: { Message: message, Recipients: list } },
});

export const shapes = { twilio, africas_talking: africasTalking } as const;
