import { checkProperties } from './check-value.js';
import { componentTypes } from './components/all.js';
import { quoted } from './findings.js';
import type { Component, ComponentContext, FlowFacts, Screen } from './flow-facts.js';
import { type JsonNode, pathOf } from './json-node.js';
import { checkRelations } from './relations.js';
import { boolean, type ComponentType, name, type Properties, required } from './rule.js';
import { didYouMean } from './suggestion.js';
import { type Visit, wrongType } from './visit.js';

const MAX_IFS = 3;

/** The properties of each type, including the common ones. */
const propertiesOf: ReadonlyMap<ComponentType, Properties> = new Map(
  [...componentTypes.values()].map((type) => [
    type,
    { type: required(name), ...type.properties, ...(type.hasVisible !== false && { visible: boolean }) },
  ]),
);

/** The properties of a component type; undefined for an unknown one. */
export const propertiesOfType = (name: string): Properties | undefined => propertiesOf.get(componentTypes.get(name)!);

/** Checks a list of components, recursively, and registers them with their screen. */
export function checkComponents(list: JsonNode, place: ComponentContext, screen: Screen, flow: FlowFacts): void {
  const components: Visit['components'] = (node, inside) => {
    for (const component of node.items) checkComponent(component, inside);
  };

  const checkComponent = (node: JsonNode, place: ComponentContext): void => {
    if (node.kind !== 'object') return void wrongType(node, 'a component (object)', { flow });
    const type = typeOf(node, flow);
    register({ type, node, place }, screen);
    if (!type) return;
    reportMisplaced(type, node, place, flow);
    const visit: Visit = { flow, screen, owner: type.name, place, components };
    checkProperties(propertiesOf.get(type)!, node, visit);
    checkRelations(type, node, flow.findings);
  };

  components(list, place);
}

function register(component: Component, { components, inputs, formNames }: Screen): void {
  components.push(component);
  const { type, node } = component;
  const name = node.get('name')?.text;
  if (name === undefined) return;
  if (type?.value && !inputs.has(name)) inputs.set(name, component);
  if (type?.name === 'Form') formNames.add(name);
}

/** Returns the type of a component; reports a missing or unknown one. */
function typeOf(node: JsonNode, flow: FlowFacts): ComponentType | undefined {
  const { findings } = flow;
  const written = node.get('type');
  if (!written) {
    findings.at(node, 'MISSING_REQUIRED_TYPE_PROPERTY', () => `required property 'type' is missing at ${pathOf(node)}`);
    return undefined;
  }
  if (written.kind !== 'string') {
    wrongType(written, 'string', { flow });
    return undefined;
  }
  const name = written.value as string;
  const type = componentTypes.get(name);
  if (!type) {
    findings.at(written, 'INVALID_PROPERTY_VALUE', () => `unknown component ${quoted(name)}${didYouMean(name, componentTypes.keys())}`);
  }
  return type;
}

function reportMisplaced(type: ComponentType, node: JsonNode, { inside, branches, ifs }: ComponentContext, { findings }: FlowFacts): void {
  const problem = misplaced(type, inside, branches, ifs);
  if (problem !== undefined) findings.at(node.get('type')!, 'INVALID_PROPERTY_VALUE', problem);
}

/** @param branches how many Ifs and Switches contain the component @param ifs how many Ifs */
function misplaced(type: ComponentType, inside: ComponentContext['inside'], branches: number, ifs: number): string | undefined {
  const isAllowed =
    inside === 'layout' || (inside === 'Form' && type.inForm) || (inside === 'If' && type.inIf) || (inside === 'Switch' && type.inSwitch);
  if (!isAllowed) return `${type.name} is not allowed inside ${inside}`;
  if (type.name === 'If' && ifs >= MAX_IFS) return `If may be nested at most ${MAX_IFS} levels deep`;
  if (type.name === 'Footer' && branches > 1) return 'Footer is allowed only in the first level of If and Switch';
  return undefined;
}
