import { parseExpression } from '../expression/parse.js';
import type { Reference } from '../expression/reference.js';
import { type Expression, ExpressionProblem } from '../expression/syntax.js';
import type { ErrorCode } from './codes.js';
import type { FlowFacts, Screen } from './flow-facts.js';
import type { JsonNode } from './json-node.js';
import { type Resolved, resolve, typeMismatch } from './resolve.js';

/** Checks the references and expressions that were collected from the properties of a screen and its components. */
export function checkUses(screen: Screen, flow: FlowFacts): void {
  for (const { node, content, expected } of screen.uses) {
    if ('reference' in content) {
      const resolved = resolve(content.reference, screen, flow);
      reportUnresolved(resolved, node, 'INVALID_SCREEN_DYNAMIC_DATA', flow);
      const problem = typeMismatch(resolved, expected, node.value as string);
      if (problem !== undefined) flow.findings.at(node, 'INVALID_SCREEN_DYNAMIC_DATA', problem);
    } else checkExpression(node, content.isCondition, screen, flow, 'INVALID_SCREEN_DYNAMIC_DATA');
  }
}

/** Reports an unresolved reference: with `code` on the same screen, with `INVALID_SCREEN_DATA` to another screen. */
export function reportUnresolved(resolved: Resolved, node: JsonNode, code: ErrorCode, { findings }: FlowFacts): void {
  if ('problem' in resolved) findings.at(node, resolved.isGlobal ? 'INVALID_SCREEN_DATA' : code, resolved.problem);
}

/**
 * Checks an expression or a condition, and the references in it.
 * @returns the values that its references resolve to
 */
export function checkExpression(
  node: JsonNode,
  isCondition: boolean,
  screen: Screen,
  flow: FlowFacts,
  code: ErrorCode,
): readonly Resolved[] {
  // Throwing a problem costs 15 us, and a flow of 10 MB can contain 350,000 of them.
  if (flow.findings.isFull) return [];
  const written = node.value as string;
  const text = isCondition ? written : written.slice(1, -1);
  const resolved: Resolved[] = [];
  const typeOf = (reference: Reference) => {
    const found = resolve(reference, screen, flow);
    resolved.push(found);
    return 'problem' in found ? undefined : found.type;
  };
  try {
    const { expression, references } = parseExpression(text, { joins: !isCondition, typeOf });
    checkYield(expression, references.length, isCondition);
  } catch (error) {
    if (!(error instanceof ExpressionProblem)) throw error;
    const { message, at } = error;
    const column = at === undefined ? '' : ` (column ${at + (isCondition ? 1 : 2)} of the text)`;
    flow.findings.at(node, 'INVALID_PROPERTY_VALUE', `invalid ${isCondition ? 'condition' : 'expression'}: ${message}${column}`);
    return resolved;
  }
  for (const each of resolved) reportUnresolved(each, node, code, flow);
  return resolved;
}

/** A condition must yield a boolean and contain a reference. A single operand must be a reference to a boolean. */
function checkYield(expression: Expression, references: number, isCondition: boolean): void {
  const { kind, type } = expression;
  if (kind === 'literal') throw new ExpressionProblem('it is only a literal; at least one reference is needed');
  if (kind === 'reference' && type !== undefined && type !== 'boolean') {
    throw new ExpressionProblem(`a single operand must be boolean, found ${type}`);
  }
  if (!isCondition) return;
  if (references === 0) throw new ExpressionProblem('at least one reference is needed');
  if (type !== undefined && type !== 'boolean') throw new ExpressionProblem(`it must yield a boolean, not ${type}`);
}
