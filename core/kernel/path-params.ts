import { isDeepStrictEqual } from 'node:util';
import type { Description, ObjectSchema, Schema } from 'joi';
import { isOfKnownKind } from '../shape.js';

/** The path parameters of a request. */
export type PathParams = Readonly<Record<string, unknown>>;
type Test = (value: unknown) => boolean;

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** ASCII only: joi decides about the case of other letters. */
const LOWER_CASE = /^[!-@[-~]+$/;

/**
 * Builds a fast test for path parameters: true means that joi would accept the parameters unchanged, so it need not run. On false, check
 * with joi. @returns undefined for a schema with rules that the test does not cover
 */
export function fastPathTest(schema: Schema): ((params: PathParams) => boolean) | undefined {
  const { type, keys, ...more } = schema.describe() as Description & { keys?: Record<string, Description> };
  if (type !== 'object' || !keys || Object.keys(more).length > 0 || !isOfKnownKind(schema)) return undefined;
  const tests = Object.entries(keys).map(([name, key]) => [name, testOf(key)] as const);
  if (tests.some(([name, test]) => !test || !isOfKnownKind((schema as ObjectSchema).extract([name])))) return undefined;
  return (params) => tests.every(([name, test]) => test!(params[name]));
}

/** Builds the test of one parameter. Covers required strings with a maximum length, lower-case strings, and uuids. */
function testOf({ type, flags, rules = [], ...more }: Description & { rules?: readonly Rule[] }): Test | undefined {
  if (type !== 'string' || !isDeepStrictEqual(flags, { presence: 'required' }) || Object.keys(more).length > 0) return undefined;
  let maxLength = Number.POSITIVE_INFINITY;
  const shapes: RegExp[] = [];
  for (const { name, args } of rules) {
    if (name === 'guid' && !args) shapes.push(GUID);
    else if (name === 'case' && args?.direction === 'lower') shapes.push(LOWER_CASE);
    else if (name === 'maxCharacters') maxLength = Math.min(maxLength, args!.limit!);
    else if (name !== 'minCharacters' || args!.limit !== 1) return undefined;
  }
  // UTF-16 units: never fewer than the characters that joi counts.
  return (value) => typeof value === 'string' && value !== '' && value.length <= maxLength && shapes.every((shape) => shape.test(value));
}

interface Rule {
  readonly name: string;
  readonly args?: { readonly limit?: number; readonly direction?: string };
}
