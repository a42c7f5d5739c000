import { shortened } from './findings.js';
import type { FlowFacts, Place, Screen } from './flow-facts.js';
import { type JsonNode, pathOf } from './json-node.js';

/** Where a value stands that is being checked. */
export interface Visit {
  readonly flow: FlowFacts;
  readonly screen: Pick<Screen, 'uses' | 'actions'>;
  /** The component, or the part of the flow, as messages call it. */
  readonly owner: string;
  readonly place: Place;
  /** Checks the components of a list. */
  readonly components: (node: JsonNode, place: Place) => void;
}

export function wrongType(node: JsonNode, expected: string, { flow }: Pick<Visit, 'flow'>): void {
  flow.findings.at(node, 'INVALID_PROPERTY_TYPE', () => `expected ${pathOf(node)} to be ${expected}, found ${node.kind}`);
}

/** How messages call a value: by its key, or for an item by the list and its place. */
export function nameOf(node: JsonNode): string {
  return node.parent?.kind === 'array' ? `${shortened(node.parent.key)}[${node.index}]` : shortened(node.key);
}
