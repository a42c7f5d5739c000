import { actionProperties } from '../validate/actions.js';
import { propertiesOfType } from '../validate/check-component.js';
import { schemaTypes } from '../validate/check-data-model.js';
import { topLevel } from '../validate/check-flow.js';
import { componentTypes } from '../validate/components/all.js';
import { layoutProperties, screenProperties } from '../validate/read-screen.js';
import type { ActionName, Properties, Rule } from '../validate/rule.js';

/** The values that fit at a place of the text, for completion. */
export type Shape =
  | { readonly kind: 'object'; readonly properties: Properties; readonly also?: Readonly<Record<string, Shape>> }
  /** One of the components that a list may contain. */
  | { readonly kind: 'component'; readonly inside: Inside }
  | { readonly kind: 'action'; readonly allows: readonly ActionName[] }
  | { readonly kind: 'list'; readonly of: Shape }
  /** An object whose keys the flow names. */
  | { readonly kind: 'map'; readonly of: Shape; readonly keys: 'screens' | 'inputs' | 'none' }
  | { readonly kind: 'words'; readonly of: readonly string[]; readonly what: string }
  /** An id of a screen, or the name of an input of the screen. */
  | { readonly kind: 'screen' | 'input' }
  | { readonly kind: 'boolean' }
  /** A text that may contain references. */
  | { readonly kind: 'text' }
  | { readonly kind: 'either'; readonly of: readonly Shape[] }
  | { readonly kind: 'anything' };

type Inside = 'layout' | 'Form' | 'If' | 'Switch';

const words = (what: string, ...of: string[]): Shape => ({ kind: 'words', of, what });
const list = (of: Shape): Shape => ({ kind: 'list', of });
const components = (inside: Inside): Shape => list({ kind: 'component', inside });
const ANYTHING: Shape = { kind: 'anything' };

const schema: Shape = {
  kind: 'object',
  properties: Object.fromEntries(['type', '__example__', 'items', 'properties'].map((key) => [key, { kind: 'json', holds: 'anything' }])),
  also: {
    type: words('type of data', ...schemaTypes.keys()),
    get items() {
      return schema;
    },
    get properties() {
      return { kind: 'map', of: schema, keys: 'none' } as const;
    },
  },
};

const layout: Shape = {
  kind: 'object',
  properties: layoutProperties,
  also: { type: words('layout', 'SingleColumnLayout'), children: components('layout') },
};

const screen: Shape = {
  kind: 'object',
  properties: screenProperties,
  also: { layout, data: { kind: 'map', of: schema, keys: 'none' }, sensitive: list({ kind: 'input' }) },
};

export const flowShape: Shape = {
  kind: 'object',
  properties: topLevel,
  also: {
    version: words('version of Flow JSON', '7.3', '7.2'),
    data_api_version: words('version of the endpoint', '3.0', '4.0'),
    routing_model: { kind: 'map', of: list({ kind: 'screen' }), keys: 'screens' },
    screens: list(screen),
  },
};

/** The components that may be in a place. */
export const componentsIn = (inside: Inside): string[] =>
  [...componentTypes.values()]
    .filter(({ inForm, inIf, inSwitch }) => inside === 'layout' || { Form: inForm, If: inIf, Switch: inSwitch }[inside])
    .map(({ name }) => name);

/** The properties of the object at a place. @param type its `type`, or its `name` if it is an action */
export function propertiesAt(shape: Shape, type: string | undefined): Properties {
  if (shape.kind === 'object') return shape.properties;
  if (shape.kind === 'component') return propertiesOfType(type ?? '') ?? { type: { kind: 'name', isRequired: true } };
  if (shape.kind === 'action') {
    const name = shape.allows.find((one) => one === type);
    return name ? actionProperties[name] : { name: { kind: 'name', isRequired: true } };
  }
  if (shape.kind === 'either') return shape.of.map((one) => propertiesAt(one, type)).find((one) => Object.keys(one).length > 0) ?? {};
  return {};
}

/** The shape of a member or item. @param type of the object, as in `propertiesAt` */
export function inner(shape: Shape, key: string | number, type: string | undefined): Shape {
  if (shape.kind === 'list') return typeof key === 'number' ? shape.of : ANYTHING;
  if (shape.kind === 'map') return shape.of;
  if (shape.kind === 'either') return shape.of.map((one) => inner(one, key, type)).find(({ kind }) => kind !== 'anything') ?? ANYTHING;
  if (typeof key === 'number') return ANYTHING;
  if (shape.kind === 'component' && key === 'type') return words('component', ...componentsIn(shape.inside));
  if (shape.kind === 'action' && key === 'name') return words('action', ...shape.allows);
  if (shape.kind === 'action' && key === 'next') return nextScreen;
  if (shape.kind === 'object' && shape.also && Object.hasOwn(shape.also, key)) return shape.also[key]!;
  const properties = propertiesAt(shape, type);
  return Object.hasOwn(properties, key) ? shapeOf(properties[key]!) : ANYTHING;
}

const nextScreen: Shape = {
  kind: 'object',
  properties: { type: { kind: 'name', isRequired: true }, name: { kind: 'name', isRequired: true } },
  also: { type: words('kind of target', 'screen'), name: { kind: 'screen' } },
};

function shapeOf(rule: Rule): Shape {
  switch (rule.kind) {
    case 'boolean':
      return { kind: 'boolean' };
    case 'enum':
      return words('value', ...rule.of);
    case 'array':
      return list(shapeOf(rule.of));
    case 'object':
      return { kind: 'object', properties: rule.properties };
    case 'either':
      return { kind: 'either', of: rule.rules.map(shapeOf) };
    case 'action':
      return { kind: 'action', allows: rule.allows };
    case 'components':
      return components(rule.place === 'form' ? 'Form' : 'If');
    case 'cases':
      return { kind: 'map', of: components('Switch'), keys: 'none' };
    case 'by input':
      return { kind: 'map', of: ANYTHING, keys: 'inputs' };
    case 'string':
    case 'condition':
    case 'reference':
      return { kind: 'text' };
    default:
      return ANYTHING;
  }
}
