import { functions } from './functions/index.js';
import { patternFault } from './functions/patterns.js';
import { parseExpression, parseTemplate } from './parse.js';
import type { Node, Part } from './syntax.js';
import { NO_TEXT } from './text.js';
import { ExpressionError } from './value.js';

/** Something wrong with an expression or a template. */
export interface Fault {
  readonly code: 'invalid_expression' | 'unknown_function' | 'wrong_arity' | 'invalid_pattern' | 'printed_at';
  readonly message: string;
}

/** What is wrong with an expression, as far as that can be said without a context. */
export function expressionFaults(source: string): readonly Fault[] {
  try {
    return faultsOf(parseExpression(source).tree);
  } catch (error) {
    if (error instanceof ExpressionError) return [{ code: 'invalid_expression', message: error.message }];
    throw error;
  }
}

/** Whether a text is an expression at all. */
export const canBeRead = (source: string): boolean => !expressionFaults(source).some(({ code }) => code === 'invalid_expression');

/** What is wrong with a template. It is printed all the same, but hardly as its author meant. */
export const templateFaults = (source: string): readonly Fault[] => parseTemplate(source).tree.flatMap(faultsOfPart);

/** The names an expression begins with, whose values come from a context; none when it cannot be read. */
export function expressionRoots(source: string): readonly string[] {
  try {
    const { tree, hyphenated } = parseExpression(source);
    return [...rootsOf(tree), ...hyphenated.flatMap(({ path }) => path[0] ?? [])];
  } catch (error) {
    if (error instanceof ExpressionError) return [];
    throw error;
  }
}

/** As `expressionRoots`. What follows a letter, as in an e-mail address, is text to most who write it. */
export function templateRoots(source: string): readonly string[] {
  const { tree, hyphenated } = parseTemplate(source);
  const roots = tree.flatMap((part) => (typeof part !== 'string' && 'node' in part && !part.glued ? rootsOf(part.node) : []));
  return [...roots, ...hyphenated.flatMap(({ path }) => path[0] ?? [])];
}

/** Whether an expression has the same value in every context. */
export function isConstant(source: string): boolean {
  // A text with an @ is a template of its own.
  const constantPart = (part: Part): boolean => typeof part === 'string' || !('node' in part) || constant(part.node);
  const constant = (node: Node): boolean => {
    if (node.kind === 'text') return parseTemplate(node.source).tree.every(constantPart);
    return node.kind !== 'name' && node.kind !== 'call' && childrenOf(node).every(constant);
  };
  try {
    return constant(parseExpression(source).tree);
  } catch (error) {
    if (error instanceof ExpressionError) return false;
    throw error;
  }
}

const rootsOf = (node: Node): readonly string[] =>
  node.kind === 'name' ? [node.name] : node.kind === 'text' ? templateRoots(node.source) : childrenOf(node).flatMap(rootsOf);

const faultsOfPart = (part: Part): readonly Fault[] =>
  typeof part === 'string'
    ? []
    : 'node' in part
      ? faultsOf(part.node)
      : [{ code: 'printed_at', message: `this @ is printed as it is: ${part.reason}` }];

function faultsOf(node: Node): readonly Fault[] {
  const inside = childrenOf(node).flatMap(faultsOf);
  if (node.kind === 'text') return templateFaults(node.source);
  if (node.kind === 'call') return [...callFaults(node.name, node.args), ...inside];
  return isJoinedFunction(node) ? [{ code: 'invalid_expression', message: NO_TEXT }, ...inside] : inside;
}

/** `a & &(b)`: whoever writes that means both. */
const isJoinedFunction = (node: Node): boolean =>
  node.kind === 'chain' && node.links[0]?.operator === '&' && childrenOf(node).some(({ kind }) => kind === 'lambda');

function callFaults(name: string, args: readonly Node[]): readonly Fault[] {
  const definition = functions.get(name);
  const count = args.length;
  if (!definition) return [{ code: 'unknown_function', message: `there is no function '${name}'` }];
  if (count < definition.least || count > definition.most)
    return [{ code: 'wrong_arity', message: `${definition.signature} is given ${count} arguments` }];
  const pattern = name === 'has_pattern' ? args[1] : undefined;
  const fault = pattern?.kind === 'constant' && typeof pattern.value === 'string' ? patternFault(pattern.value) : undefined;
  return fault === undefined ? [] : [{ code: 'invalid_pattern', message: fault }];
}

function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'list':
      return node.items;
    case 'call':
      return node.args;
    case 'access':
      return [node.of, ...node.steps.flatMap((step) => ('index' in step ? step.index : []))];
    case 'chain':
      return [node.first, ...node.links.map(({ right }) => right)];
    case 'not':
    case 'negate':
      return [node.of];
    case 'power':
      return [node.base, node.exponent];
    case 'range':
      return [node.first, node.last, ...(node.step ? [node.step] : [])];
    case 'lambda':
      return [node.body];
    default:
      return [];
  }
}
