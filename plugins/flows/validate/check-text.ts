import { containsReference, isExpression, looksLikeReference, parseReference } from '../expression/reference.js';
import type { ValueType } from '../expression/syntax.js';
import { checkColor, checkDate, checkImage, checkPattern, checkUrl } from './check-format.js';
import { type Findings, quoted } from './findings.js';
import type { Expected } from './flow-facts.js';
import type { JsonNode } from './json-node.js';
import type { Rule } from './rule.js';
import { didYouMean } from './suggestion.js';
import { nameOf, type Visit, wrongType } from './visit.js';

export type RuleOf<K extends Rule['kind']> = Extract<Rule, { readonly kind: K }>;

const TEXT_TYPES: readonly ValueType[] = ['string', 'number'];
const STRING: readonly ValueType[] = ['string'];
const NUMBER: readonly ValueType[] = ['number'];
const BOOLEAN: readonly ValueType[] = ['boolean'];
const ARRAY: readonly ValueType[] = ['array'];
const OBJECT: readonly ValueType[] = ['object'];
/** A `${` without its `}` before the next `{` or the end of the text. */
const UNCLOSED = /\$\{[^{}]*(?:\{|$)/;

/** The types that a reference may have in place of a static value. A number is accepted as text. */
export function typesOf(rule: Rule): readonly ValueType[] {
  switch (rule.kind) {
    case 'string':
      return rule.accepts ? [...TEXT_TYPES, ...rule.accepts] : TEXT_TYPES;
    case 'boolean':
      return BOOLEAN;
    case 'number':
      return NUMBER;
    case 'array':
      return ARRAY;
    case 'object':
    case 'by input':
      return OBJECT;
    case 'either':
      return rule.rules.flatMap(typesOf);
    default:
      return STRING;
  }
}

const expectedBy = (rule: Rule): Expected =>
  rule.kind === 'array' && rule.declares ? { types: ARRAY, declares: rule.declares } : { types: typesOf(rule) };

/** Whether a value is non-blank text; reports it if not. */
export function isText(node: JsonNode, visit: Visit, expected = 'string'): boolean {
  if (node.kind !== 'string') {
    wrongType(node, expected, visit);
    return false;
  }
  if (/\S/.test(node.value as string)) return true;
  visit.flow.findings.at(node, 'PATTERN_MISMATCH', () => `property '${nameOf(node)}' should not be blank`);
  return false;
}

/** Whether a value is static text. Dynamic values are collected and checked later. */
function isStatic(rule: Rule, node: JsonNode, visit: Visit): boolean {
  if (!isText(node, visit)) return false;
  // Fast path: most texts contain neither.
  if (!/[`$]/.test(node.value as string)) return true;
  if (collectDynamic(expectedBy(rule), node, visit)) return false;
  if (rule.kind !== 'pattern') hintLiteralText(node, visit.flow.findings);
  return true;
}

/**
 * Whether a text is an expression or has the form of a reference. Valid ones are collected and resolved when all screens are known; an
 * invalid reference is reported.
 */
export function collectDynamic(expected: Expected, node: JsonNode, visit: Pick<Visit, 'flow' | 'screen'>): boolean {
  const text = node.value as string;
  if (isExpression(text)) {
    collectExpression(node, false, expected, visit);
    return true;
  }
  if (!looksLikeReference(text)) return false;
  const reference = parseReference(text);
  if (reference) visit.screen.uses.push({ node, content: { reference }, expected });
  else {
    const forms = ['data.x', 'form.x', 'screen.ID.data.x', 'screen.ID.form.x'].map((each) => `'\${${each}}'`).join(' or ');
    visit.flow.findings.at(node, 'PATTERN_MISMATCH', () => `${quoted(text)} is not a valid reference; expected ${forms}`);
  }
  return true;
}

export function collectExpression(node: JsonNode, isCondition: boolean, expected: Expected, { screen }: Pick<Visit, 'screen'>): void {
  screen.uses.push({ node, content: { expression: node.value as string, isCondition }, expected });
}

/** Hints at text that contains something like a reference, which phones may show literally. */
export function hintLiteralText(node: JsonNode, findings: Findings): void {
  const text = node.value as string;
  if (containsReference(text)) {
    findings.hint(
      node,
      'MIXED_TEXT_AND_REFERENCE',
      () =>
        `'${nameOf(node)}' mixes text and a reference, which phones may show literally; write it as an expression in backticks: \`'text ' \${data.x}\``,
    );
  } else if (UNCLOSED.test(text)) {
    findings.hint(node, 'UNCLOSED_REFERENCE', () => `'${nameOf(node)}' has a '\${' without a '}' and is shown literally`);
  }
}

export function checkText(rule: RuleOf<'string'>, node: JsonNode, visit: Visit): void {
  if (rule.isDynamic ? !isStatic(rule, node, visit) : !isText(node, visit)) return;
  const { max } = rule;
  const text = node.value as string;
  if (max === undefined || text.length <= max) return;
  const length = [...text].length;
  if (length > max) {
    visit.flow.findings.hint(
      node,
      'MAX_CHARS_EXCEEDED',
      () => `${visit.owner}: '${nameOf(node)}' has ${length} characters; phones may show only the first ${max}`,
    );
  }
}

export function checkName(node: JsonNode, visit: Visit): void {
  if (!isText(node, visit)) return;
  const text = node.value as string;
  if (parseReference(text) || isExpression(text)) {
    visit.flow.findings.at(node, 'PATTERN_MISMATCH', () => `property '${nameOf(node)}' cannot be dynamic, found ${quoted(text)}`);
  }
}

export function checkBoolean(rule: RuleOf<'boolean'>, node: JsonNode, visit: Visit): void {
  if (node.kind === 'boolean') return;
  if (node.kind === 'string' && rule.isDynamic && collectDynamic({ types: BOOLEAN }, node, visit)) return;
  wrongType(node, rule.isDynamic ? 'boolean or a dynamic value' : 'boolean', visit);
}

export function checkNumber(rule: RuleOf<'number'>, node: JsonNode, visit: Visit): void {
  const { findings } = visit.flow;
  if (node.kind === 'string') {
    if (collectDynamic({ types: NUMBER }, node, visit)) return;
    findings.at(
      node,
      'PATTERN_MISMATCH',
      () => `property '${nameOf(node)}' should be number or dynamic, such as '\${data.x}'; found ${quoted(node.value as string)}`,
    );
    return;
  }
  if (node.kind !== 'number') return void wrongType(node, 'number or a dynamic value', visit);
  const value = node.value as number;
  const { from, to, isInteger } = rule;
  if (isInteger && !Number.isInteger(value)) wrongType(node, 'integer', visit);
  else if (from !== undefined && value < from) {
    findings.at(node, 'MINIMUM_VALUE_REQUIRED', () => `minimum value for '${nameOf(node)}' is ${from}, found ${value}`);
  } else if (to !== undefined && value > to) {
    findings.at(node, 'MAXIMUM_VALUE_REQUIRED', () => `maximum value for '${nameOf(node)}' is ${to}, found ${value}`);
  }
}

export function checkEnum(rule: RuleOf<'enum'>, node: JsonNode, visit: Visit): void {
  if (node.kind === 'string' && rule.of.includes(node.value as string)) return;
  if (rule.isDynamic ? !isStatic(rule, node, visit) : !isText(node, visit)) return;
  const found = node.value as string;
  visit.flow.findings.at(
    node,
    'INVALID_ENUM_VALUE',
    () => `value of '${nameOf(node)}' should be one of [${rule.of.join(', ')}], found ${quoted(found)}${didYouMean(found, rule.of)}`,
  );
}

/** Checks text in place of an array or object: it must be a reference, because expressions yield neither type. */
export function checkBound(rule: Rule, node: JsonNode, visit: Visit): void {
  if (!isText(node, visit)) return;
  if (!isExpression(node.value as string) && collectDynamic(expectedBy(rule), node, visit)) return;
  const what = rule.kind === 'array' ? 'an array' : 'an object';
  visit.flow.findings.at(
    node,
    'PATTERN_MISMATCH',
    () => `property '${nameOf(node)}' should be ${what} or a reference such as '\${data.x}', found ${quoted(node.value as string)}`,
  );
}

export function checkReference(node: JsonNode, visit: Visit): void {
  if (!isText(node, visit)) return;
  const reference = parseReference(node.value as string);
  if (reference) visit.screen.uses.push({ node, content: { reference }, expected: {} });
  else {
    visit.flow.findings.at(
      node,
      'PATTERN_MISMATCH',
      () => `property '${nameOf(node)}' should be a reference such as '\${data.x}', found ${quoted(node.value as string)}`,
    );
  }
}

/** Checks the format of text, unless it is dynamic. */
export function checkFormat(rule: RuleOf<'date' | 'image' | 'url' | 'color' | 'pattern'>, node: JsonNode, visit: Visit): void {
  if (!isStatic(rule, node, visit)) return;
  const { findings } = visit.flow;
  if (rule.kind === 'date') checkDate(node, findings);
  else if (rule.kind === 'image') checkImage(node, rule.maxKiB, findings);
  else if (rule.kind === 'url') checkUrl(node, findings);
  else if (rule.kind === 'color') checkColor(node, findings);
  else checkPattern(node, findings);
}
