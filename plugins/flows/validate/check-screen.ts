import type { ValueType } from '../expression/syntax.js';
import { nameWithDot } from './check-data-model.js';
import { hintUnavailableDays } from './check-days.js';
import { hintUnknownChoice } from './check-options.js';
import { collectDynamic, hintLiteralText } from './check-text.js';
import type { ErrorCode } from './codes.js';
import { quoted } from './findings.js';
import type { Component, FlowFacts, Screen } from './flow-facts.js';
import type { JsonNode } from './json-node.js';
import { didYouMean } from './suggestion.js';

/** The maximum number of components of a type on one screen, counted at any depth. */
const maxPerScreen: readonly (readonly [name: string, max: number, code: ErrorCode])[] = [
  ['EmbeddedLink', 2, 'MAX_EMBEDDED_LINK_PER_SCREEN'],
  ['Image', 3, 'MAX_IMAGE_PER_SCREEN'],
  ['OptIn', 5, 'MAX_OPT_IN_PER_SCREEN'],
  ['PhotoPicker', 1, 'MAX_PHOTO_PICKER_PER_SCREEN'],
  ['DocumentPicker', 1, 'MAX_DOCUMENT_PICKER_PER_SCREEN'],
  ['NavigationList', 2, 'MAX_NAVIGATION_LIST_PER_SCREEN'],
  ['ImageCarousel', 2, 'MAX_IMAGE_CAROUSEL_PER_SCREEN'],
];
const MAX_COMPONENTS = 50;

/** The types of a Form's init-values for inputs whose value is not text. */
const initTypes: Readonly<Record<string, readonly ValueType[]>> = {
  CheckboxGroup: ['array'],
  ChipsSelector: ['array'],
  OptIn: ['boolean'],
  CalendarPicker: ['string', 'object'],
};
/** A dynamic number is accepted as text. */
const textTypes: readonly ValueType[] = ['string', 'number'];

/** Checks the components of a screen together: counts, exclusive components, names, the Form. */
export function checkScreen(screen: Screen, flow: FlowFacts): void {
  const { children } = screen;
  if (!children) return;
  checkCounts(screen, children, flow);
  checkExclusiveComponents(screen, children, flow);
  checkNames(screen, flow);
  checkForm(screen, flow);
  hintUnknownNames(screen, flow);
}

function checkCounts({ components }: Screen, children: JsonNode, { findings }: FlowFacts): void {
  if (components.length > MAX_COMPONENTS) {
    findings.at(children, 'MAX_COMPONENTS_PER_SCREEN', `at most ${MAX_COMPONENTS} components per screen, found ${components.length}`);
  }
  const counts = new Map<string, number>();
  for (const { type } of components) if (type) counts.set(type.name, (counts.get(type.name) ?? 0) + 1);
  for (const [name, max, code] of maxPerScreen) {
    const found = counts.get(name) ?? 0;
    if (found > max) findings.at(children, code, `at most ${max} ${name} per screen, found ${found}`);
  }
  if (counts.has('PhotoPicker') && counts.has('DocumentPicker')) {
    findings.at(children, 'NATIVE_COMPONENTS_TOGETHER', 'PhotoPicker and DocumentPicker may not be on the same screen');
  }
}

/** Checks RichText and NavigationList, which exclude other components. Only top-level ones count: others are already reported. */
function checkExclusiveComponents({ components, idNode, isTerminal }: Screen, children: JsonNode, { findings }: FlowFacts): void {
  const top = components.filter(({ place }) => place.inside === 'layout');
  const isOf = (name: string) => (component: Component) => component.type?.name === name;
  if (
    top.some(isOf('RichText')) &&
    (top.filter(isOf('RichText')).length > 1 || !top.every((each) => isOf('RichText')(each) || isOf('Footer')(each)))
  ) {
    findings.at(children, 'RICH_TEXT_NOT_ALONE', 'a screen with RichText may contain only it and a Footer');
  }
  if (!top.some(isOf('NavigationList'))) return;
  if (!top.every(isOf('NavigationList'))) {
    findings.at(children, 'NAVIGATION_LIST_NOT_ALONE', 'a screen with a NavigationList may contain only it and a second NavigationList');
  }
  if (isTerminal && idNode) findings.at(idNode, 'NAVIGATION_LIST_ON_TERMINAL', 'NavigationList is not allowed on a terminal screen');
}

function checkNames({ components }: Screen, { findings }: FlowFacts): void {
  const seen = new Map<string, JsonNode>();
  for (const { type, node } of components) {
    const name = type?.value ? node.get('name') : undefined;
    if (name?.text === undefined) continue;
    if (name.text.includes('.')) findings.hint(name, 'NAME_WITH_DOT', () => nameWithDot(name.text ?? '', 'form'));
    const first = seen.get(name.text);
    if (first)
      findings.at(name, 'DUPLICATE_FORM_COMPONENT_NAMES', () => `duplicate name ${quoted(name.text ?? '')} on one screen`, [first]);
    else seen.set(name.text, name);
  }
}

/** On a screen with a Form, every input must be inside it. */
function checkForm(screen: Screen, flow: FlowFacts): void {
  const { components, inputs } = screen;
  const forms = components.filter(({ type }) => type?.name === 'Form');
  if (forms.length === 0) return;
  for (const { type, node, place } of components) {
    if (type?.value && !place.isInForm) {
      flow.findings.at(node, 'COMPONENTS_OUTSIDE_FORM', `${type.name} is not allowed outside the Form of its screen`);
    }
  }
  for (const { node } of forms) {
    for (const value of node.get('init-values')?.items ?? []) checkInitValue(value, inputs.get(value.key), screen, flow);
  }
}

/** Hints at names of inputs that the screen does not have, unless a component has an unknown type and might be the input. */
function hintUnknownNames({ node, components, inputs }: Screen, { findings }: FlowFacts): void {
  if (components.some(({ type }) => !type)) return;
  const forms = components.filter(({ type }) => type?.name === 'Form');
  const named: [name: string | undefined, place: JsonNode][] = [
    ...(node.get('sensitive')?.items ?? []).map((item): [string | undefined, JsonNode] => [item.text, item]),
    ...forms
      .flatMap((form) => ['init-values', 'error-messages'].flatMap((key) => form.node.get(key)?.items ?? []))
      .map((member): [string, JsonNode] => [member.key, member]),
  ];
  for (const [name, place] of named) {
    if (name === undefined || inputs.has(name)) continue;
    findings.hint(place, 'UNKNOWN_INPUT', () => `the screen has no input ${quoted(name)}${didYouMean(name, inputs.keys())}`);
  }
}

/** Checks the type of a value against its input. Dynamic values are collected and checked with all other references. */
function checkInitValue(value: JsonNode, input: Component | undefined, screen: Screen, flow: FlowFacts): void {
  const name = input?.type?.name;
  if (input?.type?.isPicker) {
    return void flow.findings.at(value, 'NATIVE_COMPONENT_IN_FORM_INIT_VALUES', `init-values should not contain ${name}`);
  }
  const expected = name === undefined ? undefined : (initTypes[name] ?? textTypes);
  for (const item of value.items) {
    if (item.kind === 'string' && !collectDynamic({}, item, { screen, flow })) hintLiteralText(item, flow.findings);
  }
  if (value.kind === 'string') {
    if (collectDynamic(expected ? { types: expected } : {}, value, { screen, flow })) return;
    hintLiteralText(value, flow.findings);
  }
  if (input) {
    hintUnknownChoice(value, input.node, flow.findings);
    hintUnavailableDays(value, input.node, flow.findings);
  }
  if (!expected || expected.some((type) => type === value.kind && type !== 'number')) return;
  flow.findings.at(
    value,
    'INVALID_PROPERTY_TYPE',
    () => `expected the init-value of ${name} ${quoted(value.key)} to be ${expected[0]}, found ${value.kind}`,
  );
}
