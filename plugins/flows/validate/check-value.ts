import { actionProperties } from './actions.js';
import {
  checkBoolean,
  checkBound,
  checkEnum,
  checkFormat,
  checkName,
  checkNumber,
  checkReference,
  checkText,
  collectDynamic,
  collectExpression,
  isText,
  type RuleOf,
  typesOf,
} from './check-text.js';
import { quoted } from './findings.js';
import { type JsonNode, pathOf } from './json-node.js';
import type { ActionName, ArrayRule, Properties, Rule } from './rule.js';
import { didYouMean } from './suggestion.js';
import { nameOf, type Visit, wrongType } from './visit.js';

/** Checks a value against its rule, and collects the references, expressions and actions in it. */
function checkValue(rule: Rule, node: JsonNode, visit: Visit): void {
  switch (rule.kind) {
    case 'string':
      return void checkText(rule, node, visit);
    case 'name':
      return void checkName(node, visit);
    case 'boolean':
      return void checkBoolean(rule, node, visit);
    case 'number':
      return void checkNumber(rule, node, visit);
    case 'enum':
      return void checkEnum(rule, node, visit);
    case 'date':
    case 'image':
    case 'url':
    case 'color':
    case 'pattern':
      return void checkFormat(rule, node, visit);
    case 'array':
      return void checkArray(rule, node, visit);
    case 'object':
      return void checkObject(rule, node, visit);
    case 'either':
      return void checkEither(rule.rules, node, visit);
    case 'action':
      return void checkAction(rule.allows, node, visit);
    case 'components':
      return void checkBranch(rule.place, node, visit);
    case 'cases':
      return void checkCases(node, visit);
    case 'condition':
      if (node.kind !== 'string') wrongType(node, 'string', visit);
      else collectExpression(node, true, { types: ['boolean'] }, visit);
      return;
    case 'reference':
      return void checkReference(node, visit);
    case 'by input':
      return void checkByInput(rule.holds, node, visit);
    case 'json':
      if (rule.holds === 'object' && node.kind !== 'object') wrongType(node, 'object', visit);
  }
}

function checkArray(rule: ArrayRule, node: JsonNode, visit: Visit): void {
  const { findings } = visit.flow;
  if (node.kind === 'string' && rule.isDynamic) return void checkBound(rule, node, visit);
  if (node.kind !== 'array') return void wrongType(node, rule.isDynamic ? 'array or a dynamic value' : 'array', visit);
  const { length } = node.items;
  const min = rule.min ?? 0;
  if (length < min) {
    findings.at(node, 'MIN_ITEMS_REQUIRED', () => `'${nameOf(node)}' needs at least ${min} item${min === 1 ? '' : 's'}, found ${length}`);
  }
  const hasImages = rule.maxWithImages !== undefined && node.items.some((item) => item.get('image') !== undefined);
  const max = hasImages ? rule.maxWithImages : rule.max;
  if (max !== undefined && length > max) {
    const when = hasImages ? ' when one has an image' : '';
    findings.at(node, 'MAX_ITEMS_EXCEEDED', () => `'${nameOf(node)}' allows at most ${max} items${when}, found ${length}`);
  }
  for (const item of node.items) checkValue(rule.of, item, visit);
}

function checkObject(rule: { readonly properties: Properties; readonly isDynamic: boolean }, node: JsonNode, visit: Visit): void {
  if (node.kind !== 'object') return void wrongType(node, 'object', visit);
  checkProperties(rule.properties, node, visit);
  const text = rule.properties['alt-text'];
  if (text && !text.isRequired && node.get('image') && !node.get('alt-text')) {
    visit.flow.findings.hint(
      node,
      'MISSING_ALT_TEXT',
      () => `${nameOf(node)} has an image without 'alt-text': screen readers cannot describe the image`,
    );
  }
}

/** Checks the members of an object: reports missing and unknown ones, and checks each against its rule. */
export function checkProperties(properties: Properties, node: JsonNode, visit: Visit): void {
  const { findings } = visit.flow;
  const required = requiredOf(properties);
  for (let i = 0; i < required.length; i++) {
    if (node.get(required[i]!)) continue;
    reportMissing(properties, node, visit);
    break;
  }
  for (const member of node.items) {
    const property = Object.hasOwn(properties, member.key) ? properties[member.key] : undefined;
    if (!property) {
      findings.atKey(member, 'INVALID_PROPERTY_KEY', () => unknownKey(member, properties, visit));
      continue;
    }
    if (property.isOutsideFormOnly && visit.place.isInForm) {
      findings.atKey(member, 'INVALID_PROPERTY_KEY', () => insideForm(member, visit));
    } else checkValue(property, member, visit);
  }
}

const requiredNames = new WeakMap<Properties, readonly string[]>();

function requiredOf(properties: Properties): readonly string[] {
  let names = requiredNames.get(properties);
  if (!names) {
    names = Object.keys(properties).filter((key) => properties[key]!.isRequired);
    requiredNames.set(properties, names);
  }
  return names;
}

/** A missing `type` has its own code. */
function reportMissing(properties: Properties, node: JsonNode, { flow, owner }: Visit): void {
  if (flow.findings.isFull) return;
  const missing = requiredOf(properties).filter((key) => !node.get(key));
  if (missing.includes('type')) flow.findings.at(node, 'MISSING_REQUIRED_TYPE_PROPERTY', "required property 'type' is missing");
  const others = missing.filter((key) => key !== 'type').map((key) => `'${key}'`);
  if (others.length === 0) return;
  const what = others.length === 1 ? `property ${others[0]} is` : `properties ${others.join(', ')} are`;
  const path = (): string => (pathOf(node) === '' ? '' : ` at ${pathOf(node)}`);
  flow.findings.at(node, 'MISSING_REQUIRED_PROPERTY', () => `required ${what} missing${path()} (in ${owner})`);
}

function unknownKey({ key, parent }: JsonNode, properties: Properties, { owner }: Visit): string {
  const where = pathOf(parent!);
  return `property ${quoted(key)} is not allowed${where === '' ? '' : ` at ${where}`} (in ${owner})${didYouMean(key, Object.keys(properties))}`;
}

const insideForm = ({ key }: JsonNode, { owner }: Visit): string =>
  `property '${key}' is not allowed on a ${owner} inside a Form; use '${key}s' of the Form`;

function checkEither(rules: readonly Rule[], node: JsonNode, visit: Visit): void {
  if (node.kind === 'string') {
    const first = rules.find((rule) => rule.kind !== 'object' && rule.kind !== 'array')!;
    if (first.kind === 'boolean') {
      if (!collectDynamic({ types: rules.flatMap(typesOf) }, node, visit)) checkValue(first, node, visit);
    } else if (isText(node, visit) && !collectDynamic({ types: rules.flatMap(typesOf) }, node, visit)) checkValue(first, node, visit);
    return;
  }
  const fitting = rules.find(
    ({ kind }) =>
      (kind === 'array' && node.kind === 'array') ||
      (kind === 'object' && node.kind === 'object') ||
      (kind === 'boolean' && node.kind === 'boolean'),
  );
  if (fitting) checkValue(fitting, node, visit);
  else wrongType(node, rules.map(({ kind }) => kindNames[kind] ?? kind).join(' or '), visit);
}

const kindNames: Readonly<Partial<Record<Rule['kind'], string>>> = { date: 'string' };

function checkAction(allows: readonly ActionName[], node: JsonNode, visit: Visit): void {
  const { findings } = visit.flow;
  if (node.kind !== 'object') return void wrongType(node, 'object', visit);
  const nameNode = node.get('name');
  if (!nameNode) return void findings.at(node, 'MISSING_REQUIRED_PROPERTY', () => `required property 'name' is missing at ${pathOf(node)}`);
  if (nameNode.kind !== 'string') return void wrongType(nameNode, 'string', visit);
  const found = nameNode.value as string;
  const name = allows.find((allowed) => allowed === found);
  if (name === undefined) {
    const where = `'${node.key}' of ${visit.owner}`;
    findings.at(
      nameNode,
      'INVALID_ENUM_VALUE',
      () => `the action in ${where} should be one of [${allows.join(', ')}], found ${quoted(found)}${didYouMean(found, allows)}`,
    );
    return;
  }
  checkProperties(actionProperties[name], node, { ...visit, owner: name });
  visit.screen.actions.push({ name, nameNode, payload: node.get('payload'), next: node.get('next')?.get('name') });
}

function checkBranch(place: RuleOf<'components'>['place'], node: JsonNode, visit: Visit): void {
  if (node.kind !== 'array') return void wrongType(node, 'array of components', visit);
  const { findings } = visit.flow;
  const { place: around } = visit;
  if (place === 'form') {
    if (node.items.length === 0) findings.at(node, 'MIN_ITEMS_REQUIRED', "'children' needs at least 1 item, found 0");
    return void visit.components(node, { ...around, inside: 'Form', isInForm: true });
  }
  if (place === 'then' && node.items.length === 0) {
    findings.at(node, 'INVALID_PROPERTY_VALUE', "invalid value for property 'then': it needs at least one component");
  }
  visit.components(node, { ...around, inside: 'If', branches: around.branches + 1, ifs: around.ifs + 1 });
}

function checkCases(node: JsonNode, visit: Visit): void {
  if (node.kind !== 'object') return void wrongType(node, 'object', visit);
  if (node.items.length === 0) {
    visit.flow.findings.at(node, 'INVALID_PROPERTY_VALUE', "invalid value for property 'cases': it needs at least one case");
  }
  for (const branch of node.items) {
    if (branch.kind !== 'array') wrongType(branch, 'array of components', visit);
    else visit.components(branch, { ...visit.place, inside: 'Switch', branches: visit.place.branches + 1 });
  }
}

/** Checks `init-values` or `error-messages` of a Form. The types of values are checked later, when all inputs are known. */
function checkByInput(holds: 'values' | 'texts', node: JsonNode, visit: Visit): void {
  if (node.kind === 'string') return void checkBound({ kind: 'by input', holds }, node, visit);
  if (node.kind !== 'object') return void wrongType(node, 'object or a dynamic value', visit);
  if (holds === 'texts') for (const member of node.items) checkValue({ kind: 'string', isDynamic: true }, member, visit);
}
