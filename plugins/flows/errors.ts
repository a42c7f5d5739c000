import { type ErrorShape, InvalidRequest, MethodNotAllowed, PlatformError, RouteNotFound } from '#core';
import { withExamples } from '#core/schemas';
import { meta } from './envelope.js';
import { FlowOperatorError, type FlowRefusal, FlowRefused } from './operator/flow-operator.js';
import { type ErrorStatus, errorSchema } from './schemas.js';

/** The path has no flow id (Errors, Flows API: "`flow_id` missing"). */
class FlowIdMissing extends PlatformError {
  constructor() {
    super(400, 'missing_parameters', 'The parameter flow_id is missing from the path');
  }
}

/** The number of the token belongs to no business account. */
export class NoBusinessAccount extends PlatformError {
  constructor(number: string) {
    super(400, 'no_business_account', `The number ${number} is not associated with a business account`);
  }
}

/** The preview URL has expired (Endpoints, Flows rule 1). */
export class PreviewExpired extends PlatformError {
  constructor(expired: string) {
    super(410, 'preview_expired', `This preview expired at ${expired}; get a new URL from the preview endpoint`);
  }
}

class OperatorRefused extends PlatformError {
  readonly reason: FlowRefusal;

  constructor({ reason, message }: FlowRefused) {
    super(400, causeOf[reason], message);
    this.reason = reason;
  }
}

/** Translates refusals of the operator into errors of the Flows API. */
export async function withApiErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof FlowRefused ? new OperatorRefused(error) : error;
  }
}

/** The cause of each refusal. */
export const causeOf: Readonly<Record<FlowRefusal, string>> = {
  invalid_status: 'invalid_flow_status',
  has_errors: 'flow_has_errors',
  name_taken: 'flow_name_taken',
  no_application: 'flow_has_no_application',
  unknown_cursor: 'unknown_cursor',
  not_found: 'flow_not_found',
};

/** The message and the user-visible title of each refusal. */
const refusals: Readonly<Record<Exclude<FlowRefusal, 'not_found'>, readonly [message: string, title: string]>> = {
  invalid_status: ['The flow is in an invalid status for this operation', 'Invalid Flow Status'],
  has_errors: ['Flow has validation errors', 'Validation Failed'],
  name_taken: ['The flow name is not unique', 'Flow Name Not Unique'],
  no_application: ['The flow has an endpoint and no application', 'Application Missing'],
  unknown_cursor: ['The cursor is not known', 'Unknown Cursor'],
};

/** The error code of an invalid token in all APIs with tokens of numbers. */
const ACCESS_DENIED = 1005;

const titles: Readonly<Record<ErrorStatus, string>> = {
  400: 'Bad request',
  401: 'Access denied',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Request timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'Body too large',
  415: 'Unsupported media type',
  416: 'Range not satisfiable',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Service unavailable',
};

const operatorError = (message: string, title: string, details: string, code = 100) => ({
  error: { code, message, error_user_title: title, error_user_msg: details, type: 'OAuthException' },
});

const MISSING = new Set(['any.required', 'any.null', 'object.missing']);

function render(thrown: PlatformError) {
  const isUnknown = thrown instanceof RouteNotFound || thrown instanceof MethodNotAllowed;
  const error = isUnknown && lacksFlowId(thrown) ? new FlowIdMissing() : thrown;
  const { status } = error;
  return { status, body: { meta: meta(status), ...bodyOf(error) } };
}

const FLOW = '1234567890123456';
const NUMBER = '5b0c7f7e-3c0d-4f4e-9b54-0d6c4a1f2e90';

/** The errors of the interface's table (Errors, Flows API), in the order of that table, for the OpenAPI document. */
const badRequests = (): PlatformError[] => [
  new FlowIdMissing(),
  refusal('not_found', `Flow ${FLOW} does not exist in the business account of the number`),
  new NoBusinessAccount(NUMBER),
  refusal('invalid_status', `The flow ${FLOW} is PUBLISHED`),
  refusal('has_errors', `The flow ${FLOW} has 2 validation errors`),
];

const refusal = (reason: FlowRefusal, message: string): PlatformError => new OperatorRefused(new FlowRefused(reason, message));

/** Renders errors of the Flows API with `meta`, in the shapes of the interface (Errors, Flows API). */
export const flowErrors: ErrorShape = {
  render,
  schemas: {
    ...Object.fromEntries(Object.keys(titles).map((status) => [status, errorSchema(Number(status) as ErrorStatus)])),
    400: withExamples(errorSchema(400), Object.fromEntries(badRequests().map((error) => [error.code, render(error).body]))),
  },
};

const ID_LEFT_OUT = /\/v1\/flows(?:\/{0,2}|\/\/(?:assets|publish|deprecate|preview)\/?)$/;

/** Whether a path lacks only the flow_id: `DELETE /v1/flows`, `/v1/flows//publish`. */
const lacksFlowId = ({ method, path }: RouteNotFound | MethodNotAllowed): boolean =>
  ID_LEFT_OUT.test(path) && (method === 'DELETE' || (method === 'POST' && path.endsWith('/')) || path.includes('//'));

function bodyOf(error: PlatformError): object {
  const { status, code, message } = error;
  if (code === 'not_supported') return { error: { code, message, type: 'NotSupported' } };
  if (error instanceof FlowIdMissing) return { error: { code, message, type: 'BadRequest' } };
  if (error instanceof NoBusinessAccount) return { errors: [{ title: 'WABA not found', details: message }] };
  if (error instanceof FlowOperatorError) {
    const { code, message, title, details } = error.texts;
    return operatorError(message, title, details, code);
  }
  if (error instanceof OperatorRefused) {
    if (error.reason === 'not_found') return { errors: [{ title: 'Flow not found', details: message }] };
    return operatorError(...refusals[error.reason], message);
  }
  if (error instanceof InvalidRequest) {
    const missing = error.problems.filter(({ rule }) => MISSING.has(rule)).map(({ path }) => path.join('.') || 'the body');
    if (missing.length > 0)
      return { error: { code: 'missing_parameters', message: `Missing parameters: ${missing.join(', ')}`, type: 'BadRequest' } };
    return operatorError('Invalid parameter', 'Invalid Parameter', message);
  }
  return { errors: [{ code: status === 401 ? ACCESS_DENIED : status, title: titles[status as ErrorStatus] ?? code, details: message }] };
}
