import { isExpression, looksLikeReference } from '../expression/reference.js';
import { hintUnavailableDays } from './check-days.js';
import { isDay } from './check-format.js';
import { hintOptions } from './check-options.js';
import { type Findings, quoted } from './findings.js';
import type { JsonNode } from './json-node.js';
import type { Bounds, ComponentType, OnlyWith, PairsWith, Rule } from './rule.js';

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
  for (const { property, code, why } of type.recommends ?? []) {
    if (!node.get(property)) findings.hint(node, code, `${type.name} has no '${property}': ${why}`);
  }
  hintOptions(node, findings);
  const initValue = node.get('init-value');
  if (initValue) hintUnavailableDays(initValue, node, findings);
  if (type.name === 'NavigationList') checkNavigationList(node, findings);
}

/** Compares numbers and dates; dynamic and malformed values are skipped. */
function checkBounds({ min, max }: Bounds, type: ComponentType, node: JsonNode, findings: Findings): void {
  const low = comparable(node.get(min));
  const high = comparable(node.get(max));
  if (low === undefined || high === undefined || typeof low !== typeof high || low <= high) return;
  const name = node.get('name')?.text;
  findings.at(
    node.get(min)!,
    'MIN_VALUE_GREATER_THAN_MAX',
    `'${min}' (${low}) cannot be greater than '${max}' (${high}) for ${type.name}${name === undefined ? '' : ` ${quoted(name)}`}`,
  );
}

function comparable(node: JsonNode | undefined): number | string | undefined {
  if (node?.kind === 'number') return node.value as number;
  return node?.text !== undefined && isDay(node.text) ? node.text : undefined;
}

/** The value of a property on which others depend; undefined if it is dynamic or invalid. */
function valueOfDecider(property: string, defaultValue: string, type: ComponentType, node: JsonNode): string | undefined {
  const decider = node.get(property);
  if (!decider) return defaultValue;
  const rule = type.properties[property] as Rule;
  return decider.text !== undefined && rule.kind === 'enum' && rule.of.includes(decider.text) ? decider.text : undefined;
}

function checkOnly(
  { properties, property, values, defaultValue }: OnlyWith,
  type: ComponentType,
  node: JsonNode,
  findings: Findings,
): void {
  const value = valueOfDecider(property, defaultValue, type, node);
  if (value === undefined || values.includes(value)) return;
  for (const name of properties) {
    const found = node.get(name);
    const message = `'${name}' and '${property}' ${value} must be exclusive; '${name}' requires '${property}' ${values.join(' or ')}`;
    if (found) findings.at(found, 'NOT_KEYWORD_SCHEMA_VALIDATION_FAILED', message);
  }
}

function checkPairs(
  { property, value, defaultValue, mustBePairs, mayBePairs }: PairsWith,
  type: ComponentType,
  node: JsonNode,
  findings: Findings,
): void {
  const found = valueOfDecider(property, defaultValue, type, node);
  if (found === undefined) return;
  for (const name of [...mustBePairs, ...mayBePairs]) {
    const given = node.get(name);
    if (!given) continue;
    const isPair = given.kind === 'object';
    const isSingle = given.text !== undefined && !looksLikeReference(given.text) && !isExpression(given.text);
    if (found === value ? isSingle && mustBePairs.includes(name) : isPair) {
      const expected = isPair ? 'a single value' : "an object with 'start-date' and 'end-date'";
      findings.at(
        given,
        'INVALID_PROPERTY_TYPE',
        `expected '${name}' to be ${expected} when '${property}' is ${found}, found ${given.kind}`,
      );
    }
  }
}

/** Either each row has an action or the list has one for all; at most one row has a badge; large images exclude `end`. */
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
        const message = "property 'on-click-action' is required on each item, or on the list";
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
