/**
 * Helpers that build plain joi schemas with a TypeScript type. One schema gives the type, the JSON Schema of the OpenAPI document, and the
 * error messages of a request.
 */
import Joi from 'joi';
import { urlFault } from './url-fault.js';

/** The TypeScript type of the values that a schema accepts. */
export type TypeOf<S> = S extends { readonly '~standard': { readonly types?: { readonly output: infer T } | undefined } } ? T : never;

type Fields = Readonly<Record<string, Joi.Schema>>;
type Simplify<T> = { [K in keyof T]: T[K] } & {};

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Copies an object without the keys whose value is undefined. */
export const withoutUndefined = <T extends object>(value: T): Defined<T> =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Defined<T>;

/** An object with required and optional fields. Requests may have other keys, except on admin routes; responses may not. */
export function object<R extends Fields, O extends Fields = Record<never, never>>(
  required: R,
  optional?: O,
): Joi.ObjectSchema<Simplify<{ [K in keyof R]: TypeOf<R[K]> } & { [K in keyof O]?: TypeOf<O[K]> | undefined }>> {
  const keys: Record<string, Joi.Schema> = {};
  for (const [name, schema] of Object.entries(required)) keys[name] = kept(asRequired, schema, () => schema.required());
  for (const [name, schema] of Object.entries(optional ?? {})) keys[name] = kept(asOptional, schema, () => schema.optional());
  let at = objects;
  for (const [name, schema] of Object.entries(keys)) at = at.with(name, schema);
  at.schema ??= Joi.object(keys);
  return at.schema;
}

// Schemas never change, and joi builds and copies them slowly: most fields of a platform have one of a few schemas, and each platform of a
// process has the same objects.
const asRequired = new WeakMap<Joi.Schema, Joi.Schema>();
const asOptional = new WeakMap<Joi.Schema, Joi.Schema>();
const asItem = new WeakMap<Joi.Schema, Joi.Schema>();
const asNullable = new WeakMap<Joi.Schema, Joi.Schema>();
const kinds = new Map<string, Joi.Schema>();

/** The schemas of objects by their first fields, as long as the schemas of these are used. */
class Objects {
  schema: Joi.ObjectSchema | undefined;
  readonly #byName = new Map<string, WeakMap<Joi.Schema, Objects>>();

  with(name: string, schema: Joi.Schema): Objects {
    const bySchema = this.#byName.get(name) ?? new WeakMap<Joi.Schema, Objects>();
    this.#byName.set(name, bySchema);
    const next = bySchema.get(schema) ?? new Objects();
    bySchema.set(schema, next);
    return next;
  }
}

const objects = new Objects();

interface Kept<K> {
  get(key: K): Joi.Schema | undefined;
  set(key: K, schema: Joi.Schema): unknown;
}

function kept<K, S extends Joi.Schema>(known: Kept<K>, key: K, build: () => S): S {
  const before = known.get(key);
  if (before) return typed(before);
  const built = build();
  known.set(key, built);
  return built;
}

/** Casts a schema to a type that joi cannot infer: `Joi.when`, or values and schemas from a list. Nothing checks the cast. */
export const typed = <S extends Joi.Schema>(schema: Joi.Schema): S => schema as S;

/** One of the given strings. */
export const oneOf = <const V extends readonly string[]>(...values: V): Joi.StringSchema<V[number]> =>
  typed(kept(kinds, `one of ${JSON.stringify(values)}`, () => Joi.string().valid(...values)));

/** A uuid in a path. Callers may write it in upper case; the handler receives it in lower case, as records store it. */
export const uuidInPath = (): Joi.StringSchema<string> => kept(kinds, 'uuid in path', () => Joi.string().guid().lowercase());

/** A list whose items fit one schema. */
export const array = <S extends Joi.Schema>(item: S): Joi.ArraySchema<TypeOf<S>[]> =>
  typed(kept(asItem, item, () => Joi.array().items(item)));

/** A value that fits one of the schemas; the first match wins. */
export const anyOf = <const S extends readonly Joi.Schema[]>(...schemas: S): Joi.AlternativesSchema<TypeOf<S[number]>> =>
  Joi.alternatives().try(...schemas.map((schema): Joi.Schema => schema));

/**
 * Adds JSON Schema keywords for a check in code (`custom`), which joi's conversion cannot see, to the OpenAPI document. They override
 * keywords of the same name that come from joi.
 */
export const withKeywords = <S extends Joi.Schema>(schema: S, keywords: JsonSchema): S => typed(schema.meta({ jsonSchema: keywords }));

/**
 * Names a schema in the OpenAPI document, which then refers to it wherever it occurs. Schemas without a name are written out in place.
 * The name is in PascalCase and belongs to one schema only: derive from the unnamed one.
 */
export const named = <S extends Joi.Schema>(name: string, schema: S): S => typed(schema.meta({ schemaName: name }));

/**
 * Adds several examples to the OpenAPI document, by their names; for a single one, joi has `.example(value)`. A test validates them by
 * their schemas.
 */
export const withExamples = <S extends Joi.Schema>(schema: S, examples: Readonly<Record<string, unknown>>): S =>
  typed(schema.meta({ examples }));

interface Examples {
  readonly examples: readonly unknown[] | null;
  readonly metas: readonly { readonly examples?: object }[] | null;
}

/** The examples of a schema, by their names; the one of `.example(value)` is named `example`. */
export const examplesOf = (schema: Joi.Schema): Readonly<Record<string, unknown>> => {
  const { examples, metas } = (schema as Joi.Schema & { readonly $_terms: Examples }).$_terms;
  return Object.assign({}, ...(examples ?? []).map((example) => ({ example })), ...(metas ?? []).map((meta) => meta.examples));
};

/**
 * Examples of a message with the example of each of its parts, by the type of the part, or by the names of its examples if it has several.
 */
export const examplesByType = (
  parts: Readonly<Record<string, Joi.Schema>>,
  messageWith: (type: string, part: unknown) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(parts).flatMap(([type, part]) =>
      Object.entries(examplesOf(part)).map(([name, example]) => [name === 'example' ? type : name, messageWith(type, example)]),
    ),
  );

/** Passes each error report of a schema to `change`, which may rewrite its message. */
export const withReports = <S extends Joi.Schema>(schema: S, change: (report: Joi.ErrorReport) => void): S =>
  typed(
    schema.error((reports) => {
      for (const report of reports) change(report);
      // joi accepts a list here; its types do not say so.
      return reports as unknown as Error;
    }),
  );

/** A value that fits the schema, or null. */
export const nullable = <S extends Joi.Schema>(schema: S): Joi.AnySchema<TypeOf<S> | null> =>
  typed(kept(asNullable, schema, () => schema.allow(null)));

/** A dictionary: an object with any keys whose values fit one schema. */
export const record = <S extends Joi.Schema>(value: S): Joi.ObjectSchema<Record<string, TypeOf<S>>> =>
  typed(Joi.object().pattern(anyString(), value));

// joi's own factories infer their type from the context, which makes it `any` in an object of fields.

/** Text with at least one character. */
export const string = (): Joi.StringSchema => kept(kinds, 'string', () => Joi.string());

/** Text that may be empty. */
export const anyString = (): Joi.StringSchema => kept(kinds, 'any string', () => Joi.string().allow(''));

/** Counts length in code points, as JSON Schema does (draft 2020-12, validation, 6.3.1): an emoji of two UTF-16 units is one character. */
const codePointString = Joi.extend((joi: Joi.Root) => ({
  type: 'string',
  base: joi.string(),
  rules: {
    maxCharacters: lengthRule('maxCharacters', 'string.max', 'maxLength', hasAtMostCharacters),
    minCharacters: lengthRule('minCharacters', 'string.min', 'minLength', (limit, value) => !hasAtMostCharacters(limit - 1, value)),
  },
})) as { string(): { maxCharacters(limit: number): Joi.StringSchema & { minCharacters(limit: number): Joi.StringSchema } } };

function lengthRule(name: string, code: string, keyword: string, isWithin: (limit: number, value: string) => boolean): object {
  type Limit = { readonly limit: number };
  return {
    method(this: Joi.ExtensionBoundSchema, limit: number) {
      return this.$_addRule({ name, args: { limit } });
    },
    validate: (value: string, { error }: Joi.CustomHelpers, { limit }: Limit) => (isWithin(limit, value) ? value : error(code, { limit })),
    jsonSchema: ({ args }: { readonly args: Limit }, schema: object) => ({ ...schema, [keyword]: args.limit }),
  };
}

/** Counts code points. A character is one or two UTF-16 units, so only lengths between `limit` and twice that need counting. */
export function hasAtMostCharacters(limit: number, value: string): boolean {
  if (value.length <= limit || value.length > 2 * limit) return value.length <= limit;
  let count = 0;
  for (const _ of value) count++;
  return count <= limit;
}

/** Whether a schema comes from joi itself or from this file. Another extension may check more than its description shows. */
export function isOfKnownKind(schema: Joi.Schema): boolean {
  const { $_root: root } = schema as Joi.Schema & { readonly $_root: unknown };
  return root === Joi || root === codePointString;
}

/** Text of `min` to `max` characters, in code points. */
export const stringUpTo = (max: number, min = 1): Joi.StringSchema =>
  kept(kinds, `${min} to ${max}`, () => codePointString.string().maxCharacters(max).minCharacters(min));

/** Text of at most `max` characters, in code points; it may be empty. */
export const anyStringUpTo = (max: number): Joi.StringSchema =>
  kept(kinds, `any to ${max}`, () => codePointString.string().maxCharacters(max).allow(''));

const DATE_TIME =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))?$/;

/** An ISO 8601 date or date-time that `Date` parses the same on every machine: a time needs Z or an offset. */
export const dateTime = (): Joi.StringSchema =>
  kept(kinds, 'date-time', () =>
    Joi.string()
      .pattern(DATE_TIME)
      .message(`{{#label}} ${DATE_TIME_RULE}`)
      .custom((value: string, { message }) => (isImpossibleDate(value) ? message({ custom: `{{#label}} ${DATE_TIME_RULE}` }) : value)),
  );
const DATE_TIME_RULE = 'must be a date, or a date and time with Z or an offset: 2027-03-01T08:00:00Z';

/** Refuses dates such as 30 February, which `Date` reads as 2 March. */
const isImpossibleDate = (value: string): boolean =>
  DATE_TIME.test(value) && new Date(value.slice(0, 10)).getUTCDate() !== Number(value.slice(8, 10));

/** A URL of http or https, without credentials: URLs are logged and shown, so a password in one would leak. */
export const httpUrl = (): Joi.StringSchema =>
  kept(kinds, 'url', () => withKeywords(withReason(checkedUrl()), { pattern: '^https?://[^/?#@]*([/?#]|$)' }));

const LONE_PERCENT = /%(?![0-9a-f]{2})/i;

const checkedUrl = (): Joi.StringSchema =>
  Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .max(2048)
    .custom((url: string, { error, message }) => {
      // joi accepts URLs that Node cannot parse, such as a port above 65535, and a lone %, which format: uri of JSON Schema refuses.
      if (!URL.canParse(url) || LONE_PERCENT.test(url)) return error('string.uri');
      const { username, password } = new URL(url);
      return username || password ? message({ custom: '{{#label}} must have no user name and no password in it' }) : url;
    });

/** joi says of every invalid URL that its scheme may be wrong. */
const withReason = (url: Joi.StringSchema): Joi.StringSchema =>
  withReports(url, (report) => {
    const fault = report.code.startsWith('string.uri') && typeof report.value === 'string' ? urlFault(report.value) : undefined;
    if (fault !== undefined) report.message = `${report.local.label} ${fault}`;
  });

/** A number, with or without a fraction. */
export const number = (): Joi.NumberSchema => kept(kinds, 'number', () => Joi.number());

/** An integer. */
export const integer = (): Joi.NumberSchema => kept(kinds, 'integer', () => Joi.number().integer());

/** True or false. */
export const boolean = (): Joi.BooleanSchema => kept(kinds, 'boolean', () => Joi.boolean());

/** Any JSON value. */
export const anyValue = (): Joi.AnySchema<unknown> => kept(kinds, 'any', () => Joi.any());

/** Converts the schema of a request with joi's own conversion; used for parts other than objects, lists and alternatives. */
export const inputSchemaOf = (schema: Joi.Schema): JsonSchema => corrected(standardOf(schema).input({ target: TARGET })) as JsonSchema;

const TARGET = 'draft-2020-12';
const standardOf = (schema: Joi.Schema) => schema['~standard'].jsonSchema;

/** Whether a value is a joi schema that converts itself to JSON Schema. Schemas of older joi releases and of other libraries do not. */
export function isDescribed(value: unknown): boolean {
  const { jsonSchema } = ((value as Record<string, unknown> | undefined)?.['~standard'] ?? {}) as {
    readonly jsonSchema?: Partial<Record<string, unknown>>;
  };
  return Joi.isSchema(value, { legacy: true }) && typeof jsonSchema?.input === 'function' && typeof jsonSchema.output === 'function';
}

/** A JSON Schema document or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Corrects joi's conversion: adds null to the `enum` of a nullable string, and replaces `format: hex`, which JSON Schema does not know. */
function corrected(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(corrected);
  if (typeof part !== 'object' || part === null) return part;
  const copied: Record<string, unknown> = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, corrected(value)]));
  const { type, enum: values, format } = copied;
  if (Array.isArray(type) && type.includes('null') && Array.isArray(values)) copied.enum = [...new Set([...values, null])];
  if (format === 'hex' && type === 'string') {
    delete copied.format;
    copied.pattern = '^[0-9A-Fa-f]*$';
  }
  return copied;
}
