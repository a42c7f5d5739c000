import { setTimeout as sleep } from 'node:timers/promises';
import type { SubjectCall } from './check.js';
import { type Exchange, send } from './exchange.js';

const POLL_MS = 100;
/** Looks before a wait ends without success: on a busy machine its time may pass without anything being done. */
const MIN_LOOKS = 5;
/** Of the newest calls; a run makes few between two looks. */
const CALL_LIMIT = 50;
const TIMEOUT_MS = 10_000;

/** A platform to which the subject posts, with its admin API. */
export interface PlatformAccess {
  /** Its base URL, such as `http://127.0.0.1:4100`. */
  readonly api: string;
  readonly adminKey: string;
}

interface Side {
  readonly headers: readonly (readonly [string, string])[];
  readonly body: { readonly bytes: number | null; readonly text: string | null };
}

/** A call as the admin API of the platform lists it. */
interface RecordedCall {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly error: string | null;
  readonly request: Side;
  readonly response: Side;
}

/** A request that the subject made, and the platform's response. */
export interface Posted {
  readonly exchange: Exchange;
  readonly call: SubjectCall;
  readonly status: number;
  readonly error: string | null;
  /** The body as JSON; an empty object if the platform did not read it, or it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: checks look at any part of what a subject posts
  readonly body: any;
}

interface Detail {
  readonly url: string;
  readonly request: { readonly headers: Exchange['headers']; readonly body: DetailBody };
  readonly response: { readonly status: number; readonly headers: Exchange['headers']; readonly body: DetailBody } | null;
}

interface DetailBody {
  readonly encoding: BufferEncoding;
  readonly content: string;
}

/** A delivery as the admin API of the platform shows it. */
interface ShownDelivery {
  readonly delivery: { readonly uuid: string };
  readonly body: string;
  readonly attempts: readonly { readonly error: string | null; readonly duration_ms: number | null }[];
  /** Absent if the platform does not record deliveries. */
  readonly details?: readonly Detail[];
}

interface ListedDelivery {
  readonly uuid: string;
  readonly state: string;
  readonly attempts: number;
}

export type PostedKind = 'messages' | 'statuses';
export type Enough = (found: readonly Posted[]) => boolean;

/** Watches what a subject posts to the platform, through the calls that the platform records. */
export class PlatformWatch {
  readonly #access: PlatformAccess;

  constructor(access: PlatformAccess) {
    this.#access = access;
  }

  get api(): string {
    return this.#access.api;
  }

  /** @throws Error when the platform responds with an error */
  // biome-ignore lint/suspicious/noExplicitAny: every admin route has its own response
  async admin(path: string, payload?: object): Promise<any> {
    const { api, adminKey } = this.#access;
    const exchange = await send({
      method: payload ? 'POST' : 'GET',
      url: `${api}/admin/v1${path}`,
      headers: [
        ['Authorization', `Bearer ${adminKey}`],
        ['Content-Type', 'application/json'],
      ],
      ...(payload && { body: JSON.stringify(payload) }),
      timeoutMs: TIMEOUT_MS,
    });
    const { response, error } = exchange;
    const text = response?.body.toString() ?? '';
    if (!response || response.status >= 300)
      throw new Error(`${api}/admin/v1${path} responded ${response ? `${response.status}: ${text.slice(0, 300)}` : error}`);
    return JSON.parse(text);
  }

  /** The messages or statuses that connectors posted, refused ones too, oldest first. */
  async posted(...what: readonly PostedKind[]): Promise<Posted[]> {
    const { calls } = (await this.admin(`/calls?limit=${CALL_LIMIT}`)) as { calls: RecordedCall[] };
    const path = new RegExp(`^[^?]*/v1/numbers/[^/?]+/(${what.join('|')})/?(\\?|$)`);
    return calls
      .filter((call) => call.method === 'POST' && path.test(call.path))
      .map((call) => postedIn(this.#access.api, call))
      .reverse();
  }

  /** The newest attempt of each delivery of a message. */
  async deliveriesOf(message: string): Promise<Exchange[]> {
    const { deliveries } = (await this.admin(`/deliveries?message=${encodeURIComponent(message)}`)) as { deliveries: ListedDelivery[] };
    const shown = await Promise.all(deliveries.map(({ uuid }) => this.admin(`/deliveries/${uuid}`) as Promise<ShownDelivery>));
    return shown.map(deliveredIn);
  }

  /**
   * Waits until the connector has responded to the delivery of a message, or an attempt has failed: how long the platform takes to send it
   * says nothing about the connector. @returns false when the time is over
   */
  async isDelivered(message: string, waitMs: number): Promise<boolean> {
    for (const end = performance.now() + waitMs; ; await sleep(POLL_MS)) {
      const { deliveries } = (await this.admin(`/deliveries?message=${encodeURIComponent(message)}`)) as { deliveries: ListedDelivery[] };
      if (deliveries.some(({ attempts, state }) => attempts > 0 && state !== 'sending')) return true;
      if (performance.now() > end) return false;
    }
  }

  /** The ids of what was posted until now. */
  async seen(what: PostedKind): Promise<ReadonlySet<string | undefined>> {
    return new Set((await this.posted(what)).map(({ exchange }) => exchange.call));
  }

  /**
   * Waits for a request that fits, up to `waitMs`; 0 looks once. @returns all that fit when `enough` do, or when the time is over
   */
  async waitFor(what: PostedKind, fits: (posted: Posted) => boolean, waitMs: number, enough: Enough = hasOne): Promise<Posted[]> {
    const end = performance.now() + waitMs;
    for (let left = waitMs > 0 ? MIN_LOOKS : 1; ; left--) {
      const found = (await this.posted(what)).filter(fits);
      if (enough(found) || (left <= 1 && performance.now() >= end)) return found;
      await sleep(POLL_MS);
    }
  }
}

const hasOne = (found: readonly Posted[]): boolean => found.length > 0;

function postedIn(api: string, { id, method, path, status, ms, error, request, response }: RecordedCall): Posted {
  const bytes = ({ body }: Side): Buffer => Buffer.from(body.text ?? '');
  const sent = { method, url: `${api}${path}`, headers: request.headers, body: bytes(request) };
  const received = { status, headers: response.headers, body: bytes(response) };
  const exchange: Exchange = { ...sent, response: received, ms, by: 'subject', call: id };
  return { exchange, call: { id, method, path, status, error }, status, error, body: readJson(request.body.text) };
}

function deliveredIn({ delivery, body, attempts, details = [] }: ShownDelivery): Exchange {
  const detail = details.at(-1);
  const attempt = attempts.at(-1);
  const response = detail?.response;
  return {
    method: 'POST',
    url: detail?.url ?? '',
    headers: detail?.request.headers ?? [],
    by: 'platform',
    delivery: delivery.uuid,
    body: detail ? bytesOf(detail.request.body) : Buffer.from(body),
    ...(response
      ? { response: { ...response, body: bytesOf(response.body) } }
      : { error: attempt ? (attempt.error ?? 'the response is not recorded') : 'no response yet' }),
    ms: Math.round(attempt?.duration_ms ?? 0),
  };
}

const bytesOf = ({ encoding, content }: DetailBody): Buffer => Buffer.from(content, encoding);

function readJson(text: string | null): unknown {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
