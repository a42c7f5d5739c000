import type { JsonSchema } from '../../../shape.js';

/** Example values by key, used if the schema accepts them. */
const named: Readonly<Record<string, unknown>> = {
  uuid: '5b0c7f7e-3c0d-4f4e-9b54-0d6c4a1f2e90',
  number: '5b0c7f7e-3c0d-4f4e-9b54-0d6c4a1f2e90',
  url: 'https://example.org/hook',
  endpoint: 'https://example.org/hook',
  link: 'https://example.org/picture.png',
  href: 'https://example.org/',
  name: 'Riverside Library',
  address: '+27600000001',
  from_addr: 'web:library',
  from: '+27611111111',
  to: '+27611111111',
  wa_id: '27611111111',
  recipient_id: '+27611111111',
  timestamp: '1767600000',
  body: 'Good morning',
  id: 'message-1',
  mime_type: 'image/png',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  language: 'en',
  code: 'en',
};

const FORMATS: Readonly<Record<string, string>> = {
  uri: 'https://example.org/',
  'date-time': '2027-03-01T08:00:00Z',
  email: 'ann@example.org',
  uuid: '5b0c7f7e-3c0d-4f4e-9b54-0d6c4a1f2e90',
};
/** Keys whose values are date-times. */
const MOMENT = /_(at|until|from)$/;
/** Candidate texts for patterns; the first that matches is used. */
const TRIED = [
  'example',
  'EXAMPLE_NAME',
  '1767600000',
  '+27611111111',
  '2027-03-01T08:00:00Z',
  '2027-03-01',
  '1',
  'a',
  '/example',
  '#336699',
];
const DEEPEST = 6;

/** Returns a value that the schema accepts, with only its required fields. */
export function exampleOf(schema: JsonSchema, key = '', depth = 0): unknown {
  const { type: types, enum: values, anyOf, default: usual, examples } = schema as Record<string, unknown>;
  if (Array.isArray(examples)) return examples[0];
  if (Array.isArray(values)) return values[0];
  if (usual !== undefined) return usual;
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0] as JsonSchema, key, depth);
  if (schema.if !== undefined && types === undefined) return exampleOf(schema.then as JsonSchema, key, depth);
  const type = Array.isArray(types) ? types[0] : types;
  switch (type) {
    case 'string':
      return textFor(schema, key);
    case 'integer':
    case 'number':
      return Math.max(Number(schema.minimum ?? 1), Number(schema.exclusiveMinimum ?? 0));
    case 'boolean':
      return true;
    case 'array':
      return itemsFor(schema, key, depth);
    case 'object':
      return fieldsFor(schema, depth);
    default:
      return {};
  }
}

function textFor(schema: JsonSchema, key: string): string {
  const {
    pattern,
    format,
    minLength = 0,
    maxLength = Number.POSITIVE_INFINITY,
  } = schema as {
    pattern?: string;
    format?: string;
    minLength?: number;
    maxLength?: number;
  };
  const expression = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  const fits = (text: string): boolean => text.length >= minLength && text.length <= maxLength && (expression?.test(text) ?? true);
  const wanted = named[key] ?? (MOMENT.test(key) ? FORMATS['date-time'] : undefined);
  const tried = [...(typeof wanted === 'string' ? [wanted] : []), ...(format ? [FORMATS[format] ?? ''] : []), ...TRIED];
  return tried.find(fits) ?? 'example'.padEnd(minLength, 'e').slice(0, maxLength);
}

function itemsFor(schema: JsonSchema, key: string, depth: number): unknown[] {
  const item = schema.items as JsonSchema | undefined;
  return item && (Number(schema.minItems ?? 0) > 0 || depth < 2) ? [exampleOf(item, key, depth + 1)] : [];
}

function fieldsFor(schema: JsonSchema, depth: number): object {
  const {
    properties = {},
    patternProperties = {},
    required = [],
    minProperties = 0,
    allOf = [],
  } = schema as {
    allOf?: JsonSchema[];
    patternProperties?: Record<string, JsonSchema>;
    properties?: Record<string, JsonSchema>;
    required?: string[];
    minProperties?: number;
  };
  if (depth > DEEPEST) return {};
  const made: Record<string, unknown> = {};
  const add = (name: string): void => {
    made[name] = exampleOf(properties[name] ?? {}, name, depth + 1);
  };
  required.forEach(add);
  // A message has its content under the name of its type; the default type is text.
  const [usual] = (properties.type?.enum ?? []) as string[];
  if (!('type' in made) && usual !== undefined && usual in properties) add('type');
  for (const condition of allOf) Object.assign(made, askedBy(condition, made, depth));
  for (const name of Object.keys(properties)) if (Object.keys(made).length < minProperties && !(name in made)) add(name);
  const [any] = Object.values(patternProperties);
  if (Object.keys(made).length < minProperties)
    made.name = exampleOf(any?.type === undefined ? { type: 'string' } : any, 'name', depth + 1);
  return made;
}

/** The fields that a condition requires and the example does not have yet. */
function askedBy(condition: JsonSchema | undefined, made: Readonly<Record<string, unknown>>, depth: number): object {
  if (condition?.if === undefined) return fieldsFor({ ...condition }, depth);
  return askedBy((fits(condition.if as Condition, made) ? condition.then : condition.else) as JsonSchema | undefined, made, depth);
}

interface Condition {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, { readonly enum?: readonly unknown[]; readonly pattern?: string }>>;
}

const fits = ({ required = [], properties }: Condition, made: Readonly<Record<string, unknown>>): boolean =>
  required.every((name) => name in made) &&
  Object.entries(properties).every(
    ([name, { enum: values, pattern }]) =>
      !(name in made) ||
      ((values?.includes(made[name]) ?? true) && (pattern === undefined || new RegExp(pattern, 'u').test(String(made[name])))),
  );
