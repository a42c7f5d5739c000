import type { Schema } from 'joi';
import { isOfKnownKind } from '../../shape.js';

/** The path parameters of a request. */
export type PathParams = Readonly<Record<string, unknown>>;
type Test = (value: unknown) => boolean;

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** ASCII only: joi decides about the case of other letters. */
const LOWER_CASE = /^[!-@[-~]+$/;

/** The parts of a joi schema that decide on a value. `describe` shows the same, but takes a twentieth of the start of a platform. */
interface Parts {
  readonly type: string;
  readonly _flags: Readonly<Record<string, unknown>>;
  readonly _rules: readonly { readonly name: string; readonly args?: Args }[];
  readonly _valids: unknown;
  readonly _invalids: unknown;
  readonly _preferences: unknown;
  readonly $_terms: Readonly<Record<string, readonly unknown[] | null>>;
}

interface Args {
  readonly limit?: number;
  readonly direction?: string;
  readonly options?: object;
}

/**
 * Builds a fast test for path parameters: true means that joi would accept the parameters unchanged, so it need not run. On false, check
 * with joi. @returns undefined for a schema with rules that the test does not cover
 */
export function fastPathTest(schema: Schema): ((params: PathParams) => boolean) | undefined {
  const { type, _flags, _rules, $_terms } = schema as unknown as Parts;
  const { keys, ...terms } = $_terms;
  if (type !== 'object' || !keys || !isOfKnownKind(schema) || !isPlain(schema) || !isEmpty(_flags) || _rules.length > 0) return undefined;
  if (!Object.values(terms).every(isEmpty)) return undefined;
  const tests: (readonly [name: string, test: Test])[] = [];
  for (const { key, schema } of keys as readonly { key: string; schema: Schema }[]) {
    const test = testOf(schema);
    if (!test) return undefined;
    tests.push([key, test]);
  }
  return (params) => tests.every(([name, test]) => test(params[name]));
}

const isEmpty = (given: object | null | undefined): boolean => !given || Object.keys(given).length === 0;

/** Whether a schema has neither listed values nor preferences of its own. */
function isPlain(schema: Schema): boolean {
  const { _valids, _invalids, _preferences } = schema as unknown as Parts;
  return !_valids && !_invalids && !_preferences;
}

/** Builds the test of one parameter. Covers required strings with a maximum length, lower-case strings, and uuids. */
function testOf(schema: Schema): Test | undefined {
  const { type, _flags, _rules, $_terms } = schema as unknown as Parts;
  const { presence, ...flags } = _flags;
  if (type !== 'string' || presence !== 'required' || !isEmpty(flags) || !isOfKnownKind(schema) || !isPlain(schema)) return undefined;
  if (!Object.values($_terms).every(isEmpty)) return undefined;
  let maxLength = Number.POSITIVE_INFINITY;
  const shapes: RegExp[] = [];
  for (const { name, args } of _rules) {
    if (name === 'guid' && isEmpty(args?.options)) shapes.push(GUID);
    else if (name === 'case' && args?.direction === 'lower') shapes.push(LOWER_CASE);
    else if (name === 'maxCharacters') maxLength = Math.min(maxLength, args!.limit!);
    else if (name !== 'minCharacters' || args!.limit !== 1) return undefined;
  }
  // UTF-16 units: never fewer than the characters that joi counts.
  return (value) => typeof value === 'string' && value !== '' && value.length <= maxLength && shapes.every((shape) => shape.test(value));
}
