import { functions } from './functions/index.js';
import { parseExpression, parseTemplate } from './parse.js';
import type { Node, Part } from './syntax.js';
import { ExpressionError } from './value.js';

/** What is wrong with an expression, as far as that can be said without a context. */
export function expressionFaults(source: string): readonly string[] {
  try {
    return faultsOf(parseExpression(source).tree);
  } catch (error) {
    if (error instanceof ExpressionError) return [error.message];
    throw error;
  }
}

/** What is wrong with a template. It is printed all the same, but hardly as its author meant. */
export const templateFaults = (source: string): readonly string[] => parseTemplate(source).tree.flatMap(faultsOfPart);

const faultsOfPart = (part: Part): readonly string[] =>
  typeof part === 'string' ? [] : 'node' in part ? faultsOf(part.node) : [`this @ is printed as it is: ${part.reason}`];

function faultsOf(node: Node): readonly string[] {
  const inside = childrenOf(node).flatMap(faultsOf);
  if (node.kind === 'text') return templateFaults(node.source);
  return node.kind === 'call' ? [...callFaults(node.name, node.args.length), ...inside] : inside;
}

function callFaults(name: string, count: number): readonly string[] {
  const definition = functions.get(name);
  if (!definition) return [`there is no function '${name}'`];
  return count < definition.least || count > definition.most ? [`${definition.signature} is given ${count} arguments`] : [];
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
