import type { Coverage, Graph, GraphNode, GraphTraffic } from './graph-data.js';

export interface JourneyGraphProps {
  readonly graph: Graph;
  /** The name of the graph for screen readers. */
  readonly label: string;
  /** The id of a node; the graph scrolls to it when it changes. */
  readonly selected?: string | undefined;
  readonly onSelect?: (node: GraphNode) => void;
  /** Draws a line from a button of a card, by its index, or from the card itself, to another card. Without it, none can be drawn. */
  readonly onConnect?: ((from: GraphNode, option: number | undefined, to: GraphNode) => void) | undefined;
  /** A double click on a card, or F2. */
  readonly onEdit?: ((node: GraphNode) => void) | undefined;
  /** The id of the node where a run is; the graph scrolls to it when it changes. */
  readonly current?: string | undefined;
  /** The ids of the nodes that a run has visited; others are dim. Without it, none is dim. */
  readonly visited?: ReadonlySet<string> | undefined;
  /** Numbers of open sessions, by node. */
  readonly sessions?: ReadonlyMap<string, number> | undefined;
  readonly coverage?: Coverage | undefined;
  readonly traffic?: GraphTraffic | undefined;
}
