import { type HttpOutcome, withoutUndefined } from '#core';
import { readJson } from '#core/basics';
import { type NotificationError, responseOf, ServiceUnreachable } from '#core/messaging';

/** The service, in errors. */
const NETWORK = 'the network';
/** A placeholder for errors whose description has no address. */
const HREF = 'https://posthorn.invalid/network-errors';

/** An error object of the network, in a response or in a webhook. */
export interface NetworkError {
  readonly code?: number | undefined;
  readonly title?: string | undefined;
  readonly message?: string | undefined;
  readonly error_subcode?: number | undefined;
  readonly error_data?: { readonly details?: string } | undefined;
  readonly error_user_title?: string | undefined;
  readonly error_user_msg?: string | undefined;
  readonly is_transient?: boolean | undefined;
  readonly href?: string | undefined;
}

/** The network refused a call, or its response could not be read. */
export class GraphError extends Error {
  override readonly name = 'GraphError';
  /** HTTP status of the response. */
  readonly status: number;
  readonly code: number | undefined;
  readonly subcode: number | undefined;
  /** The error as the network sent it, for pass-through. */
  readonly error: NetworkError;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, error: NetworkError, retryAfterMs?: number) {
    super(`the network answered ${status}: ${error.message ?? error.title ?? 'without a reason'}`);
    this.status = status;
    this.code = error.code;
    this.subcode = error.error_subcode;
    this.error = error;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The network had no response that can be read. */
export const graphUnreachable = (reason: string, about?: { readonly isPermanent: boolean }): ServiceUnreachable =>
  new ServiceUnreachable(NETWORK, reason, about);

/** Statuses of a gateway that cannot know whether the server behind it has processed the request. */
const UNSURE_STATUSES = new Set([502, 504]);

/**
 * Reads the outcome of a call to the network.
 * @returns the JSON of a 2XX response
 * @throws GraphError, ServiceUnreachable
 */
export function readGraph(outcome: HttpOutcome): unknown {
  const { status, headers, cut, body: bytes } = responseOf(outcome, NETWORK);
  const body = jsonOf(bytes);
  if (status >= 200 && status < 300 && body !== undefined && !cut) return body;
  if (status >= 200 && status < 300) throw graphUnreachable('its response is incomplete or not JSON');
  const error = networkErrorOf((body as { error?: unknown } | undefined)?.error);
  if (error.code === undefined && UNSURE_STATUSES.has(status)) throw graphUnreachable(`a gateway answered ${status}`);
  throw new GraphError(status, error, retryAfterMs(headers));
}

/** An error object as the network sends it, without fields of other types: proxies and later versions can send any JSON. */
export function networkErrorOf(value: unknown): NetworkError {
  const given = (value ?? {}) as Readonly<Record<string, unknown>>;
  const data = given.error_data as { details?: unknown } | string | null | undefined;
  const details = typeof data === 'string' ? data : data?.details;
  return withoutUndefined({
    code: codeIn(given.code),
    title: textIn(given.title),
    message: textIn(given.message),
    error_subcode: codeIn(given.error_subcode),
    error_data: typeof details === 'string' ? { details } : undefined,
    error_user_title: textIn(given.error_user_title),
    error_user_msg: textIn(given.error_user_msg),
    is_transient: typeof given.is_transient === 'boolean' ? given.is_transient : undefined,
    href: textIn(given.href),
  });
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function codeIn(value: unknown): number | undefined {
  const code = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(code) ? (code as number) : undefined;
}

/** The `errors` of a webhook in the shape of the API specification; undefined if there are none. */
export function errorsIn(value: unknown): NotificationError[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value.map((one) => notificationErrorOf(networkErrorOf(one))) : undefined;
}

const jsonOf = (bytes: Uint8Array): unknown => readJson(Buffer.from(bytes).toString('utf8')) ?? undefined;

function retryAfterMs({ 'retry-after': value }: Readonly<Record<string, string>>): number | undefined {
  return value !== undefined && /^\d{1,5}$/.test(value) ? Number(value) * 1_000 : undefined;
}

/** An error of the network in the shape of the API specification (Resources, "Notification error object"). */
export function notificationErrorOf({
  code = 131000,
  title,
  message = '',
  error_data,
  error_user_msg,
  href,
}: NetworkError): NotificationError {
  const plain = message.replace(/^\(#\d+\)\s*/, '');
  return {
    code,
    title: title || plain || 'Something went wrong',
    details: error_data?.details || error_user_msg || plain || '',
    href: href || HREF,
  };
}
