import { texts } from './texts.js';

/** A range of a text: lines and columns start at 1. */
export interface TextRange {
  readonly line: number;
  readonly column: number;
  readonly end: { readonly line: number; readonly column: number };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** A card of a journey. */
export interface GraphNode extends Box {
  readonly id: string;
  readonly flow: string;
  readonly label: string;
  /** The first words of what it says. */
  readonly says: string;
  /** The kinds of files that it sends. */
  readonly media: string[];
  /** The labels of its buttons and rows. */
  readonly options: string[];
  /** The buttons as drawn, from which arrows leave. */
  readonly pills: (Box & { readonly text: string })[];
  readonly is_first: boolean;
  /** Whether a run waits there for input. */
  readonly waits: boolean;
  readonly blocks: string[];
  /** The cards that it stands for: itself, or those of a collapsed section. */
  readonly cards: string[];
  /** The index of its section. */
  readonly section?: number | undefined;
  /** Where it is in the text. */
  readonly places: TextRange[];
}

export interface GraphEdge {
  readonly from: string;
  /** Null ends the flow. */
  readonly to: string | null;
  readonly label: string;
  /** The label in plain words. */
  readonly words: string;
  readonly exits: { readonly block: string; readonly name: string; readonly to: string | null }[];
  readonly points: Point[];
  /** The index of the option of its card that it leaves from. */
  readonly option?: number | undefined;
  readonly label_at?: Point | undefined;
}

/** The graph of a journey as `GET /admin/v1/journeys/{uuid}/graph` lays it out, in pixels. */
export interface Graph {
  readonly width: number;
  readonly height: number;
  readonly flows: (Box & { readonly id: string; readonly name: string })[];
  /** Headings with cards, or the flows of a definition, if there are several. */
  readonly sections: { readonly title: string; readonly cards: number; readonly is_collapsed: boolean }[];
  readonly nodes: GraphNode[];
  readonly edges: GraphEdge[];
}

/** A part of a journey with the number of times that tests ran it, as runs of tests report it. */
export interface CoveredPart {
  readonly kind: 'block' | 'exit' | 'option' | 'trigger' | 'expression';
  readonly card: string;
  readonly block: string;
  readonly name: string;
  readonly count: number;
  /** For exits that no test took: how a test can take it. */
  readonly reach?: string;
}

/** The nodes and edges that tests ran or did not run. Those that changed after the run are in neither. */
export interface Coverage {
  /** By node: whether a test reached it. */
  readonly nodes: ReadonlyMap<string, boolean>;
  /** By edge: whether a test took it. */
  readonly edges: ReadonlyMap<GraphEdge, boolean>;
  /** By edge that no test took: how a test can take it. */
  readonly reach: ReadonlyMap<GraphEdge, string>;
}

/** The counts of a journey's sessions since a time, as `GET /admin/v1/journeys/{uuid}/traffic` counts it. */
export interface Traffic {
  readonly since: string;
  readonly exits: readonly { readonly block: string; readonly name: string; readonly count: number }[];
  readonly cards: readonly (CardCounts & { readonly card: string })[];
}

/** How often a card waited for an answer, got one that it did not understand, and got none until the wait ended. */
export interface CardCounts {
  readonly asked: number;
  readonly unclear: number;
  readonly left: number;
}

/** The counts of a graph: how often sessions took each arrow, and of each node that asked. */
export interface GraphTraffic {
  readonly edges: ReadonlyMap<GraphEdge, number>;
  readonly nodes: ReadonlyMap<string, CardCounts>;
}

export function trafficOf(graph: Graph, { exits, cards }: Traffic): GraphTraffic {
  const counts = new Map(exits.map(({ block, name, count }) => [`${block}\n${name}`, count]));
  const nodes = new Map<string, CardCounts>();
  for (const { card, asked, unclear, left } of cards) {
    const id = nodeOfCard(graph, card)?.id;
    if (id === undefined) continue;
    const sum = nodes.get(id) ?? { asked: 0, unclear: 0, left: 0 };
    nodes.set(id, { asked: sum.asked + asked, unclear: sum.unclear + unclear, left: sum.left + left });
  }
  const taken = ({ exits: ways }: GraphEdge): number =>
    ways.reduce((sum, { block, name }) => sum + (counts.get(`${block}\n${name}`) ?? 0), 0);
  return { nodes, edges: new Map(graph.edges.map((edge) => [edge, taken(edge)])) };
}

/** How many contacts left a question without an answer, and their share. */
export const leftWords = ({ asked, left }: CardCounts): string =>
  asked >= left && asked > 0 ? texts.leftShare(left, Math.round((100 * left) / asked)) : texts.left(left);

/** Finds the parts of a graph that tests ran. */
export function coverageOf({ nodes, edges }: Graph, parts: readonly CoveredPart[]): Coverage {
  const blocks = new Map(parts.flatMap(({ kind, block, count }) => (kind === 'block' ? [[block, count > 0] as const] : [])));
  const exits = new Map<string, CoveredPart>();
  for (const part of parts) {
    const key = `${part.block} ${part.name}`;
    if (part.kind === 'exit' && !exits.get(key)?.count) exits.set(key, part);
  }
  const known = nodes.flatMap((node) => {
    const ran = node.blocks.flatMap((block) => blocks.get(block) ?? []);
    return ran.length === 0 ? [] : [[node.id, ran.includes(true)] as const];
  });
  const taken = new Map<GraphEdge, boolean>();
  const reach = new Map<GraphEdge, string>();
  for (const edge of edges) {
    const found = edge.exits.flatMap(({ block, name }) => exits.get(`${block} ${name}`) ?? []);
    if (found.length === 0) continue;
    taken.set(
      edge,
      found.some(({ count }) => count > 0),
    );
    const way = found.find((part) => part.reach !== undefined)?.reach;
    if (!taken.get(edge) && way !== undefined) reach.set(edge, way);
  }
  return { nodes: new Map(known), edges: taken, reach };
}

/** The node of a card as sessions and simulations name it: without its flow, so that the first flow with such a card counts. */
export const nodeOfCard = ({ nodes }: Graph, card: string): GraphNode | undefined => nodes.find(({ cards }) => cards.includes(card));

/** The node whose text contains a place. */
export const nodeAt = ({ nodes }: Graph, line: number): GraphNode | undefined =>
  nodes.find(({ places }) => places.some((place) => place.line <= line && line <= place.end.line));

/** The nodes with the numbers of sessions at their cards. */
export function countsOf(graph: Graph, cards: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const card of cards) {
    const id = nodeOfCard(graph, card)?.id;
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** The node closest in a direction, for arrow keys. */
export function neighbour({ nodes }: Graph, from: GraphNode, key: string): GraphNode | undefined {
  const [dx, dy] = DIRECTIONS[key] ?? [0, 0];
  const centre = ({ x, y, width, height }: Box): Point => ({ x: x + width / 2, y: y + height / 2 });
  const start = centre(from);
  let best: GraphNode | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const node of nodes) {
    const { x, y } = centre(node);
    const along = (x - start.x) * dx + (y - start.y) * dy;
    if (node === from || along < 1) continue;
    // Nodes far beside the direction are further away than those ahead.
    const distance = along + 2 * Math.abs((x - start.x) * dy + (y - start.y) * dx);
    if (distance < least) [best, least] = [node, distance];
  }
  return best;
}

const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};
