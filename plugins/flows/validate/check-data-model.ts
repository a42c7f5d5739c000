import type { ValueType } from '../expression/syntax.js';
import { type Findings, quoted, shortened } from './findings.js';
import { type JsonNode, pathOf } from './json-node.js';
import { didYouMean } from './suggestion.js';

/** The type of values by `type` of a schema. */
export const schemaTypes: ReadonlyMap<string, ValueType> = new Map<string, ValueType>([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'boolean'],
  ['object', 'object'],
  ['array', 'array'],
]);

/** Keywords of JSON Schema that an entry may have; they are not checked. */
const ANNOTATIONS: ReadonlySet<string> = new Set(
  [
    ['$schema', '$id', '$comment', 'title', 'description', 'default', 'examples', 'format', 'enum', 'const', 'required'],
    ['additionalProperties', 'minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'uniqueItems'],
  ].flat(),
);
const KEYS = ['type', '__example__', 'items', 'properties'];

/** Checks the data model of a screen: each entry is a JSON Schema with an `__example__`. */
export function checkDataModel(data: JsonNode, findings: Findings): void {
  hintDots(data, findings);
  for (const entry of data.items) {
    checkSchema(entry, entry.key, true, findings);
    if (entry.kind === 'object') checkExample(entry, findings);
  }
}

/** Hints at fields, and properties of object fields at any depth, that no reference can name. Items of arrays have no references. */
function hintDots(fields: JsonNode, findings: Findings): void {
  for (const field of fields.items) {
    if (field.key.includes('.')) findings.hintAtKey(field, 'NAME_WITH_DOT', () => nameWithDot(field.key, 'data'));
    const properties = field.get('properties');
    if (properties?.kind === 'object') hintDots(properties, findings);
  }
}

/** The text of the hint `NAME_WITH_DOT`. */
export const nameWithDot = (name: string, source: 'data' | 'form'): string =>
  `${quoted(name)} has a dot and cannot be referenced: \${${source}.${shortened(name)}} means a part of ${quoted(name.split('.')[0]!)}; use '_' instead`;

function checkSchema(schema: JsonNode, name: string, isTop: boolean, findings: Findings): void {
  if (schema.kind !== 'object') {
    return void findings.at(
      schema,
      'INVALID_SCREEN_DATA',
      `${quoted(name)} should be an object with type and __example__, found ${schema.kind}`,
    );
  }
  for (const member of schema.items) {
    if (member.key === '__example__' && !isTop) {
      findings.atKey(member, 'INVALID_SCREEN_DATA', `${quoted(name)}: __example__ is allowed only at the top of a data entry`);
    } else if (!KEYS.includes(member.key) && !ANNOTATIONS.has(member.key)) {
      const message = (): string => `property ${quoted(member.key)} is not allowed in the data model${didYouMean(member.key, KEYS)}`;
      findings.atKey(member, 'INVALID_PROPERTY_KEY', message);
    }
  }
  const type = checkType(schema, name, isTop, findings);
  checkItems(schema, type, name, findings);
  const properties = schema.get('properties');
  if (!properties) return;
  if (properties.kind !== 'object') {
    return void findings.at(properties, 'INVALID_SCREEN_DATA', `${quoted(name)}: properties should be an object, found ${properties.kind}`);
  }
  for (const property of properties.items) checkSchema(property, property.key, false, findings);
}

function checkType(schema: JsonNode, name: string, isTop: boolean, findings: Findings): ValueType | undefined {
  const node = schema.get('type');
  if (!node) {
    if (isTop) findings.at(schema, 'INVALID_SCREEN_DATA', `${quoted(name)} has no type`);
    return undefined;
  }
  if (node.kind !== 'string') {
    findings.at(node, 'INVALID_SCREEN_DATA', `the type of ${quoted(name)} should be a string, found ${node.kind}`);
    return undefined;
  }
  const written = node.value as string;
  const type = schemaTypes.get(written);
  if (type === undefined) {
    const known = [...schemaTypes.keys()].filter((each) => each !== 'integer');
    findings.at(
      node,
      'INVALID_SCREEN_DATA',
      () => `the type of ${quoted(name)} should be one of [${known.join(', ')}], found ${quoted(written)}${didYouMean(written, known)}`,
    );
  }
  return type;
}

function checkItems(schema: JsonNode, type: ValueType | undefined, name: string, findings: Findings): void {
  const items = schema.get('items');
  if (!items) {
    if (type === 'array') findings.at(schema, 'INVALID_SCREEN_DATA', `${quoted(name)} is an array and needs items`);
    return;
  }
  if (items.kind === 'object') checkSchema(items, `items of ${name}`, false, findings);
  else if (items.kind !== 'boolean') {
    findings.at(items, 'INVALID_SCREEN_DATA', `items of ${quoted(name)} should be an object or a boolean, found ${items.kind}`);
  }
}

function checkExample(entry: JsonNode, findings: Findings): void {
  const name = quoted(entry.key);
  const example = entry.get('__example__');
  if (!example) return void findings.at(entry, 'INVALID_SCREEN_DATA', `${name} has no __example__; add one`);
  checkFit(example, entry, `the __example__ of ${name}`, findings);
}

/**
 * Checks an example, recursively, against its schema. Properties that the schema does not declare may have any value except null,
 * because options often have more properties than their schema.
 */
function checkFit(value: JsonNode, schema: JsonNode | undefined, what: string, findings: Findings): void {
  const type = schemaTypes.get(schema?.get('type')?.text ?? '');
  if (type !== undefined && value.kind !== type) {
    const message = (): string => `${what} does not match its schema: expected ${pathOf(value)} to be ${type}, found ${value.kind}`;
    return void findings.at(value, 'INVALID_SCREEN_DATA', message);
  }
  if (value.kind === 'null') {
    return void findings.at(value, 'INVALID_SCREEN_DATA', `${what} contains null, which Flow JSON does not allow`);
  }
  const properties = value.kind === 'object' ? schema?.get('properties') : undefined;
  const items = value.kind === 'array' ? schema?.get('items') : undefined;
  for (const part of value.items) checkFit(part, properties?.get(part.key) ?? items, what, findings);
}
