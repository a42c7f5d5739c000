import Joi from 'joi';
import { anyOf, anyText, fields, flag, httpUrl, list, moment, nullable, oneOf, text, textUpTo, whole } from '#core';
import { flowCategories, flowStatuses } from './operator/flow-operator.js';

/** What the Flows API is sent and what it answers (Endpoints, "Flows"). */

/** Resources, "Response envelope". */
export const metaSchema = (status: number) =>
  fields({ version: oneOf('v1'), api_status: oneOf('stable'), http_code: whole().valid(status) });

const span = { line_start: whole(), line_end: whole(), column_start: whole(), column_end: whole() };

/** Resources, "Validation error object". */
export const validationErrorSchema = fields({
  error: text(),
  error_type: text(),
  message: text(),
  ...span,
  pointers: list(fields({ ...span, path: Joi.string().allow('') })),
});

export const successSchema = fields({ meta: metaSchema(200), success: flag().valid(true) });

const MOST_FLOWS_A_PAGE = 1000;

/** A definition of ten megabytes is up to twice as long as text inside JSON. */
export const MAX_CREATE_BYTES = 22 * 1024 * 1024;

const name = () => textUpTo(200).pattern(/\S/).message('{{#label}} must be more than white space');
export const categories = () =>
  list(oneOf(...flowCategories))
    .min(1)
    .unique();

/** Either JSON as text, which is measured as it stands, or the object itself. */
const flowJson = anyOf(anyText(), Joi.object().unknown() as Joi.ObjectSchema<Record<string, unknown>>);

/** Null is as good as nothing where something may be left out. */
export const newFlowSchema = fields(
  { name: name(), flow_json: flowJson },
  { categories: nullable(categories()), publish: nullable(flag()) },
);

/** What is null is left as it is, or is taken away where a flow can do without it. */
export const changeSchema = fields(
  {},
  {
    name: nullable(name()),
    categories: nullable(categories()),
    endpoint_uri: nullable(httpUrl()),
    application_id: nullable(textUpTo(256)),
    flow_json: Joi.any().description('Ignored: an update leaves the flow JSON as it is. Upload it to `/assets`.'),
  },
);

export const flowParams = fields({ flow_id: textUpTo(200) });

/** A key of a query may come several times; clients of the network are not refused for it. */
const repeated = anyOf(anyText(), list(anyText()));

/** Other keys are ignored. */
export const listQuery = fields(
  {},
  { fields: repeated, limit: whole().min(1).max(MOST_FLOWS_A_PAGE), after: anyText(), before: anyText() },
);
export const fieldsQuery = fields({}, { fields: repeated });

const errors = list(validationErrorSchema);

export const previewQuery = fields({}, { invalidate: repeated, fields: repeated });

export const createdSchema = fields({ meta: metaSchema(201), id: text(), validation_errors: errors });
export const uploadedSchema = fields({ meta: metaSchema(200), success: flag().valid(true), validation_errors: errors });

/** Five fields unless `?fields=` names others. */
export const flowSchema = fields(
  { id: text() },
  {
    name: text(),
    status: oneOf(...flowStatuses),
    categories: list(oneOf(...flowCategories)),
    validation_errors: errors,
    endpoint_uri: text(),
    application: fields({ id: text() }),
    json_version: text(),
    data_api_version: text(),
    updated_at: moment(),
  },
);
export const listSchema = fields(
  { meta: metaSchema(200), data: list(flowSchema) },
  { paging: fields({ cursors: fields({}, { before: text(), after: text() }) }) },
);

export const assetsSchema = fields({
  meta: metaSchema(200),
  data: list(fields({ name: text(), asset_type: text(), download_url: text() })),
});

export const previewSchema = fields({ meta: metaSchema(200), preview_url: text(), expires_at: moment() });

/** A flow as the admin API shows it. */
export const shownSchema = fields(
  {
    id: text(),
    account: text(),
    name: text(),
    status: oneOf(...flowStatuses),
    categories: list(oneOf(...flowCategories)),
    validation_errors: list(validationErrorSchema),
    hints: list(validationErrorSchema),
    /** Their ids. */
    screens: list(text()),
    /** The statuses that `POST /flows/{id}/health` can give it. */
    health_moves: list(oneOf(...flowStatuses)),
    created_at: moment(),
    updated_at: moment(),
  },
  { endpoint_uri: text(), application_id: text(), json_version: text() },
);

/** The body of an error with this status, in any of its shapes (Errors, Flows API). */
export function errorSchema(status: number) {
  const envelope = { meta: metaSchema(status) };
  return anyOf(
    fields({ ...envelope, error: fields({ code: text(), message: text(), type: oneOf('NotSupported', 'BadRequest') }) }),
    fields({
      ...envelope,
      error: fields({
        code: whole().valid(100),
        message: text(),
        error_user_title: text(),
        error_user_msg: text(),
        type: oneOf('OAuthException'),
      }),
    }),
    fields({ ...envelope, errors: list(fields({ title: text(), details: text() }, { code: whole() })) }),
  );
}
