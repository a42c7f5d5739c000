import { signal } from '@preact/signals';
import { type ListedCause, refusalText } from '../../../../core/events/refusal-text.js';
import { SERVER } from './address.js';
import { texts } from './texts.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The server responded with an error, or did not respond. `message` can be shown to the user. */
export class CallFailed extends Error {
  /** The status; 0 if the server did not respond. */
  readonly status: number;
  /** The body of the response, if it was JSON. */
  readonly body: unknown;
  /** Whether the operator may not make the call. */
  readonly isNotPermitted: boolean;

  constructor(message: string, status: number, body: unknown, isNotPermitted = false) {
    super(message);
    this.status = status;
    this.body = body;
    this.isNotPermitted = isNotPermitted;
  }
}

/** Why a call failed, to show beside the control that made it. */
export const reasonOf = (error: unknown): string => (error instanceof CallFailed ? error.message : String(error));

/** Pages read again after this time if the server did not respond: the event stream may have missed nothing. */
export const RETRY_MS = 2_000;

/** Whether the server did not respond to a call. */
export const isUnreachable = (error: unknown): boolean => error instanceof CallFailed && error.status === 0;

/** Whether the server refused the session of this browser. */
export const isSignedOut = signal(false);

/** How many calls the server has refused because the operator lacks a permission, which the page expected to be there. */
export const permissionsMissed = signal(0);

type CheckCall = (method: Method, path: string) => Promise<void>;
let checkCall: CheckCall = async () => {};

/** Checks every call before it is made; `check` throws `CallFailed` to prevent the call. */
export function checkCalls(check: CheckCall): void {
  checkCall = check;
}

/**
 * Calls the admin API with the session of this browser.
 * @param path below `/admin/v1`, with its query
 * @throws CallFailed
 */
export function admin<T>(method: Method, path: string, payload?: unknown, abort?: AbortSignal): Promise<T> {
  return call<T>(
    method,
    path,
    payload === undefined ? undefined : new Blob([JSON.stringify(payload)], { type: 'application/json' }),
    abort,
  );
}

/** Posts the bytes of a file to a route of the admin API. @throws CallFailed */
export const upload = <T>(path: string, file: File): Promise<T> => call<T>('POST', path, file);

async function call<T>(method: Method, path: string, body: Blob | undefined, abort?: AbortSignal): Promise<T> {
  await checkCall(method, path);
  abort?.throwIfAborted();
  const response = await fetch(new URL(`admin/v1${path}`, SERVER), {
    method,
    cache: 'no-store',
    headers: {
      accept: 'application/json',
      ...(method !== 'GET' && { 'x-posthorn': '1' }),
      ...(body && { 'content-type': body.type }),
    },
    ...(body && { body }),
    ...(abort && { signal: abort }),
  }).catch((error: unknown) => {
    if (abort?.aborted) throw error;
    throw new CallFailed(texts.theServerDoesNotRespond, 0, undefined);
  });
  if (response.status === 401) isSignedOut.value = true;
  const text = await response.text();
  const result = parsed(text);
  if (response.ok) return result as T;
  const what = errorIn(result) ?? texts.theServerRespondedWith(response.status);
  const cause = response.headers.get('x-posthorn-cause');
  if (cause === PERMISSION_MISSING) {
    permissionsMissed.value++;
    throw new CallFailed(what, response.status, result, true);
  }
  const known = cause === null || path === CAUSES || isSignedOut.value ? [] : await knownCauses();
  throw new CallFailed(refusalText(what, cause, known), response.status, result);
}

const PERMISSION_MISSING = 'permission_missing';
const CAUSES = '/causes';
let causes: Promise<{ causes: readonly ListedCause[] }> | undefined;

/** The table of causes of the platform; empty if it cannot be read now. */
async function knownCauses(): Promise<readonly ListedCause[]> {
  causes ??= admin('GET', CAUSES);
  const known = await causes.catch(() => {
    causes = undefined;
  });
  return known?.causes ?? [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The message in an error response. */
function errorIn(body: unknown): string | undefined {
  const { error, errors } = (body ?? {}) as { error?: { message?: string }; errors?: readonly ErrorEntry[] | FieldErrors };
  const messages = [
    error?.message,
    ...(Array.isArray(errors) ? errors.map(({ title, details }) => details ?? title) : fieldErrors(errors)),
  ];
  return messages.filter((one) => typeof one === 'string' && one !== '').join('; ') || undefined;
}

interface ErrorEntry {
  readonly title?: string;
  readonly details?: string;
}

/** The errors that connectors get: `{ contact: { id: ["can't be blank"] } }`. */
type FieldErrors = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const fieldErrors = (errors: unknown): string[] =>
  Object.entries((errors ?? {}) as FieldErrors).flatMap(([object, fields]) =>
    Object.entries(fields).map(([field, texts]) => `${object}.${field}: ${texts.join(', ')}`),
  );

/** Builds a query from the values that are set: `?a=1&b=x`, or nothing. */
export function queryOf(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const pairs = Object.entries(values).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, String(value)]]));
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
