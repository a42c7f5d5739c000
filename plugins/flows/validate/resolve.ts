import type { Reference } from '../expression/reference.js';
import type { ValueType } from '../expression/syntax.js';
import { schemaTypes } from './check-data-model.js';
import { quoted } from './findings.js';
import type { Component, Expected, FlowFacts, Screen } from './flow-facts.js';
import type { JsonNode } from './json-node.js';
import { didYouMean } from './suggestion.js';

/** The value that a reference resolves to, or why it does not resolve. */
export type Resolved =
  | {
      /** Undefined if only the data can tell. */
      readonly type: ValueType | undefined;
      /** The entry in the data model, or its subschema. */
      readonly schema?: JsonNode;
      /** The input whose value it is. */
      readonly input?: Component;
    }
  | { readonly problem: () => string; readonly isGlobal: boolean };

export function resolve(reference: Reference, screen: Screen, flow: FlowFacts): Resolved {
  if (reference.screen === undefined) return resolveOn(reference, screen, false);
  const { screen: id } = reference;
  if (id === screen.id) {
    const local = `\${${reference.source}.${reference.path}}`;
    return { problem: () => `a reference to the same screen must be written ${quoted(local)}`, isGlobal: true };
  }
  const other = flow.screensById.get(id);
  if (other) return resolveOn(reference, other, true);
  return { problem: () => `unknown screen ${quoted(id)}${didYouMean(id, flow.screensById.keys())}`, isGlobal: true };
}

const resolveOn = (reference: Reference, screen: Screen, isGlobal: boolean): Resolved =>
  reference.source === 'data' ? inData(reference.path, screen, isGlobal) : inForm(reference.path, screen, isGlobal);

function inForm(path: string, screen: Screen, isGlobal: boolean): Resolved {
  const input = screen.inputs.get(path);
  if (input) return { type: valueType(input), input };
  const dot = path.lastIndexOf('.');
  const calendar = screen.inputs.get(path.slice(0, Math.max(0, dot)));
  if (calendar?.type?.name === 'CalendarPicker' && /^(?:start|end)-date$/.test(path.slice(dot + 1))) return { type: 'string' };
  const where = isGlobal ? `screen ${quoted(screen.id ?? '')}` : 'this screen';
  return { problem: () => `${where} has no input ${quoted(path)}${didYouMean(path, screen.inputs.keys())}`, isGlobal };
}

function inData(path: string, screen: Screen, isGlobal: boolean): Resolved {
  const { data } = screen;
  if (!data) return { type: undefined };
  const exact = data.get(path);
  if (exact) return ofSchema(exact);
  const [first, ...rest] = path.split('.');
  let schema = data.get(first!);
  const where = isGlobal ? `the data of screen ${quoted(screen.id ?? '')}` : 'the data of this screen';
  const missing = (name: string, known: Iterable<string>): Resolved => ({
    problem: () => `missing dynamic data: ${quoted(name)} is not in ${where}${didYouMean(name, known)}`,
    isGlobal,
  });
  if (!schema) return missing(first!, data.keys());
  for (const segment of rest) {
    const type = schemaTypes.get(schema.get('type')?.text ?? '');
    if (type === 'array') {
      return { problem: () => `${quoted(path)} refers to items of an array, which is not supported`, isGlobal };
    }
    if (type !== 'object') return type === undefined ? { type: undefined } : missing(path, []);
    const properties: JsonNode | undefined = schema.get('properties');
    if (properties?.kind !== 'object') return { type: undefined };
    const inner: JsonNode | undefined = properties.get(segment);
    if (!inner) return missing(path, []);
    schema = inner;
  }
  return ofSchema(schema);
}

const ofSchema = (schema: JsonNode): Resolved => ({ type: schemaTypes.get(schema.get('type')?.text ?? ''), schema });

/** The type of an input's value; undefined if it depends on a dynamic property. */
function valueType({ type, node }: Component): ValueType | undefined {
  if (!type?.value || typeof type.value === 'string') return type?.value as ValueType | undefined;
  const { property, types, otherwise } = type.value;
  const decider = node.get(property);
  if (!decider) return otherwise;
  if (decider.text === undefined || /^[`$]/.test(decider.text)) return undefined;
  return Object.hasOwn(types, decider.text) ? types[decider.text] : otherwise;
}

/** Returns the problem if the resolved value has a wrong type; undefined if it fits. A number is accepted as text. */
export function typeMismatch(resolved: Resolved, expected: Expected, written: string): string | undefined {
  if ('problem' in resolved || resolved.type === undefined) return undefined;
  const { type, schema } = resolved;
  if (expected.types && !expected.types.includes(type)) {
    return `expected ${quoted(written)} to be ${expected.types.join(' or ')}, found ${type}`;
  }
  return expected.declares ? missingSchema(expected.declares, schema, written) : undefined;
}

function missingSchema(declares: NonNullable<Expected['declares']>, schema: JsonNode | undefined, written: string): string | undefined {
  const names = Object.keys(declares);
  const items = schema?.get('items');
  if (!schema || items?.kind !== 'object') return `expected ${quoted(written)} to be an array of objects with ${names.join(' and ')}`;
  const properties = items.get('properties');
  for (const name of names) {
    const found = properties?.get(name);
    if (!found) return `missing schema for '${name}' in the items of ${quoted(written)}`;
    const type = schemaTypes.get(found.get('type')?.text ?? '');
    if (type !== undefined && type !== declares[name] && !(type === 'number' && declares[name] === 'string')) {
      return `expected '${name}' in the items of ${quoted(written)} to be ${declares[name]}, found ${type}`;
    }
  }
  return undefined;
}
