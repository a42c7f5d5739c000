import { createRequire } from 'node:module';
import type { JSONPath, Location, Node } from 'jsonc-parser';
import { componentTypes } from '../validate/components/all.js';
import { flowShape, inner, propertiesAt, type Shape } from './shapes.js';

export interface Completion {
  readonly label: string;
  readonly kind: 'property' | 'class' | 'text' | 'variable' | 'keyword';
  readonly detail: string;
  /** The text to insert, if it is not the label. */
  readonly insert?: string;
}

export interface Completions {
  /** Offsets in UTF-16 code units. */
  readonly from: number;
  readonly to: number;
  readonly options: readonly Completion[];
}

const MAX_OPTIONS = 200;
/** More than a flow may have, which is 64. */
const MAX_DEPTH = 200;
const MAX_REFERENCES = 100;
/** The text between `${` and the cursor. */
const OPEN_REFERENCE = /\$\{[^{}"]*$/;
const CLOSE_REFERENCE = /^[^{}"\s]*\}/;

type Parser = typeof import('jsonc-parser');
let parser: Parser | undefined;
/** Its ES module does not load in Node; loaded when it is first needed. */
const jsonc = (): Parser => (parser ??= createRequire(import.meta.url)('jsonc-parser') as Parser);

/**
 * Lists the texts that fit at an offset of a flow: properties, components, values, ids of screens, references. The text need not be valid, nor
 * JSON.
 */
export function completeFlow(text: string, offset: number): Completions {
  // The parser is recursive.
  if (depthOf(text) > MAX_DEPTH) return { from: offset, to: offset, options: [] };
  const root = jsonc().parseTree(text, [], { allowTrailingComma: true });
  const location = jsonc().getLocation(text, offset);
  const facts = factsOf(root, location.path);
  return location.isAtPropertyKey ? keysAt(text, offset, location, root, facts) : valuesAt(text, offset, location, root, facts);
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === OPEN_OBJECT || char === OPEN_ARRAY) deepest = Math.max(deepest, ++depth);
    else if (char === CLOSE_OBJECT || char === CLOSE_ARRAY) depth--;
  }
  return deepest;
}

const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

interface ScreenFacts {
  readonly id: string;
  readonly data: readonly string[];
  readonly inputs: readonly string[];
}

interface Facts {
  readonly screens: readonly ScreenFacts[];
  readonly current: ScreenFacts | undefined;
}

function factsOf(root: Node | undefined, path: JSONPath): Facts {
  const screens = (childOf(root, 'screens')?.children ?? []).map((node) => ({
    id: stringValue(childOf(node, 'id')) ?? '',
    data: keysOf(childOf(node, 'data')),
    inputs: inputsIn(childOf(node, 'layout')),
  }));
  return { screens: screens.filter(({ id }) => id !== ''), current: path[0] === 'screens' ? screens[Number(path[1])] : undefined };
}

const childOf = (node: Node | undefined, key: string): Node | undefined =>
  node?.type === 'object' ? node.children?.find((member) => member.children?.[0]?.value === key)?.children?.[1] : undefined;
const stringValue = (node: Node | undefined): string | undefined => (typeof node?.value === 'string' ? node.value : undefined);
const keysOf = (node: Node | undefined): string[] =>
  node?.type === 'object' ? (node.children ?? []).flatMap((member) => stringValue(member.children?.[0]) || []) : [];

/** The names of inputs in a layout, at any depth. */
function inputsIn(node: Node | undefined): string[] {
  const name = stringValue(childOf(node, 'name'));
  const isInput = componentTypes.get(stringValue(childOf(node, 'type')) ?? '')?.value !== undefined;
  return [...(isInput && name ? [name] : []), ...(node?.children ?? []).flatMap(inputsIn)];
}

/** The shape at a path, and the object that has the place as a member. */
function shapeAt(root: Node | undefined, path: JSONPath): { shape: Shape; node: Node | undefined } {
  let shape: Shape = flowShape;
  let node = root;
  for (const key of path) {
    shape = inner(shape, key, typeOf(shape, node));
    node = typeof key === 'number' ? (node?.type === 'array' ? node.children?.[key] : undefined) : childOf(node, key);
  }
  return { shape, node };
}

const typeOf = ({ kind }: Shape, node: Node | undefined): string | undefined =>
  stringValue(childOf(node, kind === 'action' || kind === 'either' ? 'name' : 'type'));

function keysAt(text: string, offset: number, { path, previousNode }: Location, root: Node | undefined, facts: Facts): Completions {
  const { shape, node } = shapeAt(root, path.slice(0, -1));
  const range = tokenAt(text, offset, previousNode);
  const written = range.isQuoted ? text.slice(range.from, range.to - 1) : '';
  const present = new Set(keysOf(node).filter((key) => key !== written));
  const hasColon = /^\s*:/.test(text.slice(range.to));
  const insertOf = (key: string): string => `${range.isQuoted ? '' : '"'}${key}"${hasColon ? '' : ': '}`;
  const names =
    shape.kind === 'map'
      ? (shape.keys === 'screens' ? facts.screens.map(({ id }) => id) : shape.keys === 'inputs' ? (facts.current?.inputs ?? []) : []).map(
          (key): Completion => ({
            label: key,
            kind: 'variable',
            detail: shape.keys === 'screens' ? 'screen' : 'input',
            insert: insertOf(key),
          }),
        )
      : Object.entries(propertiesAt(shape, typeOf(shape, node))).map(
          ([key, rule]): Completion => ({
            label: key,
            kind: 'property',
            detail: rule.isRequired ? `${kindOf(rule.kind)}, required` : kindOf(rule.kind),
            insert: insertOf(key),
          }),
        );
  return answer(
    range,
    names.filter(({ label }) => !present.has(label)),
  );
}

const kindNames: Readonly<Record<string, string>> = {
  string: 'text',
  enum: 'one of several values',
  array: 'list',
  'by input': 'by input',
  json: 'JSON',
  either: 'several forms',
  components: 'components',
  cases: 'components by case',
};
const kindOf = (kind: string): string => kindNames[kind] ?? kind;

function valuesAt(text: string, offset: number, { path, previousNode }: Location, root: Node | undefined, facts: Facts): Completions {
  const { shape } = shapeAt(root, path);
  const range = tokenAt(text, offset, previousNode);
  const open = range.isQuoted ? OPEN_REFERENCE.exec(text.slice(range.from, offset)) : null;
  if (open) {
    const rest = CLOSE_REFERENCE.exec(text.slice(offset))?.[0].length ?? 0;
    const options = references(facts).map((label): Completion => ({ label, kind: 'variable', detail: 'reference' }));
    return answer({ from: range.from + open.index, to: offset + rest }, options);
  }
  const asText = (label: string, kind: Completion['kind'], detail: string): Completion => ({
    label,
    kind,
    detail,
    insert: `${range.isQuoted ? '' : '"'}${label}"`,
  });
  const options = optionsOf(shape, facts).map(({ label, kind, detail }) =>
    kind === 'keyword' ? { label, kind, detail } : asText(label, kind, detail),
  );
  return answer(range, range.isQuoted ? options.filter(({ kind }) => kind !== 'keyword') : options);
}

function optionsOf(shape: Shape, facts: Facts): readonly Completion[] {
  const bound = references(facts).map((label): Completion => ({ label, kind: 'variable', detail: 'reference' }));
  switch (shape.kind) {
    case 'words':
      return shape.of.map((label) => ({ label, kind: shape.what === 'component' ? 'class' : 'text', detail: shape.what }));
    case 'screen':
      return facts.screens.map(({ id }) => ({ label: id, kind: 'variable', detail: 'screen' }));
    case 'input':
      return (facts.current?.inputs ?? []).map((label) => ({ label, kind: 'variable', detail: 'input' }));
    case 'boolean':
      return [...['true', 'false'].map((label): Completion => ({ label, kind: 'keyword', detail: 'boolean' })), ...bound];
    case 'either':
      return shape.of
        .flatMap((one) => optionsOf(one, facts))
        .filter(({ label }, at, all) => all.findIndex((one) => one.label === label) === at);
    case 'text':
    case 'list':
    case 'anything':
      return bound;
    default:
      return [];
  }
}

/** References to data and inputs: of the current screen first, then of the others. */
function references({ screens, current }: Facts): string[] {
  const of = (prefix: string, { data, inputs }: ScreenFacts): string[] => [
    ...data.map((name) => `\${${prefix}data.${name}}`),
    ...inputs.map((name) => `\${${prefix}form.${name}}`),
  ];
  const others = screens.filter(({ id }) => id !== current?.id).flatMap((screen) => of(`screen.${screen.id}.`, screen));
  return [...(current ? of('', current) : []), ...others].slice(0, MAX_REFERENCES);
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The text to replace: a string without its first quote, or the characters of a word before the offset. */
function tokenAt(text: string, offset: number, node: Node | undefined): Range & { readonly isQuoted: boolean } {
  if (node && text[node.offset] === '"' && node.offset < offset && offset <= node.offset + node.length) {
    return { from: node.offset + 1, to: node.offset + node.length, isQuoted: true };
  }
  const word = /[\w.-]*$/.exec(text.slice(Math.max(0, offset - 100), offset))![0];
  return { from: offset - word.length, to: offset, isQuoted: false };
}

const answer = ({ from, to }: Range, options: readonly Completion[]): Completions => ({ from, to, options: options.slice(0, MAX_OPTIONS) });
