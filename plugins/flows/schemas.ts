import Joi from 'joi';
import { anyOf, anyString, array, boolean, dateTime, httpUrl, integer, named, nullable, object, oneOf, string, stringUpTo } from '#core';
import { flowActions } from './life-cycle.js';
import { flowCategories, flowStatuses } from './operator/flow-operator.js';

/** Requests and responses of the Flows API (Endpoints, "Flows"). */

/** Resources, "Response envelope". */
export const metaSchema = (status: number) =>
  object({ version: oneOf('v1'), api_status: oneOf('stable'), http_code: integer().valid(status) });

const span = { line_start: integer(), line_end: integer(), column_start: integer(), column_end: integer() };

/** Resources, "Validation error object". */
export const validationErrorSchema = named(
  'FlowValidationError',
  object({
    error: string(),
    error_type: string(),
    message: string(),
    ...span,
    pointers: array(object({ ...span, path: Joi.string().allow('') })),
  }),
);

export const successSchema = object({ meta: metaSchema(200), success: boolean().valid(true) });

const MAX_PAGE_SIZE = 1000;

/** A definition of 10 MB takes up to twice as many bytes when it is a string inside JSON. */
export const MAX_CREATE_BYTES = 22 * 1024 * 1024;

const name = () => stringUpTo(200).pattern(/\S/).message('{{#label}} must not be blank');
export const categories = () =>
  array(oneOf(...flowCategories))
    .min(1)
    .unique();

/** The definition as JSON text, validated and stored unchanged, or as an object. */
const flowJson = anyOf(anyString(), named('FlowDefinition', Joi.object().unknown() as Joi.ObjectSchema<Record<string, unknown>>));

/** Null in an optional field means the same as leaving it out. */
export const newFlowSchema = named(
  'NewFlow',
  object({ name: name(), flow_json: flowJson }, { categories: nullable(categories()), publish: nullable(boolean()) }),
);

/** Null removes `endpoint_uri` and `application_id`, and leaves the other fields as they are. */
export const changeSchema = named(
  'FlowChange',
  object(
    {},
    {
      name: nullable(name()),
      categories: nullable(categories()),
      endpoint_uri: nullable(httpUrl()),
      application_id: nullable(stringUpTo(256)),
      flow_json: Joi.any().description('Ignored: an update leaves the flow JSON as it is. Upload it to `/assets`.'),
    },
  ),
);

export const flowParams = object({ flow_id: stringUpTo(200) });

/** Repeated query keys are accepted, as clients written for the network may send them. */
const repeated = anyOf(anyString(), array(anyString()));

/** Unknown keys are ignored. */
export const listQuery = object(
  {},
  { fields: repeated, limit: integer().min(1).max(MAX_PAGE_SIZE), after: anyString(), before: anyString() },
);
export const fieldsQuery = object({}, { fields: repeated });

const errors = array(validationErrorSchema);

export const previewQuery = object({}, { invalidate: repeated, fields: repeated });

/** `validation_errors` are those of the operator. */
const localErrors = {
  local_validation_errors: errors.description('The errors that this platform found before it sent the definition to a remote operator.'),
};
export const createdSchema = object({ meta: metaSchema(201), id: string(), validation_errors: errors }, localErrors);
export const uploadedSchema = object({ meta: metaSchema(200), success: boolean().valid(true), validation_errors: errors }, localErrors);

/** `id`, `name` and `status`, with `categories` and `validation_errors` unless `?fields=` selects other fields. */
export const flowSchema = named(
  'Flow',
  object(
    { id: string(), name: string(), status: oneOf(...flowStatuses) },
    {
      categories: array(oneOf(...flowCategories)),
      validation_errors: errors,
      endpoint_uri: string(),
      application: object({ id: string() }),
      json_version: string(),
      data_api_version: string(),
      updated_at: dateTime(),
    },
  ),
);
export const listSchema = object(
  { meta: metaSchema(200), data: array(flowSchema) },
  { paging: object({ cursors: object({}, { before: string(), after: string() }) }) },
);

export const assetsSchema = object({
  meta: metaSchema(200),
  data: array(object({ name: string(), asset_type: string(), download_url: string() })),
});

export const previewSchema = object({ meta: metaSchema(200), preview_url: string(), expires_at: dateTime() });

/** A flow as the admin API shows it. */
export const adminFlowSchema = named(
  'AdminFlow',
  object(
    {
      id: string(),
      account: string(),
      name: string(),
      status: oneOf(...flowStatuses),
      categories: array(oneOf(...flowCategories)),
      validation_errors: array(validationErrorSchema),
      hints: array(validationErrorSchema),
      /** Screen ids. */
      screens: array(string()),
      /** The statuses that `POST /flows/{id}/health` can give it. */
      health_moves: array(oneOf(...flowStatuses)),
      /** Why each action that is not possible now would be refused. */
      refusals: object({}, Object.fromEntries(flowActions.map((action) => [action, string()]))),
      created_at: dateTime(),
      updated_at: dateTime(),
    },
    { endpoint_uri: string(), application_id: string(), json_version: string() },
  ),
);

/** The part of an error schema's name that stands for its status. */
const statusWords = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'RequestTimeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'TooLarge',
  415: 'UnsupportedType',
  416: 'RangeNotSatisfiable',
  429: 'RateLimited',
  500: 'InternalError',
  503: 'Unavailable',
} as const;
export type ErrorStatus = keyof typeof statusWords;

/** The body of an error with this status: any of its three shapes (Errors, Flows API). */
export function errorSchema(status: ErrorStatus) {
  const envelope = { meta: metaSchema(status) };
  const name = `Flow${statusWords[status]}`;
  const reason = object({ ...envelope, error: object({ code: string(), message: string(), type: oneOf('NotSupported', 'BadRequest') }) });
  const exception = object({
    ...envelope,
    error: object({
      code: integer().description('100, or the code of a remote operator'),
      message: string(),
      error_user_title: string(),
      error_user_msg: string(),
      type: oneOf('OAuthException'),
    }),
  });
  const texts = { title: string(), details: string() };
  // The list of a 400 names no flow or no business account, without a code.
  const list = object({
    ...envelope,
    errors: array(status === 400 ? object(texts, { code: integer() }) : object({ ...texts, code: integer() })),
  });
  return named(name, anyOf(named(`${name}Reason`, reason), named(`${name}Exception`, exception), named(`${name}List`, list)));
}
