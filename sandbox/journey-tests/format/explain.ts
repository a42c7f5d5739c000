import { isDeepStrictEqual } from 'node:util';
import type Joi from 'joi';
import { compiledCheck } from '#core';
import { nearest } from '#core/basics';
import type { YamlSource } from './positions.js';
import { MAX_PROBLEMS, type Problem } from './problem.js';
import { actionWords, testSchema } from './schema.js';

/** The mistakes of a parsed file, with their places and the nearest known words, at most `MAX_PROBLEMS`. */
export function schemaProblems({ value, placeOf }: Pick<YamlSource, 'value' | 'placeOf'>): Problem[] {
  // joi describes the mistakes. With joi alone, 1,000 tests take a fifth more CPU time.
  isValid ??= compiledCheck(testSchema, { convert: false }) ?? ((): boolean => false);
  if (isValid(value)) return [];
  const { error } = testSchema.validate(value, { abortEarly: false, convert: false, errors: { wrap: { label: "'" } } });
  // A misspelt key explains a missing one, and is the place to correct.
  const details = [...(error?.details ?? [])].sort((a, b) => Number(b.type === 'object.unknown') - Number(a.type === 'object.unknown'));
  const isFirst = ({ path }: Joi.ValidationErrorItem, i: number): boolean =>
    !isStep(path) || details.findIndex((other) => isDeepStrictEqual(other.path, path)) === i;
  return details
    .filter(isFirst)
    .slice(0, MAX_PROBLEMS)
    .map((detail) => ({ message: messageOf(detail), at: placeOf(detail.path) }));
}

/** Whether a path is that of a step: `tests[0].steps[1]`. */
const isStep = (path: readonly (string | number)[]): boolean => path.length === 4 && path[2] === 'steps';

let isValid: ReturnType<typeof compiledCheck>;

function messageOf({ type, path, message, context = {} }: Joi.ValidationErrorItem): string {
  const key = String(path.at(-1) ?? '');
  const name =
    typeof path.at(-1) === 'number' ? `item ${Number(path.at(-1)) + 1} of '${path.at(-2)}'` : path.length === 0 ? 'the file' : `'${key}'`;
  if (isStep(path) && (type === 'any.only' || type === 'string.base')) return stepMessage(Number(path[3]), context.value);
  switch (type) {
    case 'object.unknown':
      return `unknown key '${key}'${didYouMean(key, keysAt(path.slice(0, -1)))}`;
    case 'object.base':
      return `${name} must be an object (KEY: VALUE lines)`;
    case 'array.base':
      return `${name} must be a list (lines that begin with -)`;
    case 'string.empty':
      return `${name} must not be empty`;
    case 'string.base':
      return `${name} must be a text; write numbers, true and dates in quotes`;
    case 'any.required':
      return `${path.length === 1 ? 'the file' : nameOfParent(path)} needs the key '${key}'`;
    case 'any.only': {
      const valids = (context.valids as unknown[]).filter((valid) => valid !== null);
      const meant = nearest(String(context.value), valids.map(String));
      return `${name} must be ${valids.length === 0 ? 'empty' : valids.join(', ').replace(/, ([^,]*)$/, ' or $1')}, not ${JSON.stringify(context.value)}${meant === undefined ? '' : `; did you mean '${meant}'?`}`;
    }
    case 'boolean.base':
      return `${name} must be true or false`;
    case 'alternatives.types':
      return `${name} must be a text`;
    case 'object.missing':
    case 'object.xor':
    case 'object.oxor': {
      const present = (context.present as string[] | undefined) ?? [];
      const peers = (context.peers as string[] | undefined) ?? [];
      return present.length > 1
        ? `${nameOfParent([...path, ''])} has several of ${present.join(', ')}; write a step or an entry for each`
        : `${nameOfParent([...path, ''])} needs one of ${peers.join(', ')}`;
    }
    case 'array.min':
      return `${name} must not be empty`;
    case 'object.min':
      return `${name} must have a key`;
    default:
      return message.replace(/^'[^']*'/, name);
  }
}

/** A step that is neither `start` nor an action: often, the colon or the space after it is missing. */
function stepMessage(i: number, given: unknown): string {
  const [, word = '', rest = ''] = (typeof given === 'string' && /^(\w+):?(.*)$/s.exec(given)) || [];
  const meant = nearest(word, [...actionWords, 'expect']) ?? (actionWords.find((known) => known === word) as string | undefined);
  const hint = meant === undefined ? '' : `; did you mean '${meant}${meant === 'start' ? '' : `: ${rest.trim() || '…'}`}'?`;
  return `step ${i + 1} must be 'start' or an action such as 'say: hello', not ${JSON.stringify(given)}${hint}`;
}

/** The object around a key, in words. */
function nameOfParent(path: readonly (string | number)[]): string {
  const parent = path.at(-2);
  if (typeof parent !== 'number') return parent === undefined ? 'the file' : `'${parent}'`;
  const list = String(path.at(-3));
  return list === 'tests' || list === 'steps' ? `${list.slice(0, -1)} ${parent + 1}` : `item ${parent + 1} of '${list}'`;
}

export function didYouMean(name: string, known: Iterable<string>): string {
  const list = [...known];
  const meant = nearest(name, list);
  if (meant !== undefined) return `; did you mean '${meant}'?`;
  return list.length > 0 && list.length <= 20 ? `; known: ${list.join(', ')}` : '';
}

interface Terms {
  readonly keys?: readonly { readonly key: string; readonly schema: Joi.Schema }[] | null;
  readonly patterns?: readonly { readonly rule: Joi.Schema }[] | null;
  readonly items?: readonly Joi.Schema[] | null;
  readonly matches?: readonly { readonly schema?: Joi.Schema; readonly then?: Joi.Schema; readonly otherwise?: Joi.Schema }[] | null;
}

const termsOf = (schema: Joi.Schema): Terms => (schema as Joi.Schema & { readonly $_terms: Terms }).$_terms;

/** The schemas of a part, one for each alternative. */
function branchesOf(schema: Joi.Schema): readonly Joi.Schema[] {
  const { matches } = termsOf(schema);
  if (!matches) return [schema];
  return matches.flatMap(({ schema, then, otherwise }) =>
    [schema, then, otherwise].flatMap((branch) => (branch ? branchesOf(branch) : [])),
  );
}

/** The keys that an object at this path may have. */
function keysAt(path: readonly (string | number)[]): string[] {
  let schemas = branchesOf(testSchema);
  for (const step of path) {
    schemas = schemas.flatMap((schema) => {
      const { keys, patterns, items } = termsOf(schema);
      const inside = typeof step === 'number' ? (items ?? []) : (keys ?? []).filter(({ key }) => key === step).map(({ schema }) => schema);
      return [...inside, ...(inside.length === 0 ? (patterns ?? []).map(({ rule }) => rule) : [])].flatMap(branchesOf);
    });
  }
  return [...new Set(schemas.flatMap((schema) => (termsOf(schema).keys ?? []).map(({ key }) => key)))];
}
