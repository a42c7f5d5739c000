import Joi from 'joi';
import { placeOf } from '../errors.js';
import { hasMoreValues } from './json-body.js';

type Description = Joi.Description & { readonly keys?: Record<string, Description>; readonly items?: readonly Description[] };
type Path = readonly (string | number)[];

/** Of more that is wrong nobody is told: to look at each beside all others takes long, and nobody reads so far. */
const MOST_TOLD = 100;

/** Of a larger body only the first problem is named: to find all of them takes up to 10 us for each value that is wrong. */
const MOST_VALUES = 10_000;
const ONLY_FIRST = {
  message: `the body has more than ${MOST_VALUES} values, so only the first problem is named`,
  path: [],
  type: 'any.invalid',
};

/**
 * Checks requests against a schema. A request that fits is looked at once, up to its end; of one that does not fit all problems
 * are found in a second look.
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
      if (hasMoreValues(given, MOST_VALUES)) throw new Joi.ValidationError(error.message, [...error.details, ONLY_FIRST], given);
      await toTheEnd.validateAsync(given).catch((all) => Promise.reject(explained(toTheEnd, all)));
      throw error;
    }
  };
}

/** What joi says of a request, and what it does not say: which keys are known where one is not, and what may be left out. */
export function explained(schema: Joi.Schema, error: unknown): unknown {
  if (!Joi.isError(error)) return error;
  const { _original: given } = error;
  const left = error.details.length - MOST_TOLD;
  const details = error.details.slice(0, MOST_TOLD);
  const more =
    left > 0 ? [{ message: left === 1 ? '1 more thing is wrong' : `${left} more things are wrong`, path: [], type: 'any.invalid' }] : [];
  const isUnknown = ({ type }: Joi.ValidationErrorItem) => type === 'object.unknown';
  const nulls = details.filter(({ context }) => context?.value === null);
  if (nulls.length === 0 && left <= 0 && !details.some(isUnknown)) return error;
  const description: Description | undefined = details.some(isUnknown) ? schema.describe() : undefined;
  const needed = nulls.length > 0 ? missingWithout(schema, given, nulls) : [];
  const told = details.map((detail) => {
    if (description && isUnknown(detail)) return { ...detail, message: sentenceOf(description, detail.path) };
    if (!nulls.includes(detail) || needed.some((path) => isAtOrAround(path, detail.path))) return detail;
    return { ...detail, context: { ...detail.context!, isOptional: true } };
  });
  const all = [...told, ...more];
  return new Joi.ValidationError(all.map(({ message }) => message).join('; '), all, given);
}

/** What would be missing if it were left out instead of being null. */
function missingWithout(schema: Joi.Schema, given: unknown, nulls: readonly Joi.ValidationErrorItem[]): Path[] {
  type Value = Record<string | number, unknown>;
  const without = structuredClone(given) as Value;
  for (const { path } of nulls) {
    const around = path.slice(0, -1).reduce<Value | undefined>((at, step) => at?.[step] as Value | undefined, without);
    // An element of a list cannot be left out: it is only of the wrong kind.
    if (around && !Array.isArray(around)) delete around[path.at(-1)!];
  }
  const { error } = schema.validate(without);
  return error ? error.details.filter(({ type }) => type === 'any.required' || type === 'object.missing').map(({ path }) => path) : [];
}

const isAtOrAround = (path: Path, other: Path): boolean =>
  path.length >= other.length - 1 && path.length <= other.length && path.every((step, i) => step === other[i]);

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
