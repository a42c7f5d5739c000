import type Joi from 'joi';
import { examplesOf, inputSchemaOf, type JsonSchema } from '../../../shape.js';
import { type Case, type Dependency, type Pattern, partsOf, type Ref, sizeOf } from './joi-parts.js';

/** How to describe a part of a schema. */
interface DescribeOptions {
  /** Whether keys that no schema names are refused; otherwise they are ignored. */
  readonly strict: boolean;
  /** Whether a null counts as an absent field, as in request bodies. */
  readonly hasNulls: boolean;
  readonly isAnswer: boolean;
}

type Made = Record<string, unknown>;

/**
 * Converts the schema of a request to JSON Schema (draft 2020-12) that accepts exactly what the route accepts. joi's own conversion
 * omits conditions, keys of dictionaries, fields that exclude each other, the range of safe integers, and nulls for absent fields.
 */
export const requestSchemaOf = (schema: Joi.Schema, { strict = false, hasNulls = true } = {}): JsonSchema =>
  described(schema, { strict, hasNulls, isAnswer: false });

/**
 * Converts the schema of a response, or of a request that the platform sends, to JSON Schema. The result refuses keys that the schema does
 * not name.
 */
export const answerSchemaOf = (schema: Joi.Schema): JsonSchema => described(schema, { strict: true, hasNulls: false, isAnswer: true });

/**
 * On an object of JSON Schema: the name that was declared with `named`. A symbol, because objects are compared and written as JSON,
 * which leaves it out.
 */
export const NAME = Symbol('name of the schema');

/** The name of a schema, and whether it is described as a request: nulls make the two descriptions differ. */
export interface SchemaName {
  readonly name: string;
  readonly isRequest: boolean;
}

function described(schema: Joi.Schema, options: DescribeOptions): Made {
  const made = withoutNull(schema, options);
  const {
    terms: { metas = [] },
    flags: { description },
    isNullable,
  } = partsOf(schema);
  const examples = Object.values(examplesOf(schema));
  const { schemaName: name } = Object.assign({}, ...metas) as Made;
  const full = {
    ...made,
    ...(description !== undefined && { description }),
    ...(examples.length > 0 && { examples }),
    ...keywordsOf(metas),
    ...(typeof name === 'string' && { [NAME]: { name, isRequest: !options.isAnswer } satisfies SchemaName }),
  };
  return isNullable ? orNull(full) : full;
}

function withoutNull(schema: Joi.Schema, options: DescribeOptions): Made {
  switch (schema.type) {
    case 'object':
      return objectOf(schema, options);
    case 'array':
      return arrayOf(schema, options);
    case 'alternatives':
      return alternativesOf(schema, options);
    case 'link':
      // joi refers to a place within its own schema, which has another place in the document.
      return {};
    default:
      return leafOf(schema, options);
  }
}

function leafOf(schema: Joi.Schema, { isAnswer }: DescribeOptions): Made {
  const leaf = { ...inputSchemaOf(schema) };
  const { insensitive, only } = partsOf(schema).flags;
  if (schema.type === 'number' && !only && !isAnswer) {
    // joi refuses unsafe numbers: JSON.parse would round them.
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

function arrayOf(schema: Joi.Schema, options: DescribeOptions): Made {
  const parts = partsOf(schema);
  const { terms, rules } = parts;
  const { min, max } = sizeOf(parts);
  const [item, ...others] = terms.items ?? [];
  return {
    type: 'array',
    ...(item && { items: others.length === 0 ? described(item, options) : inputSchemaOf(schema).items }),
    ...(min !== undefined && { minItems: min }),
    ...(max !== undefined && { maxItems: max }),
    // Rules of this name compare parts of items; uniqueItems at least refuses items that are equal as a whole.
    ...(rules.some(({ name }) => name === 'unique') && { uniqueItems: true }),
  };
}

function objectOf(schema: Joi.Schema, options: DescribeOptions): Made {
  const parts = partsOf(schema);
  const {
    terms: { keys, patterns = [], dependencies = [] },
    flags: { unknown },
  } = parts;
  const { min, max } = sizeOf(parts);
  const properties: Made = {};
  const required: string[] = [];
  const conditions: Made[] = [];
  for (const { key, schema: child } of keys ?? []) {
    const { presence, default: usual } = partsOf(child).flags;
    const isRequired = presence === 'required' || (options.isAnswer && usual !== undefined);
    if (isRequired) required.push(key);
    const tests = testsOf(child, 1);
    if (!tests) {
      properties[key] = isRequired ? described(child, options) : optional(described(child, options), options);
      continue;
    }
    // The conditions describe the value; if no condition applies, any value is accepted.
    properties[key] = {};
    conditions.push(chained(tests, (then) => fieldOf(key, then, isRequired, options), options));
  }
  const isFree = unknown ?? (!keys && patterns.length === 0);
  const members = membersOf(patterns, unknown ?? (isFree || !options.strict), options);
  const isSeparate = Object.values(properties).length > 0 && isWithin(properties, members.additionalProperties);
  if (isSeparate) conditions.push(members);
  return {
    type: 'object',
    ...(keys && { properties }),
    ...(required.length > 0 && { required: required.sort() }),
    ...(isSeparate || (isFree && patterns.length === 0) ? { additionalProperties: true } : members),
    ...(min !== undefined && { minProperties: min }),
    ...(max !== undefined && { maxProperties: max }),
    ...allOf([...conditions, ...dependencies.flatMap((dependency) => relationOf(dependency, options))]),
  };
}

const allOf = (parts: readonly Made[]): Made => (parts.length > 0 ? { allOf: parts } : {});
const optional = (made: Made, { hasNulls }: DescribeOptions): Made => (hasNulls ? orNull(made) : made);

/** Describes keys that the schema does not name. */
function membersOf(patterns: readonly Pattern[], isOpen: boolean, options: DescribeOptions): Made {
  const [first, ...more] = patterns;
  if (!first) return isOpen ? {} : { additionalProperties: false };
  const value = described(first.rule, options);
  const key = first.schema && described(first.schema, options);
  // A key that matches no pattern is ignored like an unknown key.
  if (more.length > 0 || first.regex || !key || (isOpen && !takesAnyText(key))) {
    const patternProperties = Object.fromEntries(
      patterns.map(({ regex, schema, rule }) => [
        regex?.source ?? patternOf(schema ? described(schema, options) : {}),
        described(rule, options),
      ]),
    );
    return { patternProperties, ...(!isOpen && { additionalProperties: false }) };
  }
  return { additionalProperties: Object.keys(value).length === 0 ? true : value, ...(!takesAnyText(key) && { propertyNames: key }) };
}

/**
 * Whether every property also fits the schema of further members. Then a schema of its own can apply to all members, because an index
 * signature of TypeScript must accept the named members, too.
 */
function isWithin(properties: Made, members: unknown): members is Made {
  if (typeof members !== 'object' || members === null) return false;
  const options = optionsOf(members as Made);
  return Object.values(properties).every((property) => optionsOf(property as Made).every((option) => options.includes(option)));
}

/** The alternatives of a schema, each with one type, as JSON. */
function optionsOf({ anyOf, title, type, ...rest }: Made): string[] {
  if (Array.isArray(anyOf)) return anyOf.flatMap((part) => optionsOf(part as Made));
  return [type].flat().map((one) => JSON.stringify(one === 'null' ? one : { ...rest, type: one }));
}

const takesAnyText = ({ minLength = 0, maxLength, pattern, enum: values }: Made): boolean =>
  minLength === 0 && maxLength === undefined && pattern === undefined && values === undefined;

const patternOf = ({ minLength = 0, maxLength = '', pattern }: Made): string =>
  pattern === undefined ? `^[\\s\\S]{${minLength},${maxLength}}$` : String(pattern);

/** Describes a field under a condition. */
function fieldOf(key: string, schema: Joi.Schema, isAlwaysRequired: boolean, options: DescribeOptions): Made {
  const isRequired = partsOf(schema).flags.presence === 'required';
  const made = described(schema, options);
  const field = isRequired || isAlwaysRequired ? made : optional(made, options);
  return { ...(Object.keys(field).length > 0 && { properties: { [key]: field } }), ...(isRequired && { required: [key] }) };
}

function alternativesOf(schema: Joi.Schema, options: DescribeOptions): Made {
  const tests = testsOf(schema, 0);
  if (tests) return chained(tests, (then) => described(then, options), options);
  const { matches = [] } = partsOf(schema).terms;
  if (matches.some(({ schema }) => !schema)) return inputSchemaOf(schema);
  const choices = matches.map(({ schema }) => described(schema!, options));
  return choices.length === 1 ? choices[0]! : { anyOf: choices.map(titled) };
}

/** Generators of clients name the alternatives of a union by their titles. Objects have names of their own. */
const titled = (choice: Made): Made =>
  NAME in choice || choice.title !== undefined ? choice : { title: TITLES[String(choice.type)], ...choice };

const TITLES: Readonly<Record<string, string>> = {
  string: 'Text',
  number: 'Number',
  integer: 'Integer',
  boolean: 'Boolean',
  array: 'List',
};

interface Test extends Case {
  readonly ref: Ref;
}

/** The cases of a conditional schema. Its condition reads a field of the surrounding object (`ancestor` 1) or of the object itself (0). */
function testsOf(schema: Joi.Schema, ancestor: 0 | 1): Test[] | undefined {
  const { whens = [], matches = whens } = partsOf(schema).terms;
  const tests = matches.flatMap(({ ref, is, then, otherwise, switch: cases }): Test[] => {
    if (!ref || ref.ancestor !== ancestor || ref.path.length !== 1) return [];
    return cases ? cases.map((test) => ({ ref, ...test })) : [{ ref, is: is!, ...(then && { then }), ...(otherwise && { otherwise }) }];
  });
  return tests.length > 0 && matches.every(({ ref }) => ref !== undefined) ? tests : undefined;
}

/** Nested `if`, `then` and `else`. */
function chained([test, ...rest]: readonly Test[], then: (schema: Joi.Schema) => Made, options: DescribeOptions): Made {
  if (!test) return {};
  const { ref, is } = test;
  const isRequired = partsOf(is).flags.presence === 'required';
  const value = described(is, options);
  const condition = {
    properties: { [ref.path[0]!]: isRequired ? value : optional(value, options) },
    ...(isRequired && { required: ref.path }),
  };
  const yes = test.then ? then(test.then) : {};
  const no = rest.length > 0 ? chained(rest, then, options) : test.otherwise ? then(test.otherwise) : {};
  return {
    if: condition,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    ...(Object.keys(yes).length > 0 && { then: yes }),
    ...(Object.keys(no).length > 0 && { else: no }),
  };
}

/** Describes which fields require or exclude each other. */
function relationOf({ rel, key, peers }: Dependency, { hasNulls }: DescribeOptions): Made[] {
  const there = (name: string): Made => ({
    title: `With ${name}`,
    required: [name],
    ...(hasNulls && { properties: { [name]: { not: { type: 'null' } } } }),
  });
  const all = peers.map(({ key: name }) => there(name));
  const none = { title: 'None of these', not: { anyOf: all } };
  switch (rel) {
    case 'xor':
      return [{ oneOf: all }];
    case 'oxor':
      return [{ anyOf: [none, { title: 'One of these', oneOf: all }] }];
    case 'or':
      return [{ anyOf: all }];
    case 'and':
      return [{ anyOf: [none, { title: 'All of these', allOf: all }] }];
    case 'nand':
      return [{ not: { allOf: all } }];
    case 'with':
      return [
        {
          anyOf: [
            { title: `Without ${key!.key}`, not: there(key!.key) },
            { title: 'All of these', allOf: all },
          ],
        },
      ];
    case 'without':
      return [{ anyOf: [{ title: `Without ${key!.key}`, not: there(key!.key) }, none] }];
    default:
      return [];
  }
}

/** Makes a schema accept null as well. */
function orNull(made: Made): Made {
  const { type, enum: values, anyOf } = made;
  if (Object.keys(made).every((key) => key === 'description' || key === 'default')) return made;
  // A reference cannot hold keywords, so null becomes an alternative beside it.
  if (NAME in made) return { anyOf: [made, { type: 'null' }] };
  if (type === 'null' || (Array.isArray(type) && type.includes('null'))) return made;
  if (type !== undefined) {
    return { ...made, type: [type].flat().concat('null'), ...(Array.isArray(values) && { enum: [...new Set([...values, null])] }) };
  }
  if (Array.isArray(anyOf)) return { ...made, anyOf: [...anyOf, { type: 'null' }] };
  return { anyOf: [made, { type: 'null' }] };
}

/** JSON Schema keywords that describe checks in code: `.meta({ jsonSchema: { … } })`. */
const keywordsOf = (metas: readonly Made[]): Made => Object.assign({}, ...metas.map(({ jsonSchema }) => jsonSchema));
