import type Joi from 'joi';
import type { Route } from '../contract/route.js';

/** How joi checks requests of the public API. */
export const CHECKS: Joi.ValidationOptions = {
  allowUnknown: true,
  convert: true,
  presence: 'optional',
  stripUnknown: false,
  errors: { label: 'path', wrap: { label: false } },
};
const BODY_CHECKS: Joi.ValidationOptions = { ...CHECKS, convert: false, stripUnknown: { objects: true } };
/** How joi checks requests of the admin API, which refuse unknown keys. */
export const STRICT_CHECKS: Joi.ValidationOptions = { ...CHECKS, allowUnknown: false };
const STRICT_BODY_CHECKS: Joi.ValidationOptions = { ...STRICT_CHECKS, convert: false };

/** The schema that validates the JSON body of a route; undefined if the route takes none. */
export function bodySchemaOf({ request, body = 'json', method }: Route, isAdmin: boolean): Joi.Schema | undefined {
  if (method === 'GET' || body !== 'json') return undefined;
  return request?.payload?.label('the body').prefs(isAdmin ? STRICT_BODY_CHECKS : BODY_CHECKS);
}
