import type { Lifecycle, Request, ResponseObject, ResponseToolkit, ResponseValue } from '@hapi/hapi';
import Joi from 'joi';
import { answersOf } from '../contract/answers.js';
import { defaultErrors } from '../contract/default-errors.js';
import type { ErrorShape } from '../contract/plugin.js';
import type { Call, Route } from '../contract/route.js';
import {
  InternalError,
  InvalidRequest,
  MethodNotAllowed,
  NotReady,
  PlatformError,
  type Problem,
  RangeNotSatisfiable,
  RateLimited,
  Unauthorized,
  Unavailable,
  UnsupportedMediaType,
} from '../errors.js';
import type { Logger } from '../ports/logger.js';
import { StoreUnavailable, TransactionConflict } from '../ports/store.js';
import { TaskFailed } from '../ports/workers.js';
import { areaLog, mountedRoute, requestId } from './mounted-route.js';

/** The Retry-After of a 5xx that has none of its own. Clients take a 5xx without the header as final and do not retry. */
export const RETRY_AFTER_SECONDS = '5';

/** An error as a response in the shape of its area, or as a page where the route has one and the request asks for it. */
export function answer(h: ResponseToolkit, error: PlatformError, shape: ErrorShape | undefined): ResponseObject {
  const rendered = shape?.render(error) ?? defaultErrors.render(error);
  const errorPage = mountedRoute(h.request)?.route.errorPage;
  const page = errorPage && /\btext\/html\b/.test(String(h.request.headers.accept)) ? errorPage(error) : undefined;
  const response = jsonResponse(h.request, (page?.html ?? rendered?.body ?? null) as string | object | null).code(
    rendered?.status ?? error.status,
  );
  if (errorPage) response.vary('accept');
  if (page) response.type('text/html');
  for (const [name, value] of Object.entries(page?.headers ?? {})) response.header(name, value);
  if (error instanceof Unauthorized) response.header('www-authenticate', 'Bearer');
  if (error instanceof MethodNotAllowed) response.header('allow', error.allowed.join(', '));
  if (error instanceof RangeNotSatisfiable) response.header('content-range', `bytes */${error.size}`);
  if (error instanceof RateLimited || error instanceof Unavailable) response.header('retry-after', String(error.retryAfterSeconds));
  return response;
}

/**
 * Makes a response whose JSON we write instead of hapi: a source that JSON cannot express becomes a logged failure in our shape, where
 * hapi would answer a 500 of its own and log nothing. The JSON is written when the response is sent, so that the host application may
 * still change the source and its format, and an injected call finds the object as `result`.
 */
export const jsonResponse = (request: Request, source: string | object | null): ResponseObject =>
  request.generateResponse(source, { marshal: async (response) => written(response, request) as ResponseValue });

/** Calls the handler of a route. `jsonResponse` makes what it returns, and what it makes with its toolkit: hapi has a new one for each call. */
export async function respondingAsJson({ handler }: Route, call: Call, h: ResponseToolkit): Promise<Lifecycle.ReturnValue> {
  // A handler with one parameter has no toolkit. Replacing the method costs a quarter of an inbound message (about 50 us of CPU).
  if (handler.length !== 1) makesJson(h);
  const given = await handler(call, h);
  return isPlainValue(given) ? jsonResponse(h.request, given) : given;
}

function makesJson(h: ResponseToolkit): void {
  const { request, response } = h;
  h.response = (source) => {
    // Its checks stay in force, and a response passes as it is.
    const made = response.call(h, source);
    return made === source ? made : jsonResponse(request, source as object);
  };
}

/** Whether hapi would make a response of a value. */
const isPlainValue = (given: unknown): given is string | object | null =>
  given !== undefined && typeof given !== 'symbol' && !(given instanceof Error) && !isResponse(given);

const isResponse = (given: unknown): boolean => typeof (given as Partial<ResponseObject> | null)?.takeover === 'function';

function written(response: ResponseObject, request: Request): unknown {
  const { variety, source, settings } = response;
  if (variety !== 'plain' || typeof source === 'string' || source === null || settings.stringify) return source;
  const { replacer, space, suffix, escape: escapes } = request.route.settings.json ?? {};
  // The host application has chosen a format, which hapi applies.
  if (replacer || space || suffix || escapes) return source;
  try {
    const json = JSON.stringify(source) as string | undefined;
    if (json === undefined) throw new TypeError('it is no JSON');
    return json;
  } catch (error) {
    const log = areaLog(request);
    if (!log) throw error;
    const failure = understood(new Error('an answer cannot be written as JSON', { cause: error }), request, log);
    for (const name of ABOUT_THE_BODY) delete response.headers[name];
    response.code(failure.status).type('application/json').header('cache-control', 'no-cache').header('retry-after', RETRY_AFTER_SECONDS);
    return JSON.stringify(defaultErrors.render(failure)?.body);
  }
}

/** Headers that a handler has set for an answer that cannot be given. */
const ABOUT_THE_BODY = [
  ...['content-length', 'content-encoding', 'content-range', 'content-location', 'content-disposition', 'content-language'],
  ...['etag', 'last-modified', 'expires', 'location'],
];

type HttpFailure = Error & { readonly output?: { readonly statusCode: number } };

/** A failure of hapi's in our words; what nobody expected is our own fault. */
function toPlatformError(error: HttpFailure, id: string): PlatformError {
  if (error instanceof PlatformError) return error;
  if (error instanceof StoreUnavailable) return new Unavailable('The store takes no writes at the moment; the log says why');
  if (error instanceof TransactionConflict) return new Unavailable('Too many calls change the same thing at the moment; try again', 1);
  if (isDiskFault(error)) return new Unavailable('The disk takes no files at the moment; the log says why');
  if (error instanceof TaskFailed && error.reason === 'timed out')
    return new Unavailable('This took too long; try again when the machine has less to do');
  const status = error.output?.statusCode ?? 500;
  if (status === 401) return new Unauthorized(error.message);
  return status < 500 ? new PlatformError(status, 'bad_request', error.message) : new InternalError(id);
}

/** A failure in our words. What nobody expected is logged, and the answer says no more than where to look. */
export function understood(error: unknown, request: Request, log: Logger): PlatformError {
  const id = requestId(request);
  const ours = toPlatformError(error instanceof Error ? error : new Error(String(error)), id);
  if (ours.status >= 500 && !(error instanceof NotReady)) {
    // Not the path that was asked for: there may be a token in it.
    const { method, route } = request;
    log.error('a request failed', { request_id: id, method, path: route.path, error });
  }
  return ours;
}

const DISK_FAULTS = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'];

/** A file could not be written for a reason that somebody can take away. */
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

/** A missing body has a rule of its own, whatever joi reported; a named pattern adds its name. */
function ruleOf(path: Problem['path'], type: string, context: Joi.Context | undefined): string {
  if (path.length === 0 && context?.value === null) return 'any.null';
  return type === 'string.pattern.name' ? `string.pattern.${context?.name}` : type;
}

/** What is wrong with a body by the description of the API; undefined when nothing is. */
export type Nonconformance = (schema: Joi.Schema, body: unknown) => string | undefined;

/** What an answer has that its route does not declare; undefined when it is as declared, and as the description of the API has it. */
export function undeclared(
  route: Route,
  shape: ErrorShape | undefined,
  response: ResponseObject,
  nonconformance: Nonconformance,
): string | undefined {
  const { statusCode: status, source } = response;
  const schemas = answersOf(route, shape).get(status);
  if (!schemas) return `${route.method} ${route.path} declares no answer with status ${status}`;
  const isErrorPage = route.errorPage !== undefined && status >= 400 && String(response.headers['content-type']).startsWith('text/html');
  if ('contentType' in schemas || isErrorPage) return undefined;
  const failures = schemas.map((schema) => schema.validate(source, { convert: false, abortEarly: false }).error);
  const fitting = schemas[failures.indexOf(undefined)];
  if (!fitting) return `${route.method} ${route.path} ${status}: ${failures[0]?.message}`;
  const problem = nonconformance(fitting, source);
  return problem && `${route.method} ${route.path} ${status}, as the API is described: ${problem}`;
}
