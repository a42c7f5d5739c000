import Joi from 'joi';
import { placeOf } from '../errors.js';
import { hasMoreValues } from './json-body.js';

type Description = Joi.Description & { readonly keys?: Record<string, Description>; readonly items?: readonly Description[] };
type Path = readonly (string | number)[];

/** Report at most this many problems: explaining each takes long, and clients fix a few at a time. */
const MAX_REPORTED = 100;

/** Report only the first problem of a larger body: finding all takes up to 10 us per invalid value. */
const MAX_VALUES = 10_000;
const ONLY_FIRST: Joi.ValidationErrorItem = {
  message: `the body has more than ${MAX_VALUES} values, so only the first problem is named`,
  path: [],
  type: 'any.invalid',
};

/**
 * Returns a function that checks a request and returns it with a null counted as an absent field, unless the schema of the field
 * takes null. A valid request without such nulls is checked once; only the others pay for the search for nulls and for all problems.
 * The function rejects with a `Joi.ValidationError` whose details are explained.
 */
export function requestCheck(schema: Joi.Schema): (given: unknown) => Promise<object> {
  const asGiven = schema.prefs({ abortEarly: true });
  let lenient: { readonly upToFirst: Joi.Schema; readonly toTheEnd: Joi.Schema } | undefined;
  return async (given) => {
    try {
      return await asGiven.validateAsync(given);
    } catch (error) {
      if (!Joi.isError(error)) throw error;
    }
    // Made at the first refusal: for the schema of posted messages, the largest, it takes 31 ms of CPU and 720 KB of heap.
    lenient ??= inBothWays(withNullsAbsent(schema));
    const isLarge = hasMoreValues(given, MAX_VALUES);
    try {
      return await lenient[isLarge ? 'upToFirst' : 'toTheEnd'].validateAsync(given);
    } catch (error) {
      if (!Joi.isError(error)) throw error;
      throw isLarge ? new Joi.ValidationError(error.message, [...error.details, ONLY_FIRST], given) : explained(schema, error);
    }
  };
}

const inBothWays = (schema: Joi.Schema) => ({
  upToFirst: schema.prefs({ abortEarly: true }),
  toTheEnd: schema.prefs({ abortEarly: false }),
});

/** Terms of a joi schema that describe a field of an object. Elements of lists and entries of dictionaries are no optional fields. */
const FIELD_TERMS: ReadonlySet<string> = new Set(['keys', 'whens']);

/** A copy of a schema for which null is an absent field wherever the schema of the field does not take null. */
function withNullsAbsent(schema: Joi.Schema): Joi.Schema {
  const each = (part: Joi.Schema, { source, name, path }: PlaceOfPart): Joi.Schema => {
    // Conditions (`is`) compare fields that are checked already, and keys of a dictionary are never null.
    if (source !== 'terms' || path[0] === 'is' || (name === 'patterns' && path[0] === 'schema')) return part;
    const inner = withNullsAbsent(part);
    return FIELD_TERMS.has(name) && !takesNull(inner) ? inner.empty(null) : inner;
  };
  // joi's types declare `each` as a schema, and its code calls it.
  const copy = schema.$_modify({ each, ref: false } as object);
  return copy === schema ? schema : copy.$_mutateRebuild();
}

/** Where joi keeps a part of a schema. */
interface PlaceOfPart {
  readonly source: string;
  readonly name: string;
  /** Innermost step first. */
  readonly path: readonly (string | number)[];
}

function takesNull(schema: Joi.Schema): boolean {
  try {
    return schema.validate(null).error === undefined;
  } catch {
    // joi throws when a condition refers to a field outside of this schema; each branch is asked on its own.
    return true;
  }
}

/** What joi says of a request, and what it does not say: which keys are known where one is not. */
export function explained(schema: Joi.Schema, error: Joi.ValidationError): Joi.ValidationError {
  const left = error.details.length - MAX_REPORTED;
  const details = error.details.slice(0, MAX_REPORTED);
  const isUnknown = ({ type }: Joi.ValidationErrorItem) => type === 'object.unknown';
  if (left <= 0 && !details.some(isUnknown)) return error;
  const more =
    left > 0 ? [{ message: left === 1 ? '1 more thing is wrong' : `${left} more things are wrong`, path: [], type: 'any.invalid' }] : [];
  const description: Description | undefined = details.some(isUnknown) ? schema.describe() : undefined;
  const told = details.map((detail) =>
    description && isUnknown(detail) ? { ...detail, message: sentenceOf(description, detail.path) } : detail,
  );
  const all = [...told, ...more];
  return new Joi.ValidationError(all.map(({ message }) => message).join('; '), all, error._original);
}

function sentenceOf(whole: Description, path: Path): string {
  const around = path.slice(0, -1);
  const known = keysAt(whole, around);
  const place = around.length === 0 ? String((whole.flags as { label?: string } | undefined)?.label) : placeOf(around);
  const unknown = `${placeOf(path)} is not known`;
  return known ? `${unknown}: ${place} takes ${known.join(', ') || 'nothing'}` : unknown;
}

/** Undefined where it depends on what else was given. */
function keysAt(whole: Description, path: Path): readonly string[] | undefined {
  let at: Description | undefined = whole;
  for (const step of path) at = typeof step === 'number' ? onlyItem(at) : at?.keys?.[step];
  return at?.type === 'object' ? Object.keys(at.keys ?? {}) : undefined;
}

const onlyItem = (of: Description | undefined): Description | undefined => (of?.items?.length === 1 ? of.items[0] : undefined);
