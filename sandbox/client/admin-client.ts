import { type ListedCause, refusalText } from '../../core/events/refusal-text.js';
import type { RunFile } from './run-file.js';

export interface StreamEvent {
  readonly id: string;
  readonly at: string;
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: every event has its own shape, and commands read a few fields of some
  readonly data: any;
}

/** No server responds at the URL of the sandbox. */
export class SandboxUnreachable extends Error {
  override readonly name = 'SandboxUnreachable';
}

/** The sandbox responded to a request with an error. */
export class SandboxRefused extends Error {
  override readonly name = 'SandboxRefused';
  readonly status: number;
  readonly reason: string;
  /** The raw body of the response. */
  readonly body: string;

  /** @param reason the text of the refusal, with what an operator does about it if that is known */
  constructor(request: string, status: number, body: string, reason = reasonIn(body)) {
    super(`the sandbox responded ${status} to ${request}: ${reason}`);
    this.status = status;
    this.reason = reason;
    this.body = body;
  }
}

/** The reason in an error body: its details, or the problems of each invalid field. */
export function reasonIn(body: string): string {
  try {
    const { errors } = JSON.parse(body) as { errors: { details: string }[] | Record<string, Record<string, string[]>> };
    if (Array.isArray(errors)) return errors.map(({ details }) => details).join('; ') || body;
    return Object.entries(errors)
      .flatMap(([part, fields]) => Object.entries(fields).map(([field, problems]) => `${part}.${field} ${problems.join(', ')}`))
      .join('; ');
  } catch {
    return body;
  }
}

export async function adminGet(run: RunFile, path: string, signal?: AbortSignal): Promise<unknown> {
  return (await request(run, path, signal ? { signal } : {})).json();
}

/** Like `adminGet`; undefined if the platform has no such route, because it is of an earlier release or lacks a plugin. */
export async function adminFind(run: RunFile, path: string): Promise<unknown> {
  return adminGet(run, path).catch((error: unknown) => {
    if (error instanceof SandboxRefused && error.status === 404) return undefined;
    throw error;
  });
}

/** Sends a request that changes something. @returns the response body */
export async function adminSend(
  run: RunFile,
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  payload?: object,
): Promise<unknown> {
  const body = payload && JSON.stringify(payload);
  return (
    await request(run, path, { method, headers: { 'content-type': 'application/json' }, ...(body !== undefined && { body }) })
  ).json();
}

/** Posts a text with further headers. @returns the text of the response */
export async function adminText(run: RunFile, path: string, body: string, headers: Record<string, string>): Promise<string> {
  return (await request(run, path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })).text();
}

export async function adminUpload(run: RunFile, path: string, { bytes, type }: { bytes: Uint8Array; type: string }): Promise<unknown> {
  const body = bytes as Uint8Array<ArrayBuffer>;
  return (await request(run, path, { method: 'POST', headers: { 'content-type': type }, body })).json();
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: Uint8Array;
  /** The content type of the body. */
  readonly type?: string;
}

/** Makes a call below `base` with an admin key or the token of a number. */
export async function makeCall(base: string, key: string, { method, path, body, type }: Call): Promise<{ status: number; body: string }> {
  const response = await checked(base, path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(type !== undefined && { 'content-type': type }) },
    ...(body && { body: body as Uint8Array<ArrayBuffer> }),
  });
  return { status: response.status, body: await response.text() };
}

/** Gets a document of the API that needs no key, such as `/openapi.json`. */
export async function publicGet({ api }: RunFile, path: string): Promise<unknown> {
  return (await checked(api, path, {})).json();
}

/** Opens the event stream. Resolves once the sandbox has opened the stream, so that the caller misses no later event. */
export async function openEvents(
  run: RunFile,
  { after, signal }: { after?: string | undefined; signal: AbortSignal },
): Promise<AsyncGenerator<StreamEvent>> {
  const { body } = await request(run, '/events', { signal, headers: after === undefined ? {} : { 'last-event-id': after } });
  // Piped here, as that locks the stream: fetch ends the stream of a response that was garbage-collected before anything has read from it.
  return events(body!.pipeThrough(new TextDecoderStream()));
}

interface RequestInit {
  readonly method?: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal;
  readonly headers?: Record<string, string>;
}

const request = ({ admin: { url, key } }: RunFile, path: string, init: RequestInit): Promise<Response> =>
  checked(url, path, { ...init, headers: { ...init.headers, authorization: `Bearer ${key}` } });

/** @throws SandboxUnreachable when no server answers, SandboxRefused for an error response */
async function checked(base: string, path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(`${base}${path}`, init).catch((error: Error) => {
    if (init.signal?.aborted) throw error;
    throw new SandboxUnreachable(`the sandbox at ${base} does not respond`);
  });
  if (response.ok) return response;
  const body = await response.text();
  const cause = response.headers.get('x-posthorn-cause');
  const reason = refusalText(reasonIn(body), cause, cause === null ? [] : await causesAt(base, init.headers));
  throw new SandboxRefused(`${init.method ?? 'GET'} ${path}`, response.status, body, reason);
}

/** The table of causes; empty where there is no admin API. */
async function causesAt(base: string, own: RequestInit['headers'] = {}): Promise<readonly ListedCause[]> {
  const listed = await fetch(`${base}/causes`, { headers: { authorization: own.authorization ?? '' } }).catch(() => undefined);
  return listed?.ok ? ((await listed.json()) as { causes: ListedCause[] }).causes : [];
}

/** Yields the events of a stream until the stream ends or the connection breaks. */
async function* events(chunks: ReadableStream<string>): AsyncGenerator<StreamEvent> {
  let text = '';
  try {
    for await (const chunk of chunks) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      yield* blocks.flatMap((block) => eventIn(block) ?? []);
    }
  } catch (error) {
    // `fetch` reports a broken connection as TypeError; our own abort is another error.
    if (!(error instanceof TypeError)) throw error;
  }
}

/** Undefined for blocks without data: comments and `retry` fields. */
function eventIn(block: string): StreamEvent | undefined {
  const fields = Object.fromEntries(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
  if (fields.data === undefined) return undefined;
  if (fields.event === 'gap') return { id: '', at: new Date().toISOString(), name: 'gap', data: JSON.parse(fields.data) };
  return { id: fields.id ?? '', ...JSON.parse(fields.data) };
}
