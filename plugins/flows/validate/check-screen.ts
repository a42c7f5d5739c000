import type { ValueType } from '../expression/syntax.js';
import { adviseChosen } from './check-options.js';
import { adviseLiteral, noteDynamic } from './check-text.js';
import type { ErrorCode } from './codes.js';
import { quoted } from './findings.js';
import type { Component, FlowFacts, Screen } from './flow-facts.js';
import type { JsonNode } from './json-node.js';
import { didYouMean } from './nearest.js';

/** How many of a component one screen may have, whatever they are inside of. */
const maxPerScreen: readonly (readonly [name: string, most: number, code: ErrorCode])[] = [
  ['EmbeddedLink', 2, 'MAX_EMBEDDED_LINK_PER_SCREEN'],
  ['Image', 3, 'MAX_IMAGE_PER_SCREEN'],
  ['OptIn', 5, 'MAX_OPT_IN_PER_SCREEN'],
  ['PhotoPicker', 1, 'MAX_PHOTO_PICKER_PER_SCREEN'],
  ['DocumentPicker', 1, 'MAX_DOCUMENT_PICKER_PER_SCREEN'],
  ['NavigationList', 2, 'MAX_NAVIGATION_LIST_PER_SCREEN'],
  ['ImageCarousel', 2, 'MAX_IMAGE_CAROUSEL_PER_SCREEN'],
];
const MAX_COMPONENTS = 50;

/** What a Form's init-values hold for inputs that are not filled with text. A number may stand for text when it is dynamic. */
const initTypes: Readonly<Record<string, readonly ValueType[]>> = {
  CheckboxGroup: ['array'],
  ChipsSelector: ['array'],
  OptIn: ['boolean'],
  CalendarPicker: ['string', 'object'],
};
const textTypes: readonly ValueType[] = ['string', 'number'];

/** Checks what the components of a screen mean for each other: how many, which together, names, the Form, the Footer. */
export function checkScreen(screen: Screen, flow: FlowFacts): void {
  const { children } = screen;
  if (!children) return;
  checkCounts(screen, children, flow);
  checkCompany(screen, children, flow);
  checkNames(screen, flow);
  checkForm(screen, flow);
  adviseNames(screen, flow);
}

function checkCounts({ components }: Screen, children: JsonNode, { findings }: FlowFacts): void {
  if (components.length > MAX_COMPONENTS) {
    findings.at(children, 'MAX_COMPONENTS_PER_SCREEN', `at most ${MAX_COMPONENTS} components per screen, found ${components.length}`);
  }
  const counts = new Map<string, number>();
  for (const { type } of components) if (type) counts.set(type.name, (counts.get(type.name) ?? 0) + 1);
  for (const [name, most, code] of maxPerScreen) {
    const found = counts.get(name) ?? 0;
    if (found > most) findings.at(children, code, `at most ${most} ${name} per screen, found ${found}`);
  }
  if (counts.has('PhotoPicker') && counts.has('DocumentPicker')) {
    findings.at(children, 'NATIVE_COMPONENTS_TOGETHER', 'PhotoPicker and DocumentPicker may not be on the same screen');
  }
}

/** Those that stand alone. One that stands where it may not is reported already, and says nothing about its company. */
function checkCompany({ components, idNode, isTerminal }: Screen, children: JsonNode, { findings }: FlowFacts): void {
  const top = components.filter(({ place }) => place.inside === 'layout');
  const isOf = (name: string) => (component: Component) => component.type?.name === name;
  if (
    top.some(isOf('RichText')) &&
    (top.filter(isOf('RichText')).length > 1 || !top.every((each) => isOf('RichText')(each) || isOf('Footer')(each)))
  ) {
    findings.at(children, 'RICH_TEXT_NOT_ALONE', 'RichText may share its screen with a Footer only');
  }
  if (!top.some(isOf('NavigationList'))) return;
  if (!top.every(isOf('NavigationList'))) {
    findings.at(children, 'NAVIGATION_LIST_NOT_ALONE', 'NavigationList may share its screen only with a second NavigationList');
  }
  if (isTerminal && idNode) findings.at(idNode, 'NAVIGATION_LIST_ON_TERMINAL', 'NavigationList is not allowed on a terminal screen');
}

function checkNames({ components }: Screen, { findings }: FlowFacts): void {
  const seen = new Map<string, JsonNode>();
  for (const { type, node } of components) {
    const name = type?.value ? node.get('name') : undefined;
    if (name?.text === undefined) continue;
    const before = seen.get(name.text);
    if (before)
      findings.at(name, 'DUPLICATE_FORM_COMPONENT_NAMES', () => `duplicate name ${quoted(name.text ?? '')} on one screen`, [before]);
    else seen.set(name.text, name);
  }
}

/** With a Form on the screen every input is inside it. */
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

/** Advises on names of inputs that the screen does not have, unless one of its components could not be read. */
function adviseNames({ node, components, inputs }: Screen, { findings }: FlowFacts): void {
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

/** A value must fit its input; what is dynamic is noted, to be checked with all other references. */
function checkInitValue(value: JsonNode, input: Component | undefined, screen: Screen, flow: FlowFacts): void {
  const name = input?.type?.name;
  if (input?.type?.isPicker) {
    return void flow.findings.at(value, 'NATIVE_COMPONENT_IN_FORM_INIT_VALUES', `init-values should not hold ${name}`);
  }
  const expected = name === undefined ? undefined : (initTypes[name] ?? textTypes);
  for (const item of value.items) {
    if (item.kind === 'string' && !noteDynamic({}, item, { screen, flow })) adviseLiteral(item, flow.findings);
  }
  if (value.kind === 'string') {
    if (noteDynamic(expected ? { types: expected } : {}, value, { screen, flow })) return;
    adviseLiteral(value, flow.findings);
  }
  if (input) adviseChosen(value, input.node, flow.findings);
  if (!expected || expected.some((type) => type === value.kind && type !== 'number')) return;
  flow.findings.at(
    value,
    'INVALID_PROPERTY_TYPE',
    () => `expected the init-value of ${name} ${quoted(value.key)} to be ${expected[0]}, found ${value.kind}`,
  );
}
