import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONFORMANCE_MARK as MARK } from '../../../core/events/conformance-mark.js';
import { type Check, expect, type Subject } from '../check.js';
import { type Exchange, gotOf, headerOf, jsonOf, Wire } from '../exchange.js';
import type { PluginWithChecks } from '../plugin-checks.js';

const TIMEOUT_MS = 10_000;
const REQUESTS_PER_SECOND = 4;
/** The longest wait after a response 429; rate limits are per minute. */
const MAX_WAIT_MS = 60_000;
/** No network assigns numbers that begin with 999. */
const CONTACT = '+999000000001';

/** How a run reaches an implementation of the API. */
export interface ApiOptions {
  /** The base URL, without `/v1`. */
  readonly url: string;
  /** The token of a number of the messaging network. */
  readonly token: string;
  /** A channel and its token. Without it, the checks of messages and statuses that connectors post are skipped. */
  readonly channel?: { readonly uuid: string; readonly token: string } | undefined;
  /** The uuid of a journey of the number, published for production, that waits for input. Without it, simulations are not checked. */
  readonly journey?: string | undefined;
  /** At most this many requests a second; 4 if not given. */
  readonly requestsPerSecond?: number | undefined;
  /** Ends the run: no further request is sent, and `outcome` and `run` of checks without a result are rejected with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Plugins whose checks run too. */
  readonly plugins?: readonly PluginWithChecks[] | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: checks look at any part of a response
export type Json = any;

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly payload?: object;
  /** Instead of the payload. */
  readonly body?: string;
  readonly type?: string;
  /** Default: that of the number. Null: none. */
  readonly token?: string | null;
}

export class Api implements Subject {
  readonly #url: string;
  readonly #token: string;
  readonly channel: { readonly uuid: string; readonly token: string } | undefined;
  readonly journey: string | undefined;
  readonly log: Wire;
  readonly to = CONTACT;
  readonly #kept = new Map<string, Promise<{ value: unknown; exchanges: readonly Exchange[] }>>();

  constructor({ url, token, channel, journey, requestsPerSecond = REQUESTS_PER_SECOND, signal }: ApiOptions) {
    this.#url = url.replace(/\/+$/, '').replace(/\/v1$/, '');
    this.#token = token;
    this.channel = channel;
    this.journey = journey;
    this.log = new Wire({ requestsPerSecond, signal });
  }

  missing(need: string): string | undefined {
    if (need === 'channel' && !this.channel) return 'needs a channel: give --channel and --channel-token';
    if (need === 'journey' && !this.journey) return 'needs a published journey that waits for input: give --journey';
    return undefined;
  }

  /** A name that nothing else has. */
  name(): string {
    return `${MARK}-${randomUUID().slice(0, 8)}`;
  }

  /** Makes a call; after a 429 it waits until the rate limit is reset, and makes it once more. */
  async call({ method = 'POST', path, payload, body, type = 'application/json', token = this.#token }: Call): Promise<Exchange> {
    const text = body ?? (payload && JSON.stringify(payload));
    const request = {
      method,
      url: path.startsWith('http') ? path : `${this.#url}${path}`,
      headers: [
        ...(token === null ? [] : [['Authorization', `Bearer ${token}`] as const]),
        ...(text === undefined ? [] : [['Content-Type', type] as const]),
      ],
      ...(text !== undefined && { body: text }),
      timeoutMs: TIMEOUT_MS,
    };
    const exchange = await this.log.send(request);
    if (exchange.response?.status !== 429) return exchange;
    const seconds = Number(headerOf(exchange, 'retry-after') ?? Number.NaN);
    const reset = 1000 * Number(headerOf(exchange, 'x-ratelimit-reset') ?? Number.NaN) - Date.now();
    await sleep(Math.min(MAX_WAIT_MS, Math.max(1_000, Number.isNaN(seconds) ? reset || 0 : 1000 * seconds)));
    return this.log.send(request);
  }

  /** Makes a call as the connector of the channel. */
  asConnector(what: 'messages' | 'statuses', payload: object): Call {
    return { path: `/v1/numbers/${this.channel!.uuid}/${what}`, payload, token: this.channel!.token };
  }

  /** Does something once, and adds its exchanges to the evidence of each check that uses the result. */
  async once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const known = this.#kept.get(name);
    const kept =
      known ??
      (async () => {
        const before = this.log.taken().length;
        const value = await make();
        return { value, exchanges: this.log.taken().slice(before) };
      })();
    this.#kept.set(name, kept);
    const { value, exchanges } = await kept;
    for (const exchange of exchanges) this.log.note(exchange);
    return value as T;
  }
}

export const shown = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value).slice(0, 300));
const bodyOf = ({ response }: Exchange): string => String(response?.body ?? '').slice(0, 300);

/** @throws CheckFailed unless the status is one of these; 2 stands for 2XX, 4 for 4XX @returns the body as JSON */
export function answer(exchange: Exchange, ...statuses: readonly number[]): Json {
  const status = exchange.response?.status ?? 0;
  const isExpected = statuses.some((one) => (one < 10 ? Math.floor(status / 100) === one : status === one));
  const expected = statuses.map((one) => (one < 10 ? `${one}XX` : one)).join(' or ');
  expect(isExpected, `status ${expected}`, () => `${gotOf(exchange)} ${bodyOf(exchange)}`);
  return jsonOf(exchange);
}

export interface CallCheck extends Omit<Check<Api>, 'run' | 'level' | 'sends'> {
  readonly level?: Check<Api>['level'];
  readonly call: (api: Api) => Call | Promise<Call>;
  readonly status: readonly number[];
  /** The expected body, and whether a body is that. */
  readonly body?: string;
  readonly is?: (json: Json, api: Api) => boolean;
}

/** A check that makes one call, and looks at its response. */
export const calls = ({ call, status, body = 'a JSON body', is, ...about }: CallCheck): Check<Api> => ({
  level: 'MUST',
  sends: about.title.replace(/^\w+ /, 'one call: '),
  ...about,
  async run(api) {
    const exchange = await api.call(await call(api));
    const json = answer(exchange, ...status);
    if (is) expect(is(json ?? {}, api), body, () => bodyOf(exchange));
  },
});
