import { shortened } from './findings.js';
import type { ComponentContext, FlowFacts, Screen } from './flow-facts.js';
import { type JsonNode, pathOf } from './json-node.js';

export interface Visit {
  readonly flow: FlowFacts;
  readonly screen: Pick<Screen, 'uses' | 'actions'>;
  /** The name of the component, or of the part of the flow, in messages. */
  readonly owner: string;
  readonly place: ComponentContext;
  /** Checks the components of a list. */
  readonly components: (node: JsonNode, place: ComponentContext) => void;
}

export function wrongType(node: JsonNode, expected: string, { flow }: Pick<Visit, 'flow'>): void {
  flow.findings.at(node, 'INVALID_PROPERTY_TYPE', () => `expected ${pathOf(node)} to be ${expected}, found ${node.kind}`);
}

/** The name of a value in messages: its key, or `key[index]` for an item of an array. */
export function nameOf(node: JsonNode): string {
  return node.parent?.kind === 'array' ? `${shortened(node.parent.key)}[${node.index}]` : shortened(node.key);
}
