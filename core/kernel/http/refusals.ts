import Joi from 'joi';
import { placeOf } from '../../errors.js';
import { compiledCheck } from './compiled-check.js';
import { hasMoreValues } from './json-body.js';

type Description = Joi.Description & { readonly keys?: Record<string, Description>; readonly items?: readonly Description[] };
type Path = readonly (string | number)[];

/** Report at most this many problems: explaining them takes long, and clients fix a few at a time. */
const MAX_REPORTED = 100;

/** Report only the first problem of a body with more values: finding all takes up to 10 us per invalid value. */
const MAX_VALUES = 10_000;
const ONLY_FIRST: Joi.ValidationErrorItem = {
  message: `the body has more than ${MAX_VALUES} values, so only the first problem is named`,
  path: [],
  type: 'any.invalid',
};

/**
 * Returns a function that validates a request. A null counts as an absent field unless its schema accepts null. A valid request without such
 * nulls is validated once, mostly without a promise; others take a second pass. Rejects with a `Joi.ValidationError` that names known keys
 * and the number of unreported problems.
 * @param schemaOf builds the schema at the first request: most routes of a process are never called
 */
export function requestCheck(schemaOf: () => Joi.Schema): (request: unknown) => Promise<object> | object {
  let built: Built | undefined;
  let compiled: ReturnType<typeof compiledCheck> | 'none';
  let lenient: { readonly firstProblem: Joi.Schema; readonly allProblems: Joi.Schema } | undefined;
  return (request) => {
    built ??= strictly(schemaOf());
    compiled ??= compiledCheck(built.schema) ?? 'none';
    return compiled !== 'none' && compiled(request) ? (request as object) : byJoi(built, request);
  };

  async function byJoi({ schema, strict }: Built, request: unknown): Promise<object> {
    try {
      return await strict.validateAsync(request);
    } catch (error) {
      if (!Joi.isError(error)) throw error;
    }
    // Built on first use: the largest schema, of posted messages, takes 31 ms of CPU and 720 KB of heap.
    lenient ??= bothModes(withNullsAbsent(schema));
    const isLarge = hasMoreValues(request, MAX_VALUES);
    try {
      return await lenient[isLarge ? 'firstProblem' : 'allProblems'].validateAsync(request);
    } catch (error) {
      if (!Joi.isError(error)) throw error;
      throw isLarge ? new Joi.ValidationError(error.message, [...error.details, ONLY_FIRST], request) : explained(schema, error);
    }
  }
}

interface Built {
  readonly schema: Joi.Schema;
  /** Ends at the first problem. */
  readonly strict: Joi.Schema;
}

const strictly = (schema: Joi.Schema): Built => ({ schema, strict: schema.prefs({ abortEarly: true }) });

const bothModes = (schema: Joi.Schema) => ({
  firstProblem: schema.prefs({ abortEarly: true }),
  allProblems: schema.prefs({ abortEarly: false }),
});

/** Terms of a joi schema that describe fields of an object. A null in a list or dictionary does not count as absent. */
const FIELD_TERMS: ReadonlySet<string> = new Set(['keys', 'whens']);

/** Copies a schema so that null counts as absent for every field that does not accept null. */
function withNullsAbsent(schema: Joi.Schema): Joi.Schema {
  const each = (part: Joi.Schema, { source, name, path }: PlaceOfPart): Joi.Schema => {
    // Conditions (`is`) compare fields that were validated already, and keys of a dictionary are never null.
    if (source !== 'terms' || path[0] === 'is' || (name === 'patterns' && path[0] === 'schema')) return part;
    const inner = withNullsAbsent(part);
    return FIELD_TERMS.has(name) && !acceptsNull(inner) ? inner.empty(null) : inner;
  };
  // joi's types declare `each` as a schema; its code calls it.
  const copy = schema.$_modify({ each, ref: false } as object);
  return copy === schema ? schema : copy.$_mutateRebuild();
}

interface PlaceOfPart {
  readonly source: string;
  readonly name: string;
  /** Innermost step first. */
  readonly path: readonly (string | number)[];
}

function acceptsNull(schema: Joi.Schema): boolean {
  try {
    return schema.validate(null).error === undefined;
  } catch {
    // joi throws when a condition refers to a field outside of this schema; `each` visits its branches separately.
    return true;
  }
}

/** Limits the problems of a joi error, and adds the known keys to the messages about unknown ones. */
export function explained(schema: Joi.Schema, error: Joi.ValidationError): Joi.ValidationError {
  const unreported = error.details.length - MAX_REPORTED;
  const details = error.details.slice(0, MAX_REPORTED);
  const isUnknown = ({ type }: Joi.ValidationErrorItem) => type === 'object.unknown';
  if (unreported <= 0 && !details.some(isUnknown)) return error;
  const more =
    unreported > 0 ? [{ message: unreported === 1 ? '1 more problem' : `${unreported} more problems`, path: [], type: 'any.invalid' }] : [];
  const description: Description | undefined = details.some(isUnknown) ? schema.describe() : undefined;
  const explainedDetails = details.map((detail) =>
    description && isUnknown(detail) ? { ...detail, message: unknownKeyMessage(description, detail.path) } : detail,
  );
  const all = [...explainedDetails, ...more];
  return new Joi.ValidationError(all.map(({ message }) => message).join('; '), all, error._original);
}

function unknownKeyMessage(root: Description, path: Path): string {
  const parent = path.slice(0, -1);
  const known = knownKeysAt(root, parent);
  const place = parent.length === 0 ? String((root.flags as { label?: string } | undefined)?.label) : placeOf(parent);
  const unknown = `${placeOf(path)} is not known`;
  return known ? `${unknown}: ${place} takes ${known.join(', ') || 'nothing'}` : unknown;
}

/** Undefined when the keys depend on other values of the request. */
function knownKeysAt(root: Description, path: Path): readonly string[] | undefined {
  let at: Description | undefined = root;
  for (const step of path) at = typeof step === 'number' ? onlyItem(at) : at?.keys?.[step];
  return at?.type === 'object' ? Object.keys(at.keys ?? {}) : undefined;
}

const onlyItem = (of: Description | undefined): Description | undefined => (of?.items?.length === 1 ? of.items[0] : undefined);
