import Joi from 'joi';
import { placeOf } from '../errors.js';
import { hasMoreValues } from './json-body.js';

type Description = Joi.Description & { readonly keys?: Record<string, Description>; readonly items?: readonly Description[] };
type Path = readonly (string | number)[];

/** Report at most this many problems: explaining each takes long, and nobody reads so far. */
const MOST_TOLD = 100;

/** Of a larger body only the first problem is named: finding all of them takes up to 10 us for each value that is wrong. */
const MOST_VALUES = 10_000;
const ONLY_FIRST: Joi.ValidationErrorItem = {
  message: `the body has more than ${MOST_VALUES} values, so only the first problem is named`,
  path: [],
  type: 'any.invalid',
};
/** Leaving out a null can bring another branch of a schema to bear, which has nulls of its own. */
const MOST_ROUNDS = 20;

/**
 * Checks requests against a schema. A null counts as a field that is left out, unless the schema of the field takes null. A request
 * that fits is looked at once; only of one that does not fit all problems are found.
 * @returns a function that rejects with a `Joi.ValidationError` whose details are explained
 */
export function requestCheck(schema: Joi.Schema): (given: unknown) => Promise<object> {
  const upToFirst = schema.prefs({ abortEarly: true });
  const toTheEnd = schema.prefs({ abortEarly: false });
  return async (given) => {
    try {
      return await upToFirst.validateAsync(given);
    } catch (error) {
      if (!Joi.isError(error)) throw error;
      const isLarge = hasMoreValues(given, MOST_VALUES);
      const { value, refusal } = await withoutNulls(isLarge ? upToFirst : toTheEnd, given);
      if (!refusal) return value;
      throw isLarge ? new Joi.ValidationError(refusal.message, [...refusal.details, ONLY_FIRST], given) : explained(toTheEnd, refusal);
    }
  };
}

type Checked =
  | { readonly value: object; readonly refusal?: undefined }
  | { readonly value?: undefined; readonly refusal: Joi.ValidationError };

const checked = (schema: Joi.Schema, body: unknown): Promise<Checked> =>
  schema.validateAsync(body).then(
    (value: object) => ({ value }),
    (refusal: unknown) => {
      if (Joi.isError(refusal)) return { refusal };
      throw refusal;
    },
  );

/** Leaves out the nulls at which a schema takes offence, as long as there are such. */
async function withoutNulls(schema: Joi.Schema, given: unknown): Promise<Checked> {
  let body = given;
  for (let round = 0; ; round++) {
    const result = await checked(schema, body);
    const nulls = result.refusal ? nullFieldsIn(result.refusal.details) : [];
    if (nulls.length === 0 || round === MOST_ROUNDS) return result;
    if (round === 0) body = structuredClone(given);
    for (const path of nulls) {
      const around = path.slice(0, -1).reduce<Fields | undefined>((at, step) => at?.[step] as Fields | undefined, body as Fields);
      delete around?.[path.at(-1)!];
    }
  }
}

type Fields = Record<string | number, unknown>;

/** Fields of objects: an element of a list cannot be left out, and is only of the wrong kind. */
function nullFieldsIn(details: readonly Joi.ValidationErrorItem[]): Path[] {
  return details.flatMap(({ type, path, context }) => {
    // Of a choice between shapes that all do not fit joi has what each of them says.
    const inner = (context?.details ?? []) as readonly Joi.ValidationErrorItem[];
    const isNull = context?.value === null && type !== 'object.unknown' && typeof path.at(-1) === 'string';
    return [...(isNull ? [path] : []), ...nullFieldsIn(inner)];
  });
}

/** What joi says of a request, and what it does not say: which keys are known where one is not. */
export function explained(schema: Joi.Schema, error: Joi.ValidationError): Joi.ValidationError {
  const left = error.details.length - MOST_TOLD;
  const details = error.details.slice(0, MOST_TOLD);
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
