import type Joi from 'joi';
import { inputSchemaOf, type JsonSchema } from '../shape.js';

/** How a part of a request is described. */
interface Around {
  /** Keys that no schema names are refused; otherwise they are let through. */
  readonly strict: boolean;
  /** A null stands for a field that is left out. In paths and queries there are none. */
  readonly hasNulls: boolean;
}

type Made = Record<string, unknown>;

/**
 * What a request may be, as JSON Schema (draft 2020-12): everything that is taken, and nothing else. joi's own conversion does not
 * say which part a condition asks for, which keys a dictionary takes, what must not be together, how large a number may be, and
 * that null stands for a field that is left out.
 */
export const requestSchemaOf = (schema: Joi.Schema, { strict = false, hasNulls = true } = {}): JsonSchema =>
  described(schema, { strict, hasNulls });

function described(schema: Joi.Schema, around: Around): Made {
  const made = withoutNull(schema, around);
  const { metas = [] } = termsOf(schema);
  const { description } = flagsOf(schema);
  const full = { ...made, ...(description !== undefined && { description }), ...keywordsOf(metas) };
  return isNullable(schema) ? orNull(full) : full;
}

function withoutNull(schema: Joi.Schema, around: Around): Made {
  switch (schema.type) {
    case 'object':
      return objectOf(schema, around);
    case 'array':
      return arrayOf(schema, around);
    case 'alternatives':
      return alternativesOf(schema, around);
    default:
      return leafOf(schema);
  }
}

function leafOf(schema: Joi.Schema): Made {
  const leaf = { ...inputSchemaOf(schema) };
  const { insensitive, only } = flagsOf(schema);
  if (schema.type === 'number' && !only) {
    // Beyond them numbers of JSON are read as others.
    leaf.minimum = Math.max(Number(leaf.minimum ?? Number.NEGATIVE_INFINITY), Number.MIN_SAFE_INTEGER);
    leaf.maximum = Math.min(Number(leaf.maximum ?? Number.POSITIVE_INFINITY), Number.MAX_SAFE_INTEGER);
  }
  if (!insensitive || !Array.isArray(leaf.enum)) return leaf;
  const { enum: all, ...rest } = leaf;
  const words = (all as unknown[]).filter((word) => word !== null);
  return { ...rest, pattern: `^(${words.map(inAnyCase).join('|')})$`, examples: words.slice(0, 1) };
}

const inAnyCase = (word: unknown): string =>
  String(word).replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);

function arrayOf(schema: Joi.Schema, around: Around): Made {
  const { items, maxItems, minItems } = inputSchemaOf(schema) as Made;
  const [item] = termsOf(schema).items ?? [];
  return {
    type: 'array',
    ...(items !== undefined && { items: termsOf(schema).items?.length === 1 ? described(item!, around) : items }),
    ...(minItems !== undefined && { minItems }),
    ...(maxItems !== undefined && { maxItems }),
    // Of equal items every rule of this name finds one too many, whatever it compares.
    ...(rulesOf(schema).some(({ name }) => name === 'unique') && { uniqueItems: true }),
  };
}

function objectOf(schema: Joi.Schema, around: Around): Made {
  const { keys, patterns = [], dependencies = [] } = termsOf(schema);
  const { unknown } = flagsOf(schema);
  const properties: Made = {};
  const required: string[] = [];
  const conditions: Made[] = [];
  for (const { key, schema: child } of keys ?? []) {
    const isRequired = flagsOf(child).presence === 'required';
    if (isRequired) required.push(key);
    const tests = testsOf(child, 1);
    if (!tests) {
      properties[key] = isRequired ? described(child, around) : optional(described(child, around), around);
      continue;
    }
    // What it may be is said by the conditions; without one that fits it may be anything.
    properties[key] = {};
    conditions.push(chained(tests, (then) => fieldOf(key, then, isRequired, around), around));
  }
  const { minProperties, maxProperties } = inputSchemaOf(schema) as Made;
  const isOpen = unknown ?? (!around.strict || (!keys && patterns.length === 0));
  return {
    type: 'object',
    ...(keys && { properties }),
    ...(required.length > 0 && { required: required.sort() }),
    ...membersOf(patterns, isOpen, around),
    ...(minProperties !== undefined && { minProperties }),
    ...(maxProperties !== undefined && { maxProperties }),
    ...allOf([...conditions, ...dependencies.flatMap((dependency) => relationOf(dependency, around))]),
  };
}

const allOf = (parts: readonly Made[]): Made => (parts.length > 0 ? { allOf: parts } : {});
const optional = (made: Made, { hasNulls }: Around): Made => (hasNulls ? orNull(made) : made);

/** What keys that are not named may be. */
function membersOf(patterns: readonly Pattern[], isOpen: boolean, around: Around): Made {
  const [first, ...more] = patterns;
  if (!first) return isOpen ? {} : { additionalProperties: false };
  const value = described(first.rule, around);
  const key = first.schema && described(first.schema, around);
  // A key that does not fit is let through like any that is not named.
  if (more.length > 0 || first.regex || !key || (isOpen && !takesAnyText(key))) {
    const patternProperties = Object.fromEntries(
      patterns.map(({ regex, schema, rule }) => [
        regex?.source ?? patternOf(schema ? described(schema, around) : {}),
        described(rule, around),
      ]),
    );
    return { patternProperties, ...(!isOpen && { additionalProperties: false }) };
  }
  return { additionalProperties: value, ...(!takesAnyText(key) && { propertyNames: key }) };
}

const takesAnyText = ({ minLength = 0, maxLength, pattern, enum: values }: Made): boolean =>
  minLength === 0 && maxLength === undefined && pattern === undefined && values === undefined;

const patternOf = ({ minLength = 0, maxLength = '', pattern }: Made): string =>
  pattern === undefined ? `^[\\s\\S]{${minLength},${maxLength}}$` : String(pattern);

/** What else is asked of a field under a condition. */
function fieldOf(key: string, schema: Joi.Schema, isAlwaysRequired: boolean, around: Around): Made {
  const isRequired = flagsOf(schema).presence === 'required';
  const made = described(schema, around);
  const field = isRequired || isAlwaysRequired ? made : optional(made, around);
  return { ...(Object.keys(field).length > 0 && { properties: { [key]: field } }), ...(isRequired && { required: [key] }) };
}

function alternativesOf(schema: Joi.Schema, around: Around): Made {
  const tests = testsOf(schema, 0);
  if (tests) return chained(tests, (then) => described(then, around), around);
  const { matches = [] } = termsOf(schema);
  if (matches.some(({ schema }) => !schema)) return inputSchemaOf(schema);
  const choices = matches.map(({ schema }) => described(schema!, around));
  return choices.length === 1 ? choices[0]! : { anyOf: choices };
}

interface Test {
  readonly ref: Ref;
  readonly is: Joi.Schema;
  readonly then?: Joi.Schema;
  readonly otherwise?: Joi.Schema;
}

/** The cases of a schema that depends on another field: of the object it is in (1), or of the object that it is (0). */
function testsOf(schema: Joi.Schema, ancestor: 0 | 1): Test[] | undefined {
  const { whens = [], matches = whens } = termsOf(schema);
  const tests = matches.flatMap(({ ref, is, then, otherwise, switch: cases }): Test[] => {
    if (!ref || ref.ancestor !== ancestor || ref.path.length !== 1) return [];
    return cases ? cases.map((test) => ({ ref, ...test })) : [{ ref, is: is!, ...(then && { then }), ...(otherwise && { otherwise }) }];
  });
  return tests.length > 0 && matches.every(({ ref }) => ref !== undefined) ? tests : undefined;
}

/** `if`, `then` and `else`, one inside of the other. */
function chained([test, ...rest]: readonly Test[], then: (schema: Joi.Schema) => Made, around: Around): Made {
  if (!test) return {};
  const { ref, is } = test;
  const isRequired = flagsOf(is).presence === 'required';
  const value = described(is, around);
  const condition = {
    properties: { [ref.path[0]!]: isRequired ? value : optional(value, around) },
    ...(isRequired && { required: ref.path }),
  };
  const yes = test.then ? then(test.then) : {};
  const no = rest.length > 0 ? chained(rest, then, around) : test.otherwise ? then(test.otherwise) : {};
  return {
    if: condition,
    // biome-ignore lint/suspicious/noThenProperty: the word of JSON Schema
    ...(Object.keys(yes).length > 0 && { then: yes }),
    ...(Object.keys(no).length > 0 && { else: no }),
  };
}

/** What may be together in an object. */
function relationOf({ rel, key, peers }: Dependency, { hasNulls }: Around): Made[] {
  const there = (name: string): Made => ({
    required: [name],
    ...(hasNulls && { properties: { [name]: { not: { type: 'null' } } } }),
  });
  const all = peers.map(({ key: name }) => there(name));
  const none = { not: { anyOf: all } };
  switch (rel) {
    case 'xor':
      return [{ oneOf: all }];
    case 'oxor':
      return [{ anyOf: [none, { oneOf: all }] }];
    case 'or':
      return [{ anyOf: all }];
    case 'and':
      return [{ anyOf: [none, { allOf: all }] }];
    case 'nand':
      return [{ not: { allOf: all } }];
    case 'with':
      return [{ anyOf: [{ not: there(key!.key) }, { allOf: all }] }];
    case 'without':
      return [{ anyOf: [{ not: there(key!.key) }, none] }];
    default:
      return [];
  }
}

/** A part, or null. */
function orNull(made: Made): Made {
  const { type, enum: values, anyOf } = made;
  if (Object.keys(made).every((key) => key === 'description' || key === 'default')) return made;
  if (type === 'null' || (Array.isArray(type) && type.includes('null'))) return made;
  if (type !== undefined) {
    return { ...made, type: [type].flat().concat('null'), ...(Array.isArray(values) && { enum: [...new Set([...values, null])] }) };
  }
  if (Array.isArray(anyOf)) return { ...made, anyOf: [...anyOf, { type: 'null' }] };
  return { anyOf: [made, { type: 'null' }] };
}

/** Keywords of JSON Schema that stand for checks by code: `.meta({ jsonSchema: { … } })`. */
const keywordsOf = (metas: readonly Made[]): Made => Object.assign({}, ...metas.map(({ jsonSchema }) => jsonSchema));

const isNullable = (schema: Joi.Schema): boolean =>
  (schema as unknown as { _valids?: { has(value: unknown): boolean } })._valids?.has(null) ?? false;

// What joi keeps of a schema; its own conversion reads the same.
interface Terms {
  readonly keys?: readonly { readonly key: string; readonly schema: Joi.Schema }[];
  readonly patterns?: readonly Pattern[];
  readonly dependencies?: readonly Dependency[];
  readonly items?: readonly Joi.Schema[];
  /** Of alternatives. */
  readonly matches?: readonly Match[];
  /** Of what is made by `Joi.when`. */
  readonly whens?: readonly Match[];
  readonly metas?: readonly Made[];
}
interface Pattern {
  readonly regex?: RegExp;
  readonly schema?: Joi.Schema;
  readonly rule: Joi.Schema;
}
interface Dependency {
  readonly rel: string;
  readonly key?: Ref;
  readonly peers: readonly Ref[];
}
interface Ref {
  readonly key: string;
  readonly ancestor: number;
  readonly path: readonly string[];
}
interface Match {
  readonly schema?: Joi.Schema;
  readonly ref?: Ref;
  readonly is?: Joi.Schema;
  readonly then?: Joi.Schema;
  readonly otherwise?: Joi.Schema;
  readonly switch?: readonly Omit<Test, 'ref'>[];
}
interface Flags {
  readonly presence?: string;
  readonly unknown?: boolean;
  readonly insensitive?: boolean;
  readonly only?: boolean;
  readonly description?: string;
}

/** Terms that are not used are null. */
const termsOf = (schema: Joi.Schema): Terms =>
  Object.fromEntries(Object.entries((schema as unknown as { $_terms: Terms }).$_terms).filter(([, term]) => term !== null)) as Terms;
const flagsOf = (schema: Joi.Schema): Flags => (schema as unknown as { _flags: Flags })._flags;
const rulesOf = (schema: Joi.Schema): readonly { readonly name: string }[] =>
  (schema as unknown as { _rules: readonly { readonly name: string }[] })._rules;
