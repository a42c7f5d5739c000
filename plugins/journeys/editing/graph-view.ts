import type { GraphNode, JourneyGraph } from '#engine';
import type { Range } from './json-source.js';
import { layoutOf, pillsIn } from './layout.js';
import type { GraphView } from './schemas.js';
import { collapsed, type Section } from './sections.js';

interface ReadText {
  readonly sections?: readonly Section[];
  /** The indices of the sections of which one box is shown. */
  readonly collapsed?: readonly number[];
  readonly placesOf?: (node: GraphNode) => readonly Range[];
}

/** Lays out a graph, for the console and for files. */
export function viewOf(whole: JourneyGraph, { sections = [], collapsed: closed = [], placesOf = () => [] }: ReadText = {}): GraphView {
  const { within, ...graph } = collapsed(whole, sections, closed);
  const layout = layoutOf(graph);
  const sectionOf = (id: string): number => (within.has(id) ? Number(id) : sections.findIndex(({ nodes }) => nodes.has(id)));
  return {
    width: layout.width,
    height: layout.height,
    flows: graph.flows.map((flow, i) => ({ ...flow, ...layout.flows[i]! })),
    sections: sections.map(({ title, nodes }, i) => ({ title, cards: nodes.size, is_collapsed: within.has(`\n${i}`) })),
    nodes: graph.nodes.map((node) => {
      const { isFirst, waits, blocks, options, media, ...about } = node;
      const { x, y, width, height } = layout.nodes.get(node)!;
      const cards = within.get(node.id) ?? [node];
      const section = sectionOf(node.id);
      return {
        ...about,
        is_first: isFirst,
        waits,
        media: [...media],
        options: [...options],
        pills: [...pillsIn(node, { x, y, width, height })],
        blocks: [...blocks],
        cards: cards.map(({ label }) => label),
        ...(section >= 0 && { section }),
        x,
        y,
        width,
        height,
        places: cards.flatMap((card) => [...placesOf(card)]),
      };
    }),
    edges: graph.edges.map((edge) => {
      const { points, labelAt } = layout.edges.get(edge)!;
      const { from, to = null, label, words, exits, option } = edge;
      return {
        ...{ from, to, label, words, exits: [...exits], points: [...points] },
        ...(option !== undefined && { option }),
        ...(labelAt && { label_at: labelAt }),
      };
    }),
  };
}
