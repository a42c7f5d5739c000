/** Titles of error codes, and their HTTP status where it is not 400. */
const KNOWN: Readonly<Record<number, readonly [title: string, status?: number]>> = {
  0: ['AuthException', 401],
  1: ['API Unknown'],
  2: ['API Service', 503],
  3: ['API Method', 500],
  4: ['API Too Many Calls', 429],
  10: ['Permission Denied', 403],
  33: ['Parameter value is not valid'],
  100: ['Invalid parameter'],
  104: ['An access token is required', 200],
  190: ['Access token has expired', 401],
  200: ['API Permission', 403],
  368: ['Temporarily blocked for policies violations', 403],
  80007: ['Rate limit issues', 429],
  130403: ['Message blocked by the business'],
  130429: ['Rate limit hit', 429],
  130472: ['User’s number is part of an experiment'],
  130497: ['Business account is restricted from messaging users in this country.', 403],
  131000: ['Something went wrong', 500],
  131005: ['Access denied', 403],
  131008: ['Required parameter is missing'],
  131009: ['Parameter value is not valid'],
  131016: ['Service unavailable', 503],
  131021: ['Recipient cannot be sender'],
  131026: ['Message undeliverable'],
  131030: ['Recipient phone number not in allowed list'],
  131031: ['Account has been locked', 403],
  131037: ['Display name is not approved'],
  131042: ['Business eligibility payment issue'],
  131045: ['Incorrect certificate', 500],
  131047: ['Re-engagement message'],
  131048: ['Spam rate limit hit', 429],
  131049: ['This message was not delivered to maintain healthy ecosystem engagement.'],
  131050: ['User has stopped marketing messages'],
  131051: ['Unsupported message type'],
  131052: ['Media download error'],
  131053: ['Media upload error'],
  131056: ['(Business Account, Consumer Account) pair rate limit hit', 429],
  131057: ['Account in maintenance mode', 500],
  132000: ['Number of parameters does not match the expected number of params'],
  132001: ['Template name does not exist in the translation', 404],
  132005: ['Translated text too long'],
  132007: ['Template format character policy violated'],
  132012: ['Parameter format does not match format in the created template'],
  132015: ['Template is paused'],
  132016: ['Template is disabled'],
  132018: ['There is an issue with the parameters in the template'],
  132068: ['Flow is blocked'],
  132069: ['Flow is throttled'],
  133004: ['Server temporarily unavailable', 503],
  133010: ['Phone number not registered'],
  135000: ['Generic user error'],
  139000: ['Blocked by integrity'],
  139001: ['Flow can’t be updated'],
  139002: ['Publishing without specifying endpoint_uri is forbidden'],
  139003: ['Flow can’t be deprecated'],
  139004: ['Flow can’t be deleted'],
};
const THROTTLED: ReadonlySet<number> = new Set([4, 80007, 130429, 131048, 131056]);

export const isThrottling = (code: number): boolean => THROTTLED.has(code);
export const titleOf = (code: number): string => KNOWN[code]?.[0] ?? 'Something went wrong';

/** The fields of an error of Graph; all but the code have defaults. */
export interface GraphErrorFields {
  readonly code: number;
  readonly details?: string;
  readonly title?: string;
  /** The message without the code in front, if it is not the title. */
  readonly message?: string;
  readonly status?: number;
  readonly type?: string;
  readonly subcode?: number;
  readonly userTitle?: string;
  readonly userMessage?: string;
  readonly isTransient?: boolean;
}

/** A refusal of the stand-in: an HTTP status and a body in the form of Graph. */
export class GraphError extends Error {
  override readonly name = 'GraphError';
  readonly fields: GraphErrorFields;

  constructor(code: number, details?: string, fields: Partial<GraphErrorFields> = {}) {
    super(details ?? titleOf(code));
    this.fields = { ...fields, code, ...(details !== undefined && { details }) };
  }
}

/** Graph gives this answer for objects that do not exist and for objects of others. */
export const unknownObject = (id: string): GraphError =>
  new GraphError(100, undefined, {
    message: `Unsupported post request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation.`,
    type: 'GraphMethodException',
    subcode: 33,
  });

/** The answer for an error: `trace` makes its `fbtrace_id`. */
export function errorAnswer(fields: GraphErrorFields, trace: string, throttledStatus: number): { status: number; body: unknown } {
  const { code, details, title = titleOf(code), message, type = 'OAuthException', subcode } = fields;
  const status = fields.status ?? (isThrottling(code) ? throttledStatus : (KNOWN[code]?.[1] ?? 400));
  const error = {
    message: message ?? `(#${code}) ${title}`,
    type,
    code,
    ...(details !== undefined && { error_data: { messaging_product: 'whatsapp', details } }),
    ...(subcode !== undefined && { error_subcode: subcode }),
    ...(fields.isTransient !== undefined && { is_transient: fields.isTransient }),
    ...(fields.userTitle !== undefined && { error_user_title: fields.userTitle }),
    ...(fields.userMessage !== undefined && { error_user_msg: fields.userMessage }),
    fbtrace_id: trace,
  };
  return { status, body: { error } };
}

/** The same error as an item of `errors` in a webhook. */
export function webhookError({ code, details, title = titleOf(code) }: GraphErrorFields): Record<string, unknown> {
  return {
    code,
    title,
    message: title,
    error_data: { details: details ?? title },
    href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
  };
}
