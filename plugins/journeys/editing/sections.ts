import type { GraphEdge, GraphNode, JourneyGraph } from '#engine';

/** Cards below one heading of a notebook, or those of one flow, by the ids of their nodes. */
export interface Section {
  readonly title: string;
  readonly nodes: ReadonlySet<string>;
}

export interface CollapsedGraph extends JourneyGraph {
  /** By the id of a node that stands for a section: its cards. */
  readonly within: ReadonlyMap<string, readonly GraphNode[]>;
}

/** The graph with one node in place of each of these sections. Arrows inside of them are not shown; equal arrows are one. */
export function collapsed(graph: JourneyGraph, sections: readonly Section[], indices: readonly number[]): CollapsedGraph {
  const within = new Map<string, readonly GraphNode[]>();
  const standIns = new Map<string, string>();
  for (const index of indices) {
    const section = sections[index];
    const cards = graph.nodes.filter(({ id }) => section?.nodes.has(id));
    if (cards.length === 0) continue;
    // A name of a card has no line break.
    const id = `\n${index}`;
    within.set(id, cards);
    for (const card of cards) standIns.set(card.id, id);
  }
  const shown = new Set<string>();
  const nodes = graph.nodes.flatMap((node): GraphNode[] => {
    const id = standIns.get(node.id);
    if (id === undefined) return [node];
    if (shown.has(id)) return [];
    shown.add(id);
    return [sectionNode(id, sections[Number(id)]!.title, within.get(id)!)];
  });
  const edges = new Map<string, GraphEdge>();
  for (const edge of graph.edges) {
    const from = standIns.get(edge.from);
    const to = edge.to === undefined ? undefined : (standIns.get(edge.to) ?? edge.to);
    if (from !== undefined && from === to) continue;
    const moved = from === undefined ? { ...edge, to } : { ...edge, from, to, label: '', words: '', option: undefined };
    const key = JSON.stringify([moved.from, moved.to, moved.label]);
    edges.set(key, { ...moved, exits: [...(edges.get(key)?.exits ?? []), ...edge.exits] });
  }
  return { flows: graph.flows, nodes, edges: [...edges.values()], within };
}

function sectionNode(id: string, title: string, cards: readonly GraphNode[]): GraphNode {
  return {
    id,
    flow: cards[0]!.flow,
    label: title,
    isFirst: cards.some(({ isFirst }) => isFirst),
    waits: cards.some(({ waits }) => waits),
    says: `${cards.length} ${cards.length === 1 ? 'card' : 'cards'}`,
    media: [],
    options: [],
    blocks: cards.flatMap(({ blocks }) => blocks),
  };
}
