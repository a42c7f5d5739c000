/**
 * Joi is the one description of what goes in and out: these helpers return plain joi schemas that also carry their
 * TypeScript type, so that types, JSON Schema and error messages come from the same place.
 */
import Joi from 'joi';

/** The type of what a schema accepts. */
export type TypeOf<S> = S extends { readonly '~standard': { readonly types?: { readonly output: infer T } | undefined } } ? T : never;

type Fields = Readonly<Record<string, Joi.Schema>>;
type Simplify<T> = { [K in keyof T]: T[K] } & {};

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Only what was given: without the keys whose value is undefined. */
export const withoutUndefined = <T extends object>(given: T): Defined<T> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Defined<T>;

/** An object with required and optional fields. Keys it does not name are let through by requests, but for those of admin routes, and refused in answers. */
export function object<R extends Fields, O extends Fields = Record<never, never>>(
  required: R,
  optional?: O,
): Joi.ObjectSchema<Simplify<{ [K in keyof R]: TypeOf<R[K]> } & { [K in keyof O]?: TypeOf<O[K]> | undefined }>> {
  const keys: Record<string, Joi.Schema> = {};
  for (const [name, schema] of Object.entries(required)) keys[name] = schema.required();
  for (const [name, schema] of Object.entries(optional ?? {})) keys[name] = schema.optional();
  return Joi.object(keys);
}

/** Gives a schema the type of what it accepts where joi cannot infer it: `Joi.when`, values and schemas from a list. Nothing is checked. */
export const typed = <S extends Joi.Schema>(schema: Joi.Schema): S => schema as S;

/** One of these texts. */
export const oneOf = <const V extends readonly string[]>(...values: V): Joi.StringSchema<V[number]> => typed(Joi.string().valid(...values));

/** The uuid in an address: it means the same in capitals, and handlers are given it in small letters, as it is kept. */
export const uuidInPath = (): Joi.StringSchema<string> => Joi.string().guid().lowercase();

/** A list of these. */
export const array = <S extends Joi.Schema>(item: S): Joi.ArraySchema<TypeOf<S>[]> => typed(Joi.array().items(item));

/** Any of these shapes; the first that fits counts. */
export const anyOf = <const S extends readonly Joi.Schema[]>(...schemas: S): Joi.AlternativesSchema<TypeOf<S[number]>> =>
  Joi.alternatives().try(...schemas.map((schema): Joi.Schema => schema));

/**
 * Adds JSON Schema keywords for a check in code (`custom`), which joi's conversion cannot see, to the OpenAPI document. They override
 * keywords of the same name that come from joi.
 */
export const withKeywords = <S extends Joi.Schema>(schema: S, keywords: JsonSchema): S => typed(schema.meta({ jsonSchema: keywords }));

/** Has a function change each report of what is wrong with a value. */
export const withReports = <S extends Joi.Schema>(schema: S, change: (report: Joi.ErrorReport) => void): S =>
  typed(
    schema.error((reports) => {
      for (const report of reports) change(report);
      // joi takes a list, but its types do not say so.
      return reports as unknown as Error;
    }),
  );

/** This, or null. */
export const nullable = <S extends Joi.Schema>(schema: S): Joi.AnySchema<TypeOf<S> | null> => typed(schema.allow(null));

/** An object with any keys, all of the same kind. */
export const record = <S extends Joi.Schema>(value: S): Joi.ObjectSchema<Record<string, TypeOf<S>>> =>
  typed(Joi.object().pattern(anyString(), value));

// joi's own factories take their type from the place they stand in, which makes it `any` in a list of fields.

/** Text with at least one character. */
export const string = (): Joi.StringSchema => Joi.string();

/** Text that may be empty. */
export const anyString = (): Joi.StringSchema => Joi.string().allow('');

/** Text whose length is counted as JSON Schema does (draft 2020-12, validation, 6.3.1): an emoji of two UTF-16 units is one character. */
const counted = Joi.extend((joi: Joi.Root) => ({
  type: 'string',
  base: joi.string(),
  rules: {
    longest: lengthRule('longest', 'string.max', 'maxLength', hasAtMost),
    // Fewer than so many are at most one less.
    shortest: lengthRule('shortest', 'string.min', 'minLength', (limit, value) => !hasAtMost(limit - 1, value)),
  },
})) as { string(): { longest(limit: number): Joi.StringSchema & { shortest(limit: number): Joi.StringSchema } } };

function lengthRule(name: string, code: string, keyword: string, fits: (limit: number, value: string) => boolean): object {
  type Limit = { readonly limit: number };
  return {
    method(this: Joi.ExtensionBoundSchema, limit: number) {
      return this.$_addRule({ name, args: { limit } });
    },
    validate: (value: string, { error }: Joi.CustomHelpers, { limit }: Limit) => (fits(limit, value) ? value : error(code, { limit })),
    jsonSchema: ({ args }: { readonly args: Limit }, schema: object) => ({ ...schema, [keyword]: args.limit }),
  };
}

/** A character is one or two units: only lengths between are worth counting. */
function hasAtMost(limit: number, value: string): boolean {
  if (value.length <= limit || value.length > 2 * limit) return value.length <= limit;
  let count = 0;
  for (const _ of value) count++;
  return count <= limit;
}

/** Whether a schema is of joi's own kinds or of ours. One of another extension may do what its description does not say. */
export function isOfKnownKind(schema: Joi.Schema): boolean {
  const { $_root: root } = schema as Joi.Schema & { readonly $_root: unknown };
  return root === Joi || root === counted;
}

/** Text of at least one character, or so many, and at most so many. */
export const stringUpTo = (longest: number, shortest = 1): Joi.StringSchema => counted.string().longest(longest).shortest(shortest);

/** Text of at most so many characters, which may be empty. */
export const anyStringUpTo = (longest: number): Joi.StringSchema => counted.string().longest(longest).allow('');

const DATE_TIME =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))?$/;

/** A moment of time as ISO 8601 text: what `Date` reads the same everywhere. */
export const dateTime = (): Joi.StringSchema =>
  Joi.string()
    .pattern(DATE_TIME)
    .message(`{{#label}} ${AS_DATE_TIME}`)
    .custom((given: string, { message }) => (isOnNoDay(given) ? message({ custom: `{{#label}} ${AS_DATE_TIME}` }) : given));
const AS_DATE_TIME = 'must be a date, or a date and time with Z or an offset: 2027-03-01T08:00:00Z';

/** `Date` takes 30 February for 2 March. */
const isOnNoDay = (given: string): boolean =>
  DATE_TIME.test(given) && new Date(given.slice(0, 10)).getUTCDate() !== Number(given.slice(8, 10));

/** Where a request can be sent: an address of http or https without a password in it, which would be no secret there. */
export const httpUrl = (): Joi.StringSchema => withKeywords(inAscii(checkedUrl()), { pattern: '^https?://[^/?#@]*([/?#]|$)' });

const checkedUrl = (): Joi.StringSchema =>
  Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .max(2048)
    .custom((url: string, { error, message }) => {
      // joi takes what is no address after all, such as a port above 65535.
      if (!URL.canParse(url)) return error('string.uri');
      const { username, password } = new URL(url);
      return username || password ? message({ custom: '{{#label}} must have no user name and no password in it' }) : url;
    });

const inAscii = (url: Joi.StringSchema): Joi.StringSchema =>
  withReports(url, (report) => {
    if (report.code.startsWith('string.uri') && isForPeople(report.value)) report.message = `${report.local.label} ${AS_ASCII}`;
  });

const AS_ASCII = 'must be written in ASCII: its host as punycode (xn--…), what follows percent-encoded (%C3%A4)';

/** Browsers would take such an address, and write it in ASCII before they use it; whoever is given ours may not. */
const isForPeople = (url: unknown): boolean => typeof url === 'string' && /^https?:.*\P{ASCII}/iu.test(url) && URL.canParse(url);

/** A number, with or without a fraction. */
export const number = (): Joi.NumberSchema => Joi.number();

/** A whole number. */
export const integer = (): Joi.NumberSchema => Joi.number().integer();

/** True or false. */
export const boolean = (): Joi.BooleanSchema => Joi.boolean();

/** Any JSON value. */
export const anyValue = (): Joi.AnySchema<unknown> => typed(Joi.any());

/** What an answer is, as JSON Schema (draft 2020-12), for those who do not use joi. */
export const jsonSchemaOf = (schema: Joi.Schema): JsonSchema => repaired(standardOf(schema).output({ target: TARGET })) as JsonSchema;

/** joi's own conversion of what a schema accepts; used for parts that are no object, list or choice. */
export const inputSchemaOf = (schema: Joi.Schema): JsonSchema => repaired(standardOf(schema).input({ target: TARGET })) as JsonSchema;

const TARGET = 'draft-2020-12';
const standardOf = (schema: Joi.Schema) => schema['~standard'].jsonSchema;

/** Whether it is a schema of a joi that can say what it is; older ones cannot, and there are others' schemas. */
export function isDescribed(value: unknown): boolean {
  const { jsonSchema } = ((value as Record<string, unknown> | undefined)?.['~standard'] ?? {}) as {
    readonly jsonSchema?: Partial<Record<string, unknown>>;
  };
  return Joi.isSchema(value, { legacy: true }) && typeof jsonSchema?.input === 'function' && typeof jsonSchema.output === 'function';
}

/** A JSON Schema document or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * What joi's own conversion leaves out: null in the list of values of a text that may be null, and formats that JSON Schema
 * has no word for.
 */
function repaired(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(repaired);
  if (typeof part !== 'object' || part === null) return part;
  const copied: Record<string, unknown> = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, repaired(value)]));
  const { type, enum: values, format } = copied;
  if (Array.isArray(type) && type.includes('null') && Array.isArray(values)) copied.enum = [...new Set([...values, null])];
  if (format === 'hex' && type === 'string') {
    delete copied.format;
    copied.pattern = '^[0-9A-Fa-f]*$';
  }
  return copied;
}
