import type { SmsSettings } from '../options.js';

/** An account of a gateway. */
export interface Account extends SmsSettings {
  readonly token: string;
}

/** A message, or a part of one. */
export interface Sms {
  readonly to: string;
  readonly text: string;
  /** Where the gateway fetches the file. */
  readonly media?: string | undefined;
  /** Where it reports what became of the message, if that can be given with each. */
  readonly reports: string;
}

export interface GatewayRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The fields of a form. One that is repeated has its first value. */
export type Fields = Readonly<Record<string, string>>;

/** A message of a contact. */
export interface ReceivedSms {
  readonly id: string;
  readonly from: string;
  readonly text: string;
  readonly files: readonly { readonly url: string; readonly type: string }[];
  /** The gateway has treated the message as an opt-out itself, and has answered it. */
  readonly isAnswered: boolean;
}

/** A report on a message. A message in `progress` has taken a step that contacts do not notice. */
export interface SmsReport {
  readonly id: string;
  readonly state: 'sent' | 'delivered' | 'failed' | 'progress' | 'unknown';
  /** As the gateway wrote it. */
  readonly status: string;
  readonly code?: number | undefined;
  readonly reason?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * The reaction to an error of a gateway. `wait`: the whole number waits. `repeat`: temporary. `stop`: nothing can be sent until an operator acts.
 * `opted out` and `unreachable` are about the contact. `advise`: no message of this kind can be sent until an operator acts. `fail`: only this
 * message.
 */
export type Remedy = 'wait' | 'repeat' | 'stop' | 'opted out' | 'unreachable' | 'advise' | 'fail';

/** A gateway refused a request. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly status: number;
  /** The gateway's number of the error; the status if it gave none. */
  readonly code: number;

  constructor(status: number, code: number, reason: string) {
    super(reason);
    this.status = status;
    this.code = code;
  }
}

/** How a gateway is spoken to. Pure: requests and answers are values. */
export interface Gateway {
  /** For people. */
  readonly title: string;
  /** The documentation of its errors. */
  readonly errors: string;
  readonly baseUrl: string;
  /** Whether it signs its callbacks. If not, their addresses contain a secret. */
  readonly signs: boolean;
  /** Whether it sends MMS. */
  readonly hasMms: boolean;
  /** A request that only valid credentials pass. */
  check(account: Account): GatewayRequest;
  request(account: Account, sms: Sms): GatewayRequest;
  /** The id that the gateway gave the message. @throws GatewayError, ServiceUnreachable */
  accepted(status: number, body: string): string;
  remedyOf(code: number): Remedy;
  /** @returns undefined if the form is not a message */
  inbound(fields: Fields): ReceivedSms | undefined;
  /** @returns undefined if the form is not a report */
  report(fields: Fields): SmsReport | undefined;
  /** Whether it answers a message with this text itself, when it is a word with which contacts opt out. */
  answersStop(text: string): boolean;
  /** Whether a callback has its signature. @param urls the addresses under which the gateway may know the callback */
  isSigned(given: { signature: string; urls: readonly string[]; form: URLSearchParams; token: string }): boolean;
}

export const baseOf = ({ baseUrl }: Pick<Gateway, 'baseUrl'>, { base_url: given = baseUrl }: Pick<Account, 'base_url'>): string =>
  given.replace(/\/+$/, '');

export const form = (fields: Readonly<Record<string, string | undefined>>): string =>
  new URLSearchParams(Object.entries(fields).filter((one): one is [string, string] => one[1] !== undefined)).toString();

export const FORM = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' } as const;

/** A table by number or word, written by what they mean. */
export const byMeaning = <M extends string>(table: Partial<Record<M, readonly (number | string)[]>>): Readonly<Record<string, M>> => {
  const rows = Object.entries(table) as [M, readonly (number | string)[]][];
  return Object.fromEntries(rows.flatMap(([meaning, given]) => given.map((one) => [one, meaning])));
};

export const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
