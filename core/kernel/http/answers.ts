import type { Lifecycle, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import Joi from 'joi';
import { answersOf } from '../../contract/answers.js';
import { CAUSE_HEADER } from '../../contract/cause.js';
import { defaultErrors } from '../../contract/default-errors.js';
import type { ErrorShape } from '../../contract/plugin.js';
import type { Call, Route } from '../../contract/route.js';
import {
  InternalError,
  InvalidRequest,
  MethodNotAllowed,
  NotReady,
  PlatformError,
  type Problem,
  RangeNotSatisfiable,
  RateLimited,
  throwerOf,
  Unauthorized,
  Unavailable,
  UnsupportedMediaType,
} from '../../errors.js';
import type { Logger } from '../../ports/logger.js';
import { type Steps, wait } from '../../ports/steps.js';
import { DocumentDamaged, StoreUnavailable, TransactionConflict } from '../../ports/store.js';
import { TaskFailed } from '../../ports/workers.js';
import { areaOf, mountedRoute, requestId } from './mounted-route.js';

/** Default `Retry-After` of 5xx responses. Clients treat a 5xx without this header as final. */
export const RETRY_AFTER_SECONDS = '5';

/** The problems of the requests that were refused, by their responses. */
const problems = new WeakMap<ResponseObject, readonly Problem[]>();

/** The fields of a request that violate its schema, if the response refuses it for that. */
export const problemsOf = (response: ResponseObject): readonly Problem[] => problems.get(response) ?? [];

/** Renders an error in the shape of its area, or as the error page of the route when the client accepts HTML. */
export function errorResponse(
  h: ResponseToolkit,
  error: PlatformError,
  shape: ErrorShape | undefined,
  errorPage = mountedRoute(h.request)?.route.errorPage,
): ResponseObject {
  const rendered = shape?.render(error) ?? defaultErrors.render(error);
  const page =
    errorPage && /\btext\/html\b/.test(String(h.request.headers.accept))
      ? errorPage(error, (h.request.raw.req.url ?? '').split('?')[0]!)
      : undefined;
  const response = jsonResponse(h.request, (page?.html ?? rendered?.body ?? null) as string | object | null).code(
    rendered?.status ?? error.status,
  );
  response.headers[CAUSE_HEADER] = error.code;
  if (errorPage) response.vary('accept');
  if (page) response.type('text/html; charset=utf-8');
  for (const [name, value] of Object.entries(page?.headers ?? {})) response.header(name, value);
  if (error instanceof InvalidRequest) problems.set(response, error.problems);
  if (error instanceof Unauthorized) response.header('www-authenticate', 'Bearer');
  if (error instanceof MethodNotAllowed) response.header('allow', error.allowed.join(', '));
  if (error instanceof RangeNotSatisfiable) response.header('content-range', `bytes */${error.size}`);
  if (error instanceof RateLimited || error instanceof Unavailable) response.header('retry-after', String(error.retryAfterSeconds));
  return response;
}

/**
 * Builds a response that the platform serializes instead of hapi, which would respond to a value that JSON cannot express with its own 500
 * and
 * log nothing. Serializes when the response is sent: until then the host may change the value and its format, and an injected call finds
 * the object as `result`.
 */
export const jsonResponse = (request: Request, source: string | object | null): ResponseObject =>
  request.generateResponse(source, { marshal: (response) => serialized(response, request) as never });

/** Calls the handler of a route. Values that it returns, and responses of its toolkit, are serialized by the platform. */
export function* respondingAsJson({ handler }: Route, call: Call, h: ResponseToolkit): Steps<Lifecycle.ReturnValue> {
  // Only for handlers that take the toolkit: replacing its method costs a quarter of an inbound message (50 us of CPU).
  if (handler.length !== 1) serializeToolkitResponses(h);
  const returned = yield* wait(handler(call, h));
  return isPlainValue(returned) ? jsonResponse(h.request, returned) : returned;
}

function serializeToolkitResponses(h: ResponseToolkit): void {
  const { request, response } = h;
  h.response = (source) => {
    // hapi's method still checks the source, and returns a response unchanged.
    const created = response.call(h, source);
    return created === source ? created : jsonResponse(request, source as object);
  };
}

/** Whether hapi would wrap a value in a response. */
const isPlainValue = (value: unknown): value is string | object | null =>
  value !== undefined && typeof value !== 'symbol' && !(value instanceof Error) && !isResponse(value);

const isResponse = (value: unknown): boolean => typeof (value as Partial<ResponseObject> | null)?.takeover === 'function';

function serialized(response: ResponseObject, request: Request): unknown {
  const { variety, source, settings } = response;
  if (variety !== 'plain' || typeof source === 'string' || source === null || settings.stringify) return source;
  const { replacer, space, suffix, escape: escapes } = request.route.settings.json ?? {};
  if (space || suffix || escapes) {
    // The host application configured a format, which hapi applies. Its replacer would change the content too.
    if (replacer) response.replacer(unchanged);
    return source;
  }
  try {
    const json = JSON.stringify(source) as string | undefined;
    if (json === undefined) throw new TypeError('JSON has no such value');
    return json;
  } catch (error) {
    const area = areaOf(request);
    if (!area) throw error;
    const failure = loggedFailure(new Error('a response cannot be serialized as JSON', { cause: error }), request, area.log);
    for (const name of BODY_HEADERS) delete response.headers[name];
    response.code(failure.status).type('application/json').header('cache-control', 'no-cache').header('retry-after', RETRY_AFTER_SECONDS);
    response.headers[CAUSE_HEADER] = failure.code;
    return JSON.stringify(defaultErrors.render(failure)?.body);
  }
}

const unchanged = (_: string, value: unknown): unknown => value;

/** Headers that describe the body that could not be sent. */
const BODY_HEADERS = [
  ...['content-length', 'content-encoding', 'content-range', 'content-location', 'content-disposition', 'content-language'],
  ...['etag', 'last-modified', 'expires', 'location'],
];

type HttpFailure = Error & { readonly output?: { readonly statusCode: number } };

/** Maps an error of hapi, the store or a worker to a `PlatformError`; other errors become a 500. */
function toPlatformError(error: HttpFailure, id: string): PlatformError {
  if (error instanceof PlatformError) return error;
  if (error instanceof StoreUnavailable)
    return new Unavailable('The store accepts no writes at the moment; the log says why', 5, 'store_unavailable');
  if (error instanceof DocumentDamaged)
    return new Unavailable('A document that the call needs is damaged on disk; the log names its file', 60, 'document_damaged');
  if (error instanceof TransactionConflict)
    return new Unavailable('Too many calls change the same data at the moment; try again', 1, 'store_conflict');
  if (isDiskFault(error)) return new Unavailable('The disk accepts no files at the moment; the log says why', 5, 'disk_unavailable');
  if (error instanceof TaskFailed && error.reason === 'timed out')
    return new Unavailable('The call took too long; try again when the machine is less busy', 5, 'call_timed_out');
  const status = error.output?.statusCode ?? 500;
  if (status === 401) return new Unauthorized(error.message);
  return status < 500 ? new PlatformError(status, 'bad_request', error.message) : new InternalError(id);
}

/**
 * Turns anything that was thrown into a `PlatformError`, and logs it if its status is 5xx. A call that fails because the platform has not
 * started, or has stopped, gets a `NotReady` that says so.
 */
export function loggedFailure(error: unknown, request: Request, log: Logger): PlatformError {
  const id = requestId(request);
  const failure = toPlatformError(error instanceof Error ? error : new Error(String(error)), id);
  const notRunning = failure.status >= 500 ? areaOf(request)?.whyNotRunning() : undefined;
  if (notRunning !== undefined) return new NotReady(notRunning);
  if (failure.status >= 500 && !(error instanceof NotReady)) {
    // The path of the route, not that of the request: the latter may contain a token.
    const { method, route } = request;
    log.error('a request failed', { ...throwerOf(error), request_id: id, method, path: route.path, error });
  }
  return failure;
}

const DISK_FAULTS = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'];

/** Whether writing a file failed for a reason that an operator can fix, such as a full disk. */
function isDiskFault(error: Error): boolean {
  return 'code' in error && DISK_FAULTS.includes(String(error.code));
}

export function unreadableBody(error: HttpFailure): PlatformError {
  if (error.output?.statusCode === 415) return new UnsupportedMediaType('Send the body as application/json');
  return new InvalidRequest([], `The body cannot be read: ${error.message}`);
}

export function invalidRequest(error: Error): InvalidRequest {
  if (!Joi.isError(error)) return new InvalidRequest([], error.message);
  return new InvalidRequest(
    error.details.map(({ path, type, message, context }) => ({ path, rule: ruleOf(path, type, context), message })),
  );
}

/** A missing body is always `any.null`, whatever joi reported; a named pattern adds its name. */
function ruleOf(path: Problem['path'], type: string, context: Joi.Context | undefined): string {
  if (path.length === 0 && context?.value === null) return 'any.null';
  return type === 'string.pattern.name' ? `string.pattern.${context?.name}` : type;
}

/** Says how a body violates the JSON Schema of the OpenAPI document; undefined when it conforms. */
export type Nonconformance = (schema: Joi.Schema, body: unknown) => string | undefined;

/** Says how a response differs from the declaration of its route or from the OpenAPI document; undefined when it conforms to both. */
export function responseProblem(
  route: Route,
  shape: ErrorShape | undefined,
  response: ResponseObject,
  nonconformance: Nonconformance,
): string | undefined {
  const { statusCode: status, source } = response;
  const schemas = answersOf(route, shape).get(status);
  if (!schemas) return `${route.method} ${route.path} declares no response with status ${status}`;
  const isErrorPage = route.errorPage !== undefined && status >= 400 && String(response.headers['content-type']).startsWith('text/html');
  if ('contentType' in schemas || isErrorPage) return undefined;
  const failures = schemas.map((schema) => schema.validate(source, { convert: false, abortEarly: false }).error);
  const matching = schemas[failures.indexOf(undefined)];
  if (!matching) return `${route.method} ${route.path} ${status}: ${failures[0]?.message}`;
  const problem = nonconformance(matching, source);
  return problem && `${route.method} ${route.path} ${status}, by the OpenAPI document: ${problem}`;
}
