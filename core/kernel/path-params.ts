import { isDeepStrictEqual } from 'node:util';
import type { Description, ObjectSchema, Schema } from 'joi';
import { isOfKnownKind } from '../shape.js';

/** The names in a path, by what they are called there. */
export type PathParams = Readonly<Record<string, unknown>>;
type Test = (value: unknown) => boolean;

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Letters beyond ASCII are left to joi, which knows what is small there. */
const SMALL = /^[!-@[-~]+$/;

/**
 * Whether there is nothing to object to in the names of a path, and nothing to change. What is in a path is always text, so a
 * look at it does for most. Who fails here is still to be checked in full. @returns undefined for a schema that wants more
 */
export function plainPath(schema: Schema): ((params: PathParams) => boolean) | undefined {
  const { type, keys, ...more } = schema.describe() as Description & { keys?: Record<string, Description> };
  if (type !== 'object' || !keys || Object.keys(more).length > 0 || !isOfKnownKind(schema)) return undefined;
  const tests = Object.entries(keys).map(([name, key]) => [name, testOf(key)] as const);
  if (tests.some(([name, test]) => !test || !isOfKnownKind((schema as ObjectSchema).extract([name])))) return undefined;
  return (params) => tests.every(([name, test]) => test!(params[name]));
}

/** A text that has to be there, of at most so many characters, or in small letters, or a uuid. */
function testOf({ type, flags, rules = [], ...more }: Description & { rules?: readonly Rule[] }): Test | undefined {
  if (type !== 'string' || !isDeepStrictEqual(flags, { presence: 'required' }) || Object.keys(more).length > 0) return undefined;
  let most = Number.POSITIVE_INFINITY;
  const shapes: RegExp[] = [];
  for (const { name, args } of rules) {
    if (name === 'guid' && !args) shapes.push(GUID);
    else if (name === 'case' && args?.direction === 'lower') shapes.push(SMALL);
    else if (name === 'longest') most = Math.min(most, args!.limit!);
    else if (name !== 'shortest' || args!.limit !== 1) return undefined;
  }
  // Counted in parts of characters, of which there are as many or more.
  return (value) => typeof value === 'string' && value !== '' && value.length <= most && shapes.every((shape) => shape.test(value));
}

interface Rule {
  readonly name: string;
  readonly args?: { readonly limit?: number; readonly direction?: string };
}
