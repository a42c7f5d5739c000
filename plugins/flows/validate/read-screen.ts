import { checkComponents } from './check-component.js';
import { checkProperties } from './check-value.js';
import type { Findings } from './findings.js';
import { quoted } from './findings.js';
import type { ComponentContext, FlowFacts, Screen } from './flow-facts.js';
import type { JsonNode } from './json-node.js';
import { type Properties, required, staticArray, staticBoolean, staticString, string } from './rule.js';
import { didYouMean } from './suggestion.js';
import { type Visit, wrongType } from './visit.js';

const LAYOUT = 'SingleColumnLayout';

export const screenProperties: Properties = {
  id: required({ kind: 'json', holds: 'anything' }),
  layout: required({ kind: 'json', holds: 'anything' }),
  title: string(),
  terminal: staticBoolean,
  success: staticBoolean,
  refresh_on_back: staticBoolean,
  data: { kind: 'json', holds: 'object' },
  sensitive: staticArray(staticString()),
};

export const layoutProperties: Properties = {
  type: required({ kind: 'json', holds: 'anything' }),
  children: required({ kind: 'json', holds: 'anything' }),
};

/** Checks each part of a screen by itself. @returns the screen, for the checks that look at several parts together */
export function readScreen(node: JsonNode, flow: FlowFacts, place: ComponentContext): Screen {
  const idNode = node.get('id');
  const layout = node.get('layout');
  const children = layout?.get('children');
  const id = idNode?.text || undefined;
  const screen: Screen = {
    node,
    id,
    idNode: id === undefined ? undefined : idNode,
    isTerminal: booleanOf(node.get('terminal'), false),
    isSuccess: booleanOf(node.get('success'), true),
    data: fieldsOf(node.get('data')),
    children: children?.kind === 'array' ? children : undefined,
    components: [],
    inputs: new Map(),
    formNames: new Set(),
    uses: [],
    actions: [],
  };
  const visit: Visit = { flow, screen, owner: 'a screen', place, components: () => undefined };
  checkProperties(screenProperties, node, visit);
  if (idNode) checkId(idNode, flow);
  if (layout) checkLayout(layout, visit);
  if (screen.children) checkComponents(screen.children, place, screen, flow);
  return screen;
}

function checkId(node: JsonNode, flow: FlowFacts): void {
  const { findings } = flow;
  if (node.kind !== 'string') return void wrongType(node, 'string', { flow });
  const id = node.value as string;
  if (id === '') findings.at(node, 'MIN_CHARS_REQUIRED', "'id' needs at least 1 character");
  else if (!/^[A-Za-z_]+$/.test(id)) {
    findings.at(node, 'PATTERN_MISMATCH', `a screen id should only contain letters and underscores, found ${quoted(id)}`);
  } else if (id.toLowerCase() === 'success') {
    findings.at(node, 'SCREEN_ID_IS_RESERVED_KEYWORD', `${quoted(id)} is a reserved keyword, in upper and lower case`);
  }
}

function checkLayout(layout: JsonNode, visit: Visit): void {
  const { findings } = visit.flow;
  if (layout.kind !== 'object') {
    return void findings.at(
      layout,
      'INVALID_PROPERTY_VALUE',
      `invalid value for property 'layout': expected an object, found ${layout.kind}`,
    );
  }
  checkProperties(layoutProperties, layout, { ...visit, owner: LAYOUT });
  const type = layout.get('type');
  if (type) checkLayoutType(type, visit.flow.findings, visit);
  const children = layout.get('children');
  if (children && children.kind !== 'array') wrongType(children, 'array of components', visit);
  if (children?.kind === 'array' && children.items.length === 0) {
    findings.at(children, 'MIN_ITEMS_REQUIRED', "'children' needs at least 1 item, found 0");
  }
}

function checkLayoutType(type: JsonNode, findings: Findings, visit: Visit): void {
  if (type.kind !== 'string') return void wrongType(type, 'string', visit);
  const found = type.value as string;
  if (found === LAYOUT) return;
  findings.at(
    type,
    'INVALID_PROPERTY_VALUE',
    () => `the type of a layout should be ${LAYOUT}, found ${quoted(found)}${didYouMean(found, [LAYOUT])}`,
  );
}

const booleanOf = (node: JsonNode | undefined, otherwise: boolean): boolean | undefined => {
  if (!node) return otherwise;
  return node.kind === 'boolean' ? (node.value as boolean) : undefined;
};

const fieldsOf = (node: JsonNode | undefined): ReadonlyMap<string, JsonNode> | undefined => {
  if (!node) return new Map();
  return node.kind === 'object' ? new Map(node.items.map((item) => [item.key, item])) : undefined;
};
