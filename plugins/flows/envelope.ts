import Joi from 'joi';
import { fields, flag, list, oneOf, text, whole } from '#core';

/** What every response of the Flows API carries (Resources, "Response envelope"). */
export const meta = (status: number) => ({ version: 'v1' as const, api_status: 'stable' as const, http_code: status });

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
export const done = () => ({ meta: meta(200), success: true as const });
