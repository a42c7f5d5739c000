import type { HttpRequest } from '../../ports/http-client.js';
import { type HttpFailure, unusable } from './http-failure.js';

/** The destination of a URL. */
export interface Target {
  readonly origin: string;
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  /** Whether the host is an IP address, which is never looked up. */
  readonly isAddress: boolean;
  /** Including the query. */
  readonly path: string;
}

/** Headers that frame or route the message. The client sets these itself. */
const OWN_HEADERS = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
]);
/** Sent with requests that name no user agent, because some endpoints refuse a request without one. */
const USER_AGENT = 'Posthorn';
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export function targetOf(text: string): Target | HttpFailure {
  if (!URL.canParse(text)) return unusable('BAD_URL', 'the URL is not valid');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return unusable('BAD_URL', `the URL must begin with http: or https:, not with ${url.protocol}`);
  if (url.username || url.password) return unusable('BAD_URL', 'the URL contains a user name or a password');
  return {
    origin: url.origin,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    // `new URL` normalizes every notation of an IPv4 address to four decimal numbers.
    isAddress: url.hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(url.hostname),
    path: `${url.pathname}${url.search}`,
  };
}

/**
 * The headers to send, as a flat list of names and values, each name once and in the letters of the request, because some receivers
 * compare names letter by letter; or why the request is invalid.
 */
export function headersOf({ method, headers = {} }: HttpRequest): string[] | HttpFailure {
  if (!TOKEN.test(method) || method === 'CONNECT') return unusable('BAD_REQUEST', `${JSON.stringify(method)} is not an HTTP method`);
  // The client does not decompress, so that a small response cannot expand into a large one.
  const sent = ['Accept-Encoding', 'identity', 'User-Agent', USER_AGENT];
  for (const name in headers) {
    const value: unknown = headers[name];
    const plain = name.toLowerCase();
    if (!TOKEN.test(plain) || OWN_HEADERS.has(plain)) return unusable('BAD_REQUEST', `the header ${JSON.stringify(name)} cannot be sent`);
    if (typeof value !== 'string' || !HEADER_VALUE.test(value))
      return unusable('BAD_REQUEST', `the value of the header ${name} cannot be sent`);
    const place = placeOf(plain, sent);
    if (place === 0) continue;
    sent[place] = name;
    sent[place + 1] = value;
  }
  return sent;
}

/** The index of a name, in lower case, in a flat list of names and values, or where to append it. */
function placeOf(name: string, headers: readonly string[]): number {
  let place = 0;
  while (place < headers.length && !(headers[place]!.length === name.length && headers[place]!.toLowerCase() === name)) place += 2;
  return place;
}
