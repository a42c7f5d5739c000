import { createHmac } from 'node:crypto';
import { isSameSecret } from '#core';
import { objectOf, readJson } from '#core/basics';
import { ServiceUnreachable } from '#core/messaging';
import { type Account, baseOf, byMeaning, FORM, form, type Gateway, GatewayError, type Remedy, type SmsReport, textIn } from './gateway.js';

/** Files of a message. */
const MAX_FILES = 10;
/** Words that Twilio answers itself, and after which it refuses messages to the contact with 21610. */
const ANSWERED = /^(stop|stopall|unsubscribe|cancel|end|quit|revoke|optout)$/i;

/** By the number of the error (twilio.com/docs/api/errors); others fail only their message. */
const REMEDIES = byMeaning<Remedy>({
  wait: [429, 20429, 30001, 30022, 21611],
  stop: [401, 20003, 20005, 30002],
  'opted out': [21610],
  unreachable: [21211, 21614, 30005, 30006],
  advise: [21408, 21606, 21612, 30004, 30007, 30034],
});

const STATES = byMeaning<SmsReport['state']>({
  progress: ['accepted', 'scheduled', 'queued', 'sending'],
  sent: ['sent'],
  delivered: ['delivered', 'partially_delivered', 'read'],
  failed: ['failed', 'undelivered', 'canceled'],
});

const basic = ({ account, token }: Pick<Account, 'account' | 'token'>): string =>
  `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`;

/** Twilio, and gateways with the same API. */
export const twilio: Gateway = {
  title: 'Twilio',
  errors: 'https://www.twilio.com/docs/api/errors',
  baseUrl: 'https://api.twilio.com',
  signs: true,
  hasMms: true,

  check: (account) => ({
    method: 'GET',
    url: `${baseOf(twilio, account)}/2010-04-01/Accounts/${account.account}.json`,
    headers: { Authorization: basic(account) },
  }),

  request: (account, { to, text, media, reports }) => ({
    method: 'POST',
    url: `${baseOf(twilio, account)}/2010-04-01/Accounts/${account.account}/Messages.json`,
    headers: { Authorization: basic(account), ...FORM },
    body: form({
      To: to,
      ...(account.messaging_service === undefined ? { From: account.sender } : { MessagingServiceSid: account.messaging_service }),
      Body: text === '' ? undefined : text,
      MediaUrl: media,
      StatusCallback: reports,
    }),
  }),

  accepted(status, body) {
    const { sid, code, message, error_code, error_message } = objectOf(readJson(body));
    if (status >= 200 && status < 300 && typeof sid === 'string') return sid;
    // A proxy that cannot know whether the server behind it has processed the request, or another server.
    if (status < 400) throw new ServiceUnreachable(twilio.title, `its answer with status ${status} is not one of the gateway`);
    const given = [code, error_code].find((one) => typeof one === 'number') as number | undefined;
    throw new GatewayError(status, given ?? status, textIn(message) ?? textIn(error_message) ?? 'without a reason');
  },

  remedyOf: (code) => REMEDIES[code] ?? (code >= 500 && code < 600 ? 'repeat' : 'fail'),

  inbound(fields) {
    const { MessageSid: id = fields.SmsSid, From: from, Body: text = '', OptOutType } = fields;
    if (!id || !from) return undefined;
    const count = Math.min(Number(fields.NumMedia) || 0, MAX_FILES);
    const files = Array.from({ length: count }, (_, i) => ({
      url: fields[`MediaUrl${i}`] ?? '',
      type: fields[`MediaContentType${i}`] ?? 'application/octet-stream',
    })).filter(({ url }) => url !== '');
    return { id, from, text, files, isAnswered: OptOutType === 'STOP' };
  },

  report(fields) {
    const { MessageSid: id = fields.SmsSid, MessageStatus: status = fields.SmsStatus, ErrorCode, To: to } = fields;
    if (!id || !status) return undefined;
    const code = Number(ErrorCode) || undefined;
    return { id, status, state: STATES[status.toLowerCase()] ?? 'unknown', code, reason: fields.ErrorMessage, to };
  },

  answersStop: (text) => ANSWERED.test(text.trim()),

  isSigned: ({ signature, urls, form, token }) =>
    urls.map((url) => isSameSecret(signature, signatureOf(token, url, form))).some((isSame) => isSame),
};

/**
 * The signature of a callback: the address, and the name and value of each field, sorted. Of a repeated field each value counts once.
 * @param form with decoded names and values
 */
export function signatureOf(token: string, url: string, form: URLSearchParams): string {
  const names = [...new Set(form.keys())].sort();
  const signed = names.map((name) =>
    [...new Set(form.getAll(name))]
      .sort()
      .map((value) => name + value)
      .join(''),
  );
  return createHmac('sha1', token)
    .update(url + signed.join(''), 'utf8')
    .digest('base64');
}
