import { type Schema, Validator } from '@cfworker/json-schema';
import type Joi from 'joi';
import { messageOf } from '../errors.js';
import { jsonSchemaOf } from '../shape.js';

const validators = new WeakMap<Joi.Schema, Validator>();

/** What is wrong with a body by the JSON Schema that the description of the API has of it; undefined when nothing is. */
export function nonconformance(schema: Joi.Schema, body: unknown): string | undefined {
  let validator = validators.get(schema);
  if (!validator) {
    validator = new Validator(jsonSchemaOf(schema) as Schema, '2020-12');
    validators.set(schema, validator);
  }
  let written: unknown;
  try {
    written = JSON.parse(JSON.stringify(body ?? null));
  } catch (error) {
    return `it is no JSON: ${messageOf(error)}`;
  }
  const { valid, errors } = validator.validate(written);
  return valid ? undefined : errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`).join('; ');
}
