import { type Schema, Validator } from '@cfworker/json-schema';
import type Joi from 'joi';
import { messageOf } from '../../../errors.js';
import { answerSchemaOf } from './schema.js';

const validators = new WeakMap<Joi.Schema, Validator>();

/** Validates a body with the JSON Schema that the OpenAPI document has for it. @returns the problems; undefined when it conforms */
export function nonconformance(schema: Joi.Schema, body: unknown): string | undefined {
  let validator = validators.get(schema);
  if (!validator) {
    validator = new Validator(answerSchemaOf(schema) as Schema, '2020-12');
    validators.set(schema, validator);
  }
  let json: unknown;
  try {
    json = JSON.parse(JSON.stringify(body ?? null));
  } catch (error) {
    return `it is not JSON: ${messageOf(error)}`;
  }
  const { valid, errors } = validator.validate(json);
  return valid ? undefined : errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`).join('; ');
}
