import { array, integer, named, object, oneOf, string } from '../shape.js';
import type { ErrorShape } from './plugin.js';

/** The body of a 403 `not_supported`, the same in every area (Errors, Flows API; Authentication, rule 4). */
export const notSupportedSchema = named(
  'NotSupported',
  object({
    meta: object({ version: oneOf('v1'), api_status: oneOf('stable'), http_code: integer() }),
    error: object({ code: oneOf('not_supported'), message: string(), type: oneOf('NotSupported') }),
  }),
);

/** The body of every error of areas that have no error shape of their own. */
export const errorsSchema = named(
  'Errors',
  object({ errors: array(object({ code: integer(), title: string(), details: string(), cause: string() })) }),
);

/** Code and title by HTTP status. The code is the messaging network's error code for this case if there is one, otherwise the status. */
const kinds: Readonly<Record<number, readonly [code: number, title: string]>> = {
  400: [1009, 'Parameter value is not valid'],
  401: [1005, 'Access denied'],
  403: [403, 'Forbidden'],
  404: [1006, 'Resource not found'],
  405: [405, 'Method not allowed'],
  408: [408, 'Request timeout'],
  409: [409, 'Conflict'],
  413: [413, 'Body too large'],
  415: [415, 'Unsupported media type'],
  416: [416, 'Range not satisfiable'],
  429: [429, 'Too Many Requests'],
  500: [500, 'Internal error'],
  502: [502, 'Bad gateway'],
  503: [503, 'Service unavailable'],
};

/** The platform's error shape. Areas without a shape of their own use it; so do errors that an area's shape does not render. */
export const defaultErrors: ErrorShape = {
  render({ status, code, message }) {
    if (code === 'not_supported') {
      const meta = { version: 'v1', api_status: 'stable', http_code: status };
      return { status, body: { meta, error: { code, message, type: 'NotSupported' } } };
    }
    const [number, title] = kinds[status] ?? [status, code];
    return { status, body: { errors: [{ code: number, title, details: message, cause: code }] } };
  },
  schemas: Object.fromEntries(Object.keys(kinds).map((status) => [status, errorsSchema])),
};
