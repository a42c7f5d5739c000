import type Joi from 'joi';
import { examplesOf, type JsonSchema } from '../../../shape.js';
import { exampleOf } from './example.js';
import { answerSchemaOf } from './schema.js';

/** Describes a body with one of several schemas. Its examples are the declared ones, else `more`, else one generated from the schema. */
export function contentOf(
  all: readonly Joi.Schema[],
  { describe = answerSchemaOf, more = {} }: { readonly describe?: (schema: Joi.Schema) => JsonSchema; readonly more?: Examples } = {},
): object {
  const described = all.map(describe);
  const schema: JsonSchema = described.length === 1 ? described[0]! : { anyOf: described };
  const declared: Examples = { ...Object.assign({}, ...all.map(examplesOf)), ...more };
  const [first, ...others] = Object.values(declared);
  if (first === undefined) return { schema, example: exampleOf(schema) };
  if (others.length === 0) return { schema, example: first };
  return { schema, examples: Object.fromEntries(Object.entries(declared).map(([name, value]) => [name, { value }])) };
}

/** Bodies by the names of their examples. */
export type Examples = Readonly<Record<string, unknown>>;
