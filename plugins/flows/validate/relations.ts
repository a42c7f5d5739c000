import { isExpression, looksLikeReference } from '../expression/reference.js';
import { isDay } from './check-format.js';
import { adviseOptions } from './check-options.js';
import { type Findings, quoted } from './findings.js';
import type { JsonNode } from './json-node.js';
import type { Bounds, ComponentType, OnlyWith, PairsWith, Rule } from './rule.js';

/** Checks what the properties of one component mean for each other. */
export function checkRelations(type: ComponentType, node: JsonNode, findings: Findings): void {
  for (const bounds of type.bounds ?? []) checkBounds(bounds, type, node, findings);
  for (const { when, also } of type.needs ?? []) {
    if (node.get(when) && !node.get(also)) {
      findings.at(node, 'INVALID_DEPENDENCIES', `${type.name} should have '${also}' when '${when}' is present`);
    }
  }
  for (const { property, others } of type.excludes ?? []) {
    if (node.get(property) && others.some((other) => node.get(other))) {
      findings.at(
        node,
        'NOT_KEYWORD_SCHEMA_VALIDATION_FAILED',
        `'${property}' and [${others.join(', ')}] must be exclusive in ${type.name}`,
      );
    }
  }
  for (const only of type.only ?? []) checkOnly(only, type, node, findings);
  if (type.pairs) checkPairs(type.pairs, type, node, findings);
  for (const { property, code, why } of type.advises ?? []) {
    if (!node.get(property)) findings.hint(node, code, `${type.name} has no '${property}': ${why}`);
  }
  adviseOptions(node, findings);
  if (type.name === 'NavigationList') checkNavigationList(node, findings);
}

/** Numbers and days can be compared; what is dynamic or malformed cannot. */
function checkBounds({ min, max }: Bounds, type: ComponentType, node: JsonNode, findings: Findings): void {
  const least = comparable(node.get(min));
  const most = comparable(node.get(max));
  if (least === undefined || most === undefined || typeof least !== typeof most || least <= most) return;
  const name = node.get('name')?.text;
  findings.at(
    node.get(min)!,
    'MIN_VALUE_GREATER_THAN_MAX',
    `'${min}' (${least}) cannot be greater than '${max}' (${most}) for ${type.name}${name === undefined ? '' : ` ${quoted(name)}`}`,
  );
}

function comparable(node: JsonNode | undefined): number | string | undefined {
  if (node?.kind === 'number') return node.value as number;
  return node?.text !== undefined && isDay(node.text) ? node.text : undefined;
}

/** What a property that decides over others says; nothing when that is open or not one of its values. */
function decided(property: string, standard: string, type: ComponentType, node: JsonNode): string | undefined {
  const decider = node.get(property);
  if (!decider) return standard;
  const rule = type.properties[property] as Rule;
  return decider.text !== undefined && rule.kind === 'choice' && rule.of.includes(decider.text) ? decider.text : undefined;
}

function checkOnly({ properties, property, values, standard }: OnlyWith, type: ComponentType, node: JsonNode, findings: Findings): void {
  const value = decided(property, standard, type, node);
  if (value === undefined || values.includes(value)) return;
  for (const name of properties) {
    const found = node.get(name);
    const message = `'${name}' and '${property}' ${value} must be exclusive; it goes with ${property} ${values.join(', ')}`;
    if (found) findings.at(found, 'NOT_KEYWORD_SCHEMA_VALIDATION_FAILED', message);
  }
}

function checkPairs({ property, value, standard, must, may }: PairsWith, type: ComponentType, node: JsonNode, findings: Findings): void {
  const found = decided(property, standard, type, node);
  if (found === undefined) return;
  for (const name of [...must, ...may]) {
    const given = node.get(name);
    if (!given) continue;
    const isPair = given.kind === 'object';
    const isSingle = given.text !== undefined && !looksLikeReference(given.text) && !isExpression(given.text);
    if (found === value ? isSingle && must.includes(name) : isPair) {
      const expected = isPair ? 'a single value' : "an object with 'start-date' and 'end-date'";
      findings.at(
        given,
        'INVALID_PROPERTY_TYPE',
        `expected '${name}' to be ${expected} when '${property}' is ${found}, found ${given.kind}`,
      );
    }
  }
}

/** Rows lead somewhere each for itself, or the list does for all; one row may have a badge; large pictures leave no room at the end. */
function checkNavigationList(node: JsonNode, findings: Findings): void {
  const items = node.get('list-items');
  if (items?.kind !== 'array') return;
  const rows = items.items.filter(({ kind }) => kind === 'object');
  const acting = rows.filter((row) => row.get('on-click-action'));
  if (node.get('on-click-action')) {
    if (acting.length > 0) {
      const message = "'on-click-action' of the list and [on-click-action of its items] must be exclusive";
      findings.at(node, 'NOT_KEYWORD_SCHEMA_VALIDATION_FAILED', message);
    }
  } else {
    for (const row of rows) {
      if (!row.get('on-click-action')) {
        const message = "property 'on-click-action' is required for each item, or for the list";
        findings.at(row, 'MISSING_REQUIRED_PROPERTY', message);
      }
    }
  }
  const badges = rows.flatMap((row) => row.get('badge') ?? []);
  for (const badge of badges.slice(1)) findings.at(badge, 'MAX_ITEMS_EXCEEDED', "only one item of a list may have a 'badge'", [badges[0]!]);
  if (node.get('media-size')?.text !== 'large') return;
  for (const row of rows) {
    const end = row.get('end');
    if (end) findings.at(end, 'NOT_KEYWORD_SCHEMA_VALIDATION_FAILED', "'end' and [media-size large] must be exclusive");
  }
}
