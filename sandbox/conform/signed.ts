import { createHmac, randomUUID } from 'node:crypto';
import type { Subject, SubjectCall } from './check.js';
import { type Exchange, type Now, Wire } from './exchange.js';
import type { PluginWithChecks } from './plugin-checks.js';

/** The time in which an endpoint must respond (Limits, "Webhook timing and retries", rule 1). */
export const ANSWER_MS = 5_000;
/** The response times up to which the platform queues deliveries as `high` and as `default` (rule 2). */
export const LANES_MS = { high: 200, default: 1_000 } as const;
/** The names of your service and of the messaging network in headers and subscriptions. */
const WORDS = { service: 'svc', network: 'msgapp' } as const;
/** No run sends more, because a check must never harm. */
const REQUESTS_PER_SECOND = 4;

export const signatureOf = (secret: string, body: string | Buffer): string => createHmac('sha256', secret).update(body).digest('base64');

/** Options that every subject with signed requests takes. */
export interface SignedOptions {
  readonly url: string;
  /** The `hmac_secret` with which the platform signs. */
  readonly secret: string;
  /** The name of the service in headers and subscriptions; `svc` if not given. */
  readonly service?: string | undefined;
  /** The name of the messaging network, likewise; `msgapp` if not given. */
  readonly network?: string | undefined;
  /** Milliseconds in which the endpoint must respond; 5000 if not given. */
  readonly answerMs?: number | undefined;
  /** Response times in milliseconds up to which the platform queues deliveries as `high` and as `default`; 200 and 1000 if not given. */
  readonly lanesMs?: { readonly high: number; readonly default: number } | undefined;
  /** At most this many requests a second; 4 if not given. */
  readonly requestsPerSecond?: number | undefined;
  /** The clock that measures response times; `performance.now` if not given. */
  readonly now?: Now | undefined;
  /** Ends the run: no further request is sent, and `outcome` and `run` of checks without a result are rejected with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Plugins whose checks run too. */
  readonly plugins?: readonly PluginWithChecks[] | undefined;
}

export interface Post {
  /** The signature; null for none. Default: the right one. */
  readonly signature?: string | null;
  readonly headers?: readonly (readonly [string, string])[];
  /** Sends the names of headers in lower case. */
  readonly isLowerCase?: boolean;
  /** Appended to the URL. */
  readonly query?: string;
  /** Another URL than that of the endpoint. */
  readonly url?: string;
  readonly isUnpaced?: boolean;
}

/** An endpoint that receives signed requests. */
export abstract class SignedEndpoint implements Subject {
  readonly url: string;
  readonly secret: string;
  readonly service: string;
  readonly network: string;
  readonly answerMs: number;
  readonly lanesMs: { readonly high: number; readonly default: number };
  readonly log: Wire;

  constructor({ url, secret, service, network, answerMs, lanesMs, requestsPerSecond, now, signal }: SignedOptions) {
    this.url = url;
    this.secret = secret;
    this.service = service ?? WORDS.service;
    this.network = network ?? WORDS.network;
    this.answerMs = answerMs ?? ANSWER_MS;
    this.lanesMs = lanesMs ?? LANES_MS;
    this.log = new Wire({ requestsPerSecond: requestsPerSecond ?? REQUESTS_PER_SECOND, now, signal });
  }

  missing(_need: string): string | undefined {
    return undefined;
  }

  async recorded(): Promise<readonly SubjectCall[]> {
    return [];
  }

  /** A valid body that contains this text. */
  abstract sample(text: string): string;

  /** The value of the subscription header; undefined for requests that have none. */
  abstract subscription(): string | undefined;

  /** `X-Svc-Hook-Signature`, in the words of the service. */
  header(name: string): string {
    return `X-${this.service[0]!.toUpperCase()}${this.service.slice(1)}-${name}`;
  }

  /** Headers that identify a delivery; those of a new one if not given. */
  identity({ delivery = randomUUID(), attempt = 1 } = {}): (readonly [string, string])[] {
    return [
      [this.header('Hook-Delivery'), delivery],
      [this.header('Hook-Run'), '1'],
      [this.header('Hook-Attempt'), String(attempt)],
      [this.header('Hook-Time'), String(Math.floor(Date.now() / 1_000))],
    ];
  }

  /** Posts a body with its signature. Waits twice the allowed time, so that one slow response fails one check. */
  post(body: string | Buffer, { signature, headers = [], isLowerCase = false, query = '', url = this.url, isUnpaced }: Post = {}) {
    const value = signature === undefined ? signatureOf(this.secret, body) : signature;
    const subscription = this.subscription();
    const all: (readonly [string, string])[] = [
      ['Content-Type', 'application/json'],
      ['User-Agent', 'Posthorn'],
      ...(subscription === undefined ? [] : [[this.header('Hook-Subscription'), subscription] as const, ...this.identity()]),
      ...(value === null ? [] : [[this.header('Hook-Signature'), value] as const]),
      ...headers,
    ];
    const last = new Map(all.map(([name, value]) => [isLowerCase ? name.toLowerCase() : name, value] as const));
    return this.log.send({
      url: withQuery(url, query),
      headers: [...last],
      body,
      timeoutMs: 2 * this.answerMs,
      ...(isUnpaced && { isUnpaced }),
    });
  }
}

function withQuery(url: string, query: string): string {
  if (query === '') return url;
  const full = new URL(url);
  full.search = full.search === '' ? query : `${full.search}&${query}`;
  return full.href;
}

export const statusOf = ({ response }: Exchange): number => response?.status ?? 0;
