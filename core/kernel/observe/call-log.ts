import type { Request, ResponseObject, Server } from '@hapi/hapi';
import type { Route } from '../../contract/route.js';
import type { Problem } from '../../errors.js';
import { Newest, type NewestLimits } from '../../memory/newest.js';
import type { Caller } from '../../messaging/token.js';
import type { Clock } from '../../ports/clock.js';
import { event } from '../../ports/events.js';
import { shownHeaders } from '../../ports/http-client.js';
import { anyOf, anyString, array, boolean, integer, named, nullable, object, string, type TypeOf } from '../../shape.js';
import { problemsOf } from '../http/answers.js';
import { mountedRoute, requestId } from '../http/mounted-route.js';

/** A longer body is cut. */
const MAX_BODY_BYTES = 64 * 1024;
/** Approximate heap of a call without its bodies and headers. */
const CALL_BYTES = 1_000;
/** The first status of a refused call. */
export const REFUSED = 400;

const headerList = array(array(anyString()).length(2));
const body = object({
  /** The size; null if it is unknown, because the platform refused the call without reading its body. */
  bytes: nullable(integer()),
  /** Null if the body was not read, or is a file. */
  text: nullable(anyString()),
  /** Whether the rest of a longer body is missing. */
  cut: boolean(),
});
const summary = {
  /** The `X-Request-Id` of the response. */
  id: string(),
  at: string(),
  method: string(),
  /** With the query. */
  path: string(),
  /** Method and path of the route; null if no route has this path and method. */
  route: nullable(string()),
  /** The number that the token belongs to; null without a valid token. */
  number: nullable(object({ uuid: string(), address: string(), name: string() })),
  status: integer(),
  ms: integer(),
  /** The error of a refused call, as the response states it. */
  error: nullable(string()),
};

/** `path`: names of fields and indexes of items, from the outermost to the field. `message`: what is wrong with it. */
const problem = object({ path: array(anyOf(anyString(), integer())), message: string() });

const contents = {
  request: object({
    headers: headerList,
    body,
    /** The fields of a refused call that violate its schema; empty if the cause is another one. */
    problems: array(problem),
  }),
  response: object({ headers: headerList, body }),
};

export const callSchema = named('RecordedCall', object({ ...summary, ...contents }));
/** A call in a list that need not have headers and bodies. */
export const listedCallSchema = object(summary, contents);
/** A call of the API, and the response to it. Credentials in headers are masked. */
export type RecordedCall = TypeOf<typeof callSchema>;
/** A call without headers and bodies. */
export type CallSummary = Omit<RecordedCall, 'request' | 'response'>;

/** Emitted for each recorded call. */
export const callAnswered = event<CallSummary>('call.answered', 'The platform responded to a call of the API.', {
  immutableBytes: () => CALL_BYTES,
});

/** The parts of a call that are known before the response. */
interface Noted {
  caller: Caller | undefined;
  body: Buffer | undefined;
}

/** A call as it is kept: texts and headers are made when a client reads them, because most are never read. */
interface KeptCall {
  readonly about: CallSummary;
  /** Each name, followed by its value. */
  readonly headers: readonly string[];
  readonly body: RequestBody;
  readonly problems: readonly Problem[];
  readonly answer: Answer;
  /** Those of the response, to which hapi adds more when it sends it. */
  readonly answerHeaders: Readonly<Record<string, unknown>>;
}

/** Records the calls of the API in memory, refused ones too. The platform has none unless `recording.calls` is set. */
export type CallLog = ReturnType<typeof createCallLog>;

export function createCallLog({
  clock,
  limits,
  announce,
}: {
  readonly clock: Pick<Clock, 'now'>;
  readonly limits: NewestLimits;
  readonly announce: (type: typeof callAnswered, payload: CallSummary) => void;
}) {
  const calls = new Newest<KeptCall>(limits);
  const noted = new WeakMap<Request, Noted>();

  return {
    /** Call when the token of a request is known. */
    identified: (request: Request, caller: Caller): void => void noted.set(request, { caller, body: undefined }),

    /** Call when the body of a request was read. */
    received(request: Request, body: Buffer): void {
      const known = noted.get(request);
      if (known) known.body = body;
      else noted.set(request, { caller: undefined, body });
    },

    /** Call when the response is known, before it is sent. */
    answered(request: Request, response: ResponseObject): void {
      const { caller, body } = noted.get(request) ?? {};
      const { raw, info, method } = request;
      const mounted = mountedRoute(request)?.route;
      const answer = answerOf(response);
      const about: CallSummary = {
        id: requestId(request),
        at: clock.now().toISOString(),
        method: method.toUpperCase(),
        path: withoutCredentials(raw.req.url ?? request.path),
        route: mounted ? `${mounted.method} ${mounted.path}` : null,
        number: caller ? { uuid: caller.number.uuid, address: caller.number.address, name: caller.number.name } : null,
        status: response.statusCode,
        ms: Date.now() - info.received,
        error: response.statusCode >= REFUSED && typeof answer === 'string' ? errorIn(answer) : null,
      };
      // Requests that the host or a plugin injects into the server have no raw headers.
      const headers = raw.req.rawHeaders ?? Object.entries(raw.req.headers).flatMap(([name, value]) => [name, String(value)]);
      const kept = {
        about,
        headers,
        body: requestBody(request, body),
        problems: problemsOf(response),
        answer,
        answerHeaders: response.headers,
      };
      const bytes = headers.reduce((size, { length }) => size + length, CALL_BYTES);
      calls.add(about.id, kept, bytes + (kept.body.bytes?.length ?? 0) + (typeof answer === 'string' ? answer.length : 0));
      announce(callAnswered, about);
    },

    /** The calls without headers and bodies, newest first, with functions that read the whole. */
    newestFirst: (): readonly { readonly about: CallSummary; readonly read: () => RecordedCall }[] =>
      Array.from(calls.newestFirst(), (kept) => ({ about: kept.about, read: () => shown(kept) })),

    /** Removes the calls whose path, body or response the condition selects. */
    forget(mentions: (text: string) => boolean): void {
      calls.remove(({ about, body, answer }) => [about.path, body.bytes?.toString() ?? '', String(answer)].some(mentions));
    },

    /** The call with this id, if it is one of the newest. A client may send the same id for several calls; this is the newest. */
    get(id: string): RecordedCall | undefined {
      const kept = calls.of(id).at(-1);
      return kept && shown(kept);
    },
  };
}

function shown({ about, headers, body, problems, answer, answerHeaders }: KeptCall): RecordedCall {
  const flat = Object.entries(answerHeaders).flatMap(([name, value]) => [name, String(value)]);
  return {
    ...about,
    request: {
      headers: shownHeaders(headers),
      body: { bytes: body.size, text: body.bytes?.toString() ?? null, cut: body.cut },
      problems: problems.map(({ path, message }) => ({ path: [...path], message })),
    },
    response: { headers: shownHeaders(flat), body: shownAnswer(answer) },
  };
}

/** Records a call with its response, if it is one of the API. */
export type Recorder = (request: Request, response: ResponseObject) => void;

/** The recorder of a server; undefined unless calls are recorded. */
export function recorderOf(
  { calls, areas }: { readonly calls: CallLog | undefined; readonly areas: readonly { readonly routes: readonly Route[] }[] },
  server: Server,
): Recorder | undefined {
  if (!calls) return undefined;
  const isCall = callFilter(
    areas.flatMap(({ routes }) => routes),
    server.realm.modifiers.route.prefix ?? '',
  );
  return (request, response) => {
    if (isCall(request)) calls.answered(request, response);
  };
}

/**
 * Which requests are calls of the API: those to its routes with a token, and those to unknown paths beside them. Not pages, health checks
 * and contents of media files, which need no token.
 */
function callFilter(routes: readonly Pick<Route, 'path' | 'auth'>[], prefix: string): (request: Request) => boolean {
  const roots = [...new Set(routes.filter(({ auth }) => auth !== 'none').map(({ path }) => `${prefix}/${path.split('/')[1]}/`))];
  return (request) => {
    const mounted = mountedRoute(request);
    return mounted ? mounted.route.auth !== 'none' : roots.some((root) => `${request.path ?? ''}/`.startsWith(root));
  };
}

interface RequestBody {
  /** Null if the platform refused the call without reading its body, whose size is unknown. */
  readonly size: number | null;
  /** Undefined if the body was not read, or is a file. */
  readonly bytes: Buffer | undefined;
  readonly cut: boolean;
}

const NO_BYTES = Buffer.alloc(0);

function requestBody(request: Request, body: Buffer | undefined): RequestBody {
  if (body) {
    const size = body.length;
    if (mountedRoute(request)?.route.body === 'bytes') return { size, bytes: undefined, cut: false };
    // A copy of the beginning, so that the rest is freed.
    return size > MAX_BODY_BYTES
      ? { size, bytes: Buffer.from(body.subarray(0, MAX_BODY_BYTES)), cut: true }
      : { size, bytes: body, cut: false };
  }
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (length === undefined && encoding === undefined) return { size: 0, bytes: NO_BYTES, cut: false };
  return { size: length === undefined ? null : Number(length), bytes: undefined, cut: false };
}

/** The text of a response; of a file only its size, and null for a stream, whose size is unknown. */
type Answer = string | number | null;

/** The response as the platform serializes it. */
function answerOf({ source, variety }: ResponseObject): Answer {
  if (typeof source === 'string') return source;
  if (source === null || source === undefined) return '';
  if (Buffer.isBuffer(source)) return source.length;
  return variety === 'plain' ? jsonOf(source) : null;
}

function shownAnswer(answer: Answer): RecordedCall['response']['body'] {
  if (typeof answer !== 'string') return { bytes: answer, text: null, cut: false };
  const bytes = Buffer.byteLength(answer);
  return { bytes, text: answer.slice(0, MAX_BODY_BYTES), cut: answer.length > MAX_BODY_BYTES };
}

/** Empty for a value that JSON cannot express; its response is a 500, which the log explains. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

const withoutCredentials = (url: string): string =>
  !url.includes('?') ? url : url.replace(/([?&][^=&]*(?:token|secret|password|key|signature)[^=&]*=)[^&]*/gi, '$1…');

/** The sentences of an error body in any shape that the API has. */
function errorIn(text: string): string | null {
  try {
    const { errors, error, meta } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const found = JSON.stringify(errors ?? error ?? meta ?? null);
    return found === 'null' ? text : found;
  } catch {
    return text === '' ? null : text;
  }
}
