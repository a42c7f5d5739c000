import { type Dialect, type ErrorShape, InvalidRequest, MessageRefused, PlatformError, type Problem, RouteNotFound } from '#core';
import { errorsWithMeta } from './schemas.js';

const VERSION = '0.1.0';

/** The `meta` of every response of these endpoints, as recorded from the service. */
export const metaOf = ({ network }: Dialect) => ({
  version: VERSION,
  backend: { name: network, version: 'latest' },
  api_status: 'stable' as const,
});

/** `to` is not a valid address of a recipient. */
export class RecipientNotValid extends PlatformError {
  constructor(details: string) {
    super(400, 'recipient_not_valid', details);
  }
}

/** The network's number and title, by the platform's error code. */
export const byReason: Readonly<Record<string, readonly [code: number, title: string]>> = {
  recipient_not_valid: [1013, 'Recipient is not valid'],
  number_not_carried: [1000, 'Number is not supported'],
  type_not_supported: [131051, 'Message type is not supported'],
  template_not_found: [-1, 'Template not found'],
  template_parameters_wrong: [2000, 'Number of parameters does not match the template'],
  contact_not_found: [1006, 'Contact not found'],
  message_not_found: [1006, 'Message not found'],
  medium_not_found: [1006, 'Media not found'],
  media_type_not_supported: [131053, 'Media type is not supported'],
};

/** The network's number and title for all other errors, by HTTP status. */
export const byStatus: Readonly<Record<number, readonly [code: number, title: string]>> = {
  400: [1009, 'Parameter value is not valid'],
  401: [1005, 'Access denied'],
  403: [1005, 'Access denied'],
  404: [1006, 'Resource not found'],
  408: [1009, 'Request timeout'],
  409: [1009, 'Parameter value is not valid'],
  413: [1009, 'Body too large'],
  415: [1009, 'Unsupported media type'],
  416: [1009, 'Range not satisfiable'],
  429: [429, 'Too Many Requests'],
  500: [1000, 'Internal error'],
  503: [1000, 'Service unavailable'],
};

/** The error shape of messages, media and contacts: `{ errors: [{ code, title, details }], meta }`. */
export const messageErrors = (dialect: Dialect): ErrorShape => ({
  render(error) {
    if (error.code === 'not_supported') return undefined;
    return { status: error.status, body: { errors: elementsOf(error), meta: metaOf(dialect) } };
  },
  schemas: Object.fromEntries(Object.keys(byStatus).map((status) => [status, errorsWithMeta])),
});

function elementsOf(error: PlatformError) {
  if (error instanceof MessageRefused) return [error.error];
  if (error instanceof InvalidRequest && error.problems.length > 0) return error.problems.map(elementOf);
  const [code, title] = byReason[error.code] ?? byStatus[error.status] ?? [error.status, error.code];
  return [{ code, title, details: error instanceof RouteNotFound ? withInstead(error) : error.message }];
}

/** The calls of the service that Posthorn does not have, or has only with an option: what there is instead. */
const instead: readonly (readonly [path: RegExp, what: string])[] = [
  [/\/v1\/chats\//, 'Conversations are read with GET /v1/contacts/{contact}/messages, and cannot be deleted or archived by a call'],
  [/\/v1\/contacts\/schemas?$/, 'Fields of contacts are read and set with GET and PATCH /v1/contacts/{contact}/profile'],
  [
    /\/v1\/data\//,
    'Exports begin with POST /v1/data/messages/cursor or /v1/data/statuses/cursor, and need the option `dataExport` of the plugin `messages`',
  ],
  [/\/v1\/messages\/[^/]+\/automation$/, 'Handing messages back needs the option `claims` of the plugin `messages`'],
];

function withInstead({ message, path }: RouteNotFound): string {
  const found = instead.find(([pattern]) => pattern.test(path));
  return found ? `${message}. ${found[1]}` : message;
}

const missing = new Set(['any.required', 'object.missing', 'any.null', 'string.empty']);

/** The network's number and title for a missing field. */
export const missingParameter = [1008, 'Required parameter is missing'] as const;

function elementOf({ rule, message }: Problem) {
  const [code, title] = missing.has(rule) ? missingParameter : byStatus[400]!;
  return { code, title, details: message };
}
