import { defaultErrors } from '../../../contract/default-errors.js';
import type { ErrorShape } from '../../../contract/plugin.js';
import {
  BodyTooLarge,
  BodyTooSlow,
  Conflict,
  Forbidden,
  InternalError,
  InvalidRequest,
  MethodNotAllowed,
  NotFound,
  NotSupported,
  type PlatformError,
  RangeNotSatisfiable,
  RateLimited,
  RouteNotFound,
  Unauthorized,
  Unavailable,
  UnsupportedMediaType,
} from '../../../errors.js';
import type { Examples } from './content.js';

/** The parts of an operation that its error messages name. */
interface Failing {
  readonly method: string;
  readonly path: string;
  /** The kinds of number that it supports, if it does not support all. */
  readonly numbers: readonly string[] | undefined;
  /** Returns the path of a field that its body or query must have. */
  readonly field: () => readonly string[] | undefined;
}

/** The bodies that the area sends for an error status, by error code. */
export function errorExamples(status: number, failing: Failing, shape: ErrorShape | undefined): Examples {
  const examples = errorsWith(status, failing).flatMap((error) => {
    const rendered = shape?.render(error) ?? defaultErrors.render(error);
    return rendered?.status === status ? [[error.code, rendered.body] as const] : [];
  });
  return Object.fromEntries(examples);
}

/** A missing required field. If the route has none: an invalid path parameter, or else a malformed URL. */
function invalid(path: string, field: readonly string[] | undefined): InvalidRequest {
  if (field) return new InvalidRequest([{ path: field, rule: 'any.required', message: `"${field.join('.')}" is required` }]);
  const [, parameter] = /\{(\w+)/.exec(path) ?? [];
  if (parameter === undefined) return new InvalidRequest([], 'The request URL is malformed');
  return new InvalidRequest([{ path: [parameter], rule: 'any.invalid', message: `"${parameter}" contains an invalid value` }]);
}

/** A variable, so that the generated table of error codes does not list this example code. */
const CONFLICT = ['conflict', 'The current state does not allow this call'] as const;

function errorsWith(status: number, { method, path, numbers, field }: Failing): PlatformError[] {
  switch (status) {
    case 400:
      return [invalid(path, field())];
    case 401:
      return [new Unauthorized('The bearer token is missing or not valid')];
    case 403:
      return numbers
        ? [new NotSupported(numbers.includes('channel') ? 'network' : 'channel', `${method} ${path}`, numbers)]
        : [new Forbidden('The caller is not allowed to do this')];
    case 404:
      return path.includes('{') ? [new NotFound('resource', '5b0c7f7e-3c0d-4f4e-9b54-0d6c4a1f2e90')] : [new RouteNotFound(method, path)];
    case 405:
      return [new MethodNotAllowed(method, path, ['GET'])];
    case 408:
      return [new BodyTooSlow(10_000)];
    case 409:
      return [new Conflict(...CONFLICT)];
    case 413:
      return [new BodyTooLarge(1_048_576)];
    case 415:
      return [new UnsupportedMediaType('Send the body as application/json')];
    case 416:
      return [new RangeNotSatisfiable(48_213)];
    case 429:
      return [new RateLimited('general', 600, 17)];
    case 500:
      return [new InternalError('1767600000000:posthorn:1')];
    case 503:
      return [new Unavailable('The store accepts no writes at the moment; the log says why')];
    default:
      return [];
  }
}
