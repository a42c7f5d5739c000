import type { JsonObject } from '#core';
import { objectOf, readJson } from '#core/basics';
import { ServiceUnreachable } from '#core/messaging';
import { type Account, baseOf, byMeaning, FORM, form, type Gateway, GatewayError, type Remedy, type SmsReport, textIn } from './gateway.js';

/** By `statusCode` of a recipient, else by the HTTP status; others fail only their message. */
const REMEDIES = byMeaning<Remedy>({ wait: [429], stop: [401, 405], advise: [402], unreachable: [403], 'opted out': [406] });
/** Added to codes of recipients that mean something else as an HTTP status: 401 `RiskHold`, 502 `RejectedByGateway`. */
const OF_RECIPIENT = 1_000;
const AMBIGUOUS = [401, 502];
const ACCEPTED = [100, 101, 102];

const STATES = byMeaning<SmsReport['state']>({
  sent: ['sent', 'submitted', 'buffered'],
  delivered: ['success'],
  failed: ['failed', 'rejected', 'expired', 'absentsubscriber'],
});

const headers = ({ token }: Pick<Account, 'token'>) => ({ apikey: token, ...FORM });

/** Africa's Talking. */
export const africasTalking: Gateway = {
  title: "Africa's Talking",
  errors: 'https://developers.africastalking.com/docs/sms/sending/bulk',
  baseUrl: 'https://api.africastalking.com',
  signs: false,
  hasMms: false,

  check: (account) => ({
    method: 'GET',
    url: `${baseOf(africasTalking, account)}/version1/user?${form({ username: account.account })}`,
    headers: headers(account),
  }),

  request: (account, { to, text }) => ({
    method: 'POST',
    url: `${baseOf(africasTalking, account)}/version1/messaging`,
    headers: headers(account),
    body: form({ username: account.account, to, message: text, from: account.sender }),
  }),

  accepted(status, body) {
    const { SMSMessageData: data } = objectOf(readJson(body)) as { SMSMessageData?: { Message?: unknown; Recipients?: unknown } };
    if (status >= 400) throw new GatewayError(status, status, textIn(data?.Message) ?? (body.slice(0, 200) || 'without a reason'));
    if (status < 200 || status >= 300 || data === undefined)
      throw new ServiceUnreachable(africasTalking.title, `its answer with status ${status} is not one of the gateway`);
    const reason = textIn(data.Message) ?? 'without a reason';
    const [recipient] = (Array.isArray(data.Recipients) ? data.Recipients : []) as JsonObject[];
    // Without recipients nothing was sent, and only the text says why.
    if (!recipient) throw new GatewayError(status, /sender ?id/i.test(reason) ? 402 : 400, reason);
    const { statusCode, status: word, messageId } = recipient;
    const id = textIn(messageId);
    if (ACCEPTED.includes(Number(statusCode)) && id !== undefined && id !== 'None') return id;
    const code = Number(statusCode) || 400;
    throw new GatewayError(status, AMBIGUOUS.includes(code) ? OF_RECIPIENT + code : code, textIn(word) ?? reason);
  },

  remedyOf: (code) => REMEDIES[code] ?? (code >= 500 && code < 600 ? 'repeat' : 'fail'),

  inbound({ id, from, text, phoneNumber }) {
    // A callback of its own says that a contact has opted out, with nothing but the phone number.
    if (!id && phoneNumber && text === undefined) return { id: '', from: phoneNumber, text: 'STOP', files: [], isAnswered: true };
    return id && from ? { id, from, text: text ?? '', files: [], isAnswered: false } : undefined;
  },

  report({ id, status, failureReason: reason, phoneNumber: to }) {
    if (!id || !status) return undefined;
    const code = reason === 'UserInBlacklist' ? 406 : undefined;
    return { id, status, state: STATES[status.toLowerCase()] ?? 'unknown', code, reason, to };
  },

  answersStop: () => false,

  isSigned: () => false,
};
