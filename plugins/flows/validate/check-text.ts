import { holdsReference, isExpression, looksLikeReference, parseReference } from '../expression/reference.js';
import type { ValueType } from '../expression/syntax.js';
import { checkColor, checkDate, checkImage, checkPattern, checkUrl } from './check-format.js';
import { type Findings, quoted } from './findings.js';
import type { Expected } from './flow-facts.js';
import type { JsonNode } from './json-node.js';
import { didYouMean } from './nearest.js';
import type { Rule } from './rule.js';
import { nameOf, type Visit, wrongType } from './visit.js';

export type RuleOf<K extends Rule['kind']> = Extract<Rule, { readonly kind: K }>;

const TEXT_TYPES: readonly ValueType[] = ['string', 'number'];
const STRING: readonly ValueType[] = ['string'];
const NUMBER: readonly ValueType[] = ['number'];
const BOOLEAN: readonly ValueType[] = ['boolean'];
const ARRAY: readonly ValueType[] = ['array'];
const OBJECT: readonly ValueType[] = ['object'];
/** A `${` that another brace or the end of the text follows before its `}`. */
const UNCLOSED = /\$\{[^{}]*(?:\{|$)/;

/** The types of values that may come from a reference. A number can stand for text. */
export function typesOf(rule: Rule): readonly ValueType[] {
  switch (rule.kind) {
    case 'text':
      return rule.accepts ? [...TEXT_TYPES, ...rule.accepts] : TEXT_TYPES;
    case 'flag':
      return BOOLEAN;
    case 'number':
      return NUMBER;
    case 'list':
      return ARRAY;
    case 'record':
    case 'by input':
      return OBJECT;
    case 'either':
      return rule.rules.flatMap(typesOf);
    default:
      return STRING;
  }
}

const expectedBy = (rule: Rule): Expected =>
  rule.kind === 'list' && rule.declares ? { types: ARRAY, declares: rule.declares } : { types: typesOf(rule) };

/** Whether it is text that is not blank; says so when not. */
export function isText(node: JsonNode, visit: Visit, expected = 'string'): boolean {
  if (node.kind !== 'string') {
    wrongType(node, expected, visit);
    return false;
  }
  if (/\S/.test(node.value as string)) return true;
  visit.flow.findings.at(node, 'PATTERN_MISMATCH', () => `property '${nameOf(node)}' should not be blank`);
  return false;
}

/** Whether it is static text. What is dynamic is noted for later. */
function isStatic(rule: Rule, node: JsonNode, visit: Visit): boolean {
  if (!isText(node, visit)) return false;
  // Most texts hold neither; what it takes to look closer is saved for them.
  if (!/[`$]/.test(node.value as string)) return true;
  if (noteDynamic(expectedBy(rule), node, visit)) return false;
  if (rule.kind !== 'pattern') adviseLiteral(node, visit.flow.findings);
  return true;
}

/** Whether a text is dynamic, or tries to be. A sound reference or expression is noted, for when all screens are known. */
export function noteDynamic(expected: Expected, node: JsonNode, visit: Pick<Visit, 'flow' | 'screen'>): boolean {
  const text = node.value as string;
  if (isExpression(text)) {
    noteExpression(node, false, expected, visit);
    return true;
  }
  if (!looksLikeReference(text)) return false;
  const reference = parseReference(text);
  if (reference) visit.screen.uses.push({ node, content: { reference }, expected });
  else {
    const forms = ['data.x', 'form.x', 'screen.ID.data.x', 'screen.ID.form.x'].map((each) => `'\${${each}}'`).join(' or ');
    visit.flow.findings.at(node, 'PATTERN_MISMATCH', () => `${quoted(text)} is no reference; expected ${forms}`);
  }
  return true;
}

export function noteExpression(node: JsonNode, isCondition: boolean, expected: Expected, { screen }: Pick<Visit, 'screen'>): void {
  screen.uses.push({ node, content: { expression: node.value as string, isCondition }, expected });
}

/** Text that looks as if a reference were meant, which phones may show as it is written. */
export function adviseLiteral(node: JsonNode, findings: Findings): void {
  const text = node.value as string;
  if (holdsReference(text)) {
    findings.hint(
      node,
      'MIXED_TEXT_AND_REFERENCE',
      () =>
        `'${nameOf(node)}' mixes text and a reference and may be shown as it is written; in backticks it is an expression: \`'text ' \${data.x}\``,
    );
  } else if (UNCLOSED.test(text)) {
    findings.hint(node, 'UNCLOSED_REFERENCE', () => `'${nameOf(node)}' has a '\${' without a '}' and is shown as it is written`);
  }
}

export function checkText(rule: RuleOf<'text'>, node: JsonNode, visit: Visit): void {
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

export function checkBoolean(rule: RuleOf<'flag'>, node: JsonNode, visit: Visit): void {
  if (node.kind === 'boolean') return;
  if (node.kind === 'string' && rule.isDynamic && noteDynamic({ types: BOOLEAN }, node, visit)) return;
  wrongType(node, rule.isDynamic ? 'boolean or a dynamic value' : 'boolean', visit);
}

export function checkNumber(rule: RuleOf<'number'>, node: JsonNode, visit: Visit): void {
  const { findings } = visit.flow;
  if (node.kind === 'string') {
    if (noteDynamic({ types: NUMBER }, node, visit)) return;
    findings.at(
      node,
      'PATTERN_MISMATCH',
      () => `property '${nameOf(node)}' should be number or dynamic, such as '\${data.x}'; found ${quoted(node.value as string)}`,
    );
    return;
  }
  if (node.kind !== 'number') return void wrongType(node, 'number or a dynamic value', visit);
  const value = node.value as number;
  const { from, to, isWhole } = rule;
  if (isWhole && !Number.isInteger(value)) wrongType(node, 'integer', visit);
  else if (from !== undefined && value < from) {
    findings.at(node, 'MINIMUM_VALUE_REQUIRED', () => `minimum value for '${nameOf(node)}' is ${from}, found ${value}`);
  } else if (to !== undefined && value > to) {
    findings.at(node, 'MAXIMUM_VALUE_REQUIRED', () => `maximum value for '${nameOf(node)}' is ${to}, found ${value}`);
  }
}

export function checkChoice(rule: RuleOf<'choice'>, node: JsonNode, visit: Visit): void {
  if (node.kind === 'string' && rule.of.includes(node.value as string)) return;
  if (rule.isDynamic ? !isStatic(rule, node, visit) : !isText(node, visit)) return;
  const found = node.value as string;
  visit.flow.findings.at(
    node,
    'INVALID_ENUM_VALUE',
    () => `value of '${nameOf(node)}' should be one of [${rule.of.join(', ')}], found ${quoted(found)}${didYouMean(found, rule.of)}`,
  );
}

/** Text where a list or record is expected: it must be a reference, because expressions yield neither. */
export function checkBound(rule: Rule, node: JsonNode, visit: Visit): void {
  if (!isText(node, visit)) return;
  if (!isExpression(node.value as string) && noteDynamic(expectedBy(rule), node, visit)) return;
  const what = rule.kind === 'list' ? 'an array' : 'an object';
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

/** Text that must have a form, unless it is dynamic. */
export function checkFormat(rule: RuleOf<'date' | 'image' | 'url' | 'color' | 'pattern'>, node: JsonNode, visit: Visit): void {
  if (!isStatic(rule, node, visit)) return;
  const { findings } = visit.flow;
  if (rule.kind === 'date') checkDate(node, findings);
  else if (rule.kind === 'image') checkImage(node, rule.maxKiB, findings);
  else if (rule.kind === 'url') checkUrl(node, findings);
  else if (rule.kind === 'color') checkColor(node, findings);
  else checkPattern(node, findings);
}
