import type Joi from 'joi';
import type { Route } from '../../contract/route.js';
import { invalidRequest } from './answers.js';
import { fastPathTest, type PathParams } from './path-params.js';
import { requestCheck } from './refusals.js';

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

/** Whether the JSON body of a route is validated. */
export const hasJsonBody = ({ request, body = 'json', method }: Route): boolean =>
  method !== 'GET' && body === 'json' && request?.payload !== undefined;

/** The schema that validates the JSON body of a route; undefined if the route takes none. */
export function bodySchemaOf(route: Route, isAdmin: boolean): Joi.Schema | undefined {
  if (!hasJsonBody(route)) return undefined;
  return route.request?.payload?.label('the body').prefs(isAdmin ? STRICT_BODY_CHECKS : BODY_CHECKS);
}

/** As hapi calls it. The schema has its options: hapi would merge them again for every request. */
export function checked(schemaOf: () => Joi.Schema): (value: unknown) => Promise<object> {
  const check = requestCheck(schemaOf);
  return async (value) => check(value);
}

export interface PathCheck {
  /** Whether joi would accept the parameters unchanged, so that `check` need not run. */
  readonly needsNoJoi: (params: PathParams) => boolean;
  /** @throws InvalidRequest */
  readonly check: (params: PathParams) => Promise<object>;
}

/** @returns undefined when the schema has rules that only joi can check */
export function createPathCheck(schema: Joi.Schema): PathCheck | undefined {
  const needsNoJoi = fastPathTest(schema);
  const check = checked(() => schema.prefs(CHECKS));
  const refuse = (error: Error) => Promise.reject(invalidRequest(error));
  return needsNoJoi && { needsNoJoi, check: (params) => check(params).catch(refuse) };
}

/** Reports a missing body by its missing fields, or as missing when no field is required. */
export function checkedBody(schema: () => Joi.Schema): (body: unknown) => Promise<object> | object {
  const check = requestCheck(schema);
  const absent = (refusal: Error) =>
    Promise.resolve(check({})).then(() => {
      throw refusal;
    });
  return (body) => (body === null ? Promise.resolve(check(null)).catch(absent) : check(body));
}
