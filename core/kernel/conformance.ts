import { type Schema, Validator } from '@cfworker/json-schema';
import type Joi from 'joi';
import { jsonSchemaOf } from '../shape.js';

const validators = new WeakMap<Joi.Schema, Validator>();

/** What is wrong with a body by the JSON Schema that the description of the API has of it; undefined when nothing is. */
export function nonconformance(schema: Joi.Schema, body: unknown): string | undefined {
  let validator = validators.get(schema);
  if (!validator) {
    validator = new Validator(jsonSchemaOf(schema) as Schema, '2020-12');
    validators.set(schema, validator);
  }
  const { valid, errors } = validator.validate(JSON.parse(JSON.stringify(body ?? null)));
  return valid ? undefined : errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`).join('; ');
}
