import dagre from '@dagrejs/dagre';
import type { GraphEdge, GraphNode, JourneyGraph } from '#engine';

/** Pixels, for a monospaced font of 12 px. */
const CHARACTER = 7.3;
const NODE = { height: 40, padding: 36, least: 72, line: 16, pills: 26 } as const;
/** The buttons of a card: a row above its lower edge, from which their arrows leave. */
const PILL = { character: 6.7, padding: 14, height: 18, gap: 5, longest: 20, row: 480, below: 6 } as const;
const LABEL = { height: 16, padding: 10 } as const;
const END = 14;
const MARGIN = 16;
const TITLE = 28;
const GAP = { nodes: 28, ranks: 48, flows: 56 } as const;
/** Longer labels are cut when they are shown. */
const LONGEST = 32;
/**
 * How many cards of the text all edges pass, together. Above it, the layout of edges that lead back or far ahead takes seconds, so they get
 * straight lines (2,100 -> 1.1 s; 100 cards in sections, 700 -> 0.3 s).
 */
const MAX_ROUTED = 1_500;
/** With more nodes than this, the nodes are in rows. */
const MAX_LAYERED = 600;
const ROW_LENGTH = 12;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A rectangle, by its upper left corner. */
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** A button, or as the last one of a long row the number of the others, such as `+4`. */
export interface Pill extends Box {
  readonly text: string;
}

export interface PlacedEdge {
  readonly points: readonly Point[];
  /** The centre of the label; undefined without a label. */
  readonly labelAt: Point | undefined;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** In the order of the flows; titles are at their upper edges. */
  readonly flows: readonly Box[];
  readonly nodes: ReadonlyMap<GraphNode, Box>;
  readonly edges: ReadonlyMap<GraphEdge, PlacedEdge>;
}

/** The buttons of a placed card, in a row. */
export function pillsIn({ options }: GraphNode, { x, y, width, height }: Box): readonly Pill[] {
  const texts = pillTexts(options);
  let left = x + (width - rowWidth(texts)) / 2;
  return texts.map((text) => {
    const pill = { text, x: round(left), y: round(y + height - PILL.below - PILL.height), width: pillWidth(text), height: PILL.height };
    left += pill.width + PILL.gap;
    return pill;
  });
}

/** Places the nodes and edges of a graph from top to bottom, its flows beside each other. Edges that end the flow are short. */
export function layoutOf({ flows, nodes, edges }: JourneyGraph): Layout {
  const top = flows.length > 1 ? TITLE : 0;
  const boxes = new Map<GraphNode, Box>();
  const lines = new Map<GraphEdge, PlacedEdge>();
  const frames: Box[] = [];
  let x = 0;
  for (const { id } of flows) {
    const own = nodes.filter(({ flow }) => flow === id);
    const ids = new Set(own.map((node) => node.id));
    const ways = edges.filter(({ from }) => ids.has(from));
    const placed = own.length > MAX_LAYERED ? inRows(own, ways) : layered(own, ways);
    const moved = <P extends Point>(point: P): P => ({ ...point, x: round(point.x + x), y: round(point.y + top) });
    for (const [node, box] of placed.nodes) boxes.set(node, moved(box));
    for (const [edge, { points, labelAt }] of placed.edges)
      lines.set(edge, { points: points.map(moved), labelAt: labelAt && moved(labelAt) });
    frames.push({ x: round(x), y: 0, width: round(placed.width), height: round(placed.height + top) });
    x += placed.width + GAP.flows;
  }
  const height = Math.max(0, ...frames.map((frame) => frame.height));
  return { width: round(Math.max(0, x - GAP.flows)), height, flows: frames, nodes: boxes, edges: lines };
}

type FlowLayout = Omit<Layout, 'flows'>;

function layered(nodes: readonly GraphNode[], all: readonly GraphEdge[]): FlowLayout {
  // dagre places loops beside other nodes than their own.
  const loops = new Map<string, GraphEdge[]>();
  for (const edge of all) if (edge.from === edge.to) loops.set(edge.from, [...(loops.get(edge.from) ?? []), edge]);
  const routed = spanOf(nodes, all) > MAX_ROUTED ? stepsAhead(nodes, all) : new Set(all.filter(({ from, to }) => from !== to));
  const edges = [...routed];
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: GAP.nodes, ranksep: GAP.ranks, marginx: MARGIN, marginy: MARGIN });
  graph.setDefaultEdgeLabel(() => ({}));
  // Names of authors could be those of members of objects.
  const ids = new Map(nodes.map(({ id }, i) => [id, `n${i}`]));
  const byName = new Map(nodes.map((node) => [node.id, node]));
  const targetOf = ({ from, to }: GraphEdge): string => (to === undefined ? `${ids.get(from)}.end` : ids.get(to)!);
  for (const node of nodes)
    graph.setNode(ids.get(node.id)!, { width: widthOf(node) + 2 * loopWidth(loops.get(node.id)), height: heightOf(node) });
  for (const [i, edge] of edges.entries()) {
    if (edge.to === undefined) graph.setNode(targetOf(edge), { width: END, height: END });
    const size = isLabelled(edge, byName.get(edge.from)!)
      ? { width: lengthOf(edge.words) * CHARACTER + LABEL.padding, height: LABEL.height }
      : { width: 0, height: 0 };
    graph.setEdge(ids.get(edge.from)!, targetOf(edge), { ...size, labelpos: 'c' }, `e${i}`);
  }
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const boxes = new Map(nodes.map((node) => [node, fromCentre({ ...(graph.node(ids.get(node.id)!) as Box), width: widthOf(node) })]));
  const byId = new Map([...boxes].map(([{ id }, box]) => [id, box]));
  return {
    width,
    height,
    nodes: boxes,
    edges: new Map([
      ...nodes.flatMap((node) =>
        (loops.get(node.id) ?? []).map((edge, i): [GraphEdge, PlacedEdge] => [edge, loopAt(boxes.get(node)!, edge, i)]),
      ),
      ...straight(
        boxes,
        all.filter((edge) => !routed.has(edge) && edge.from !== edge.to),
      ),
      ...edges.map((edge, i): [GraphEdge, PlacedEdge] => {
        const { points, x, y } = graph.edge(ids.get(edge.from)!, targetOf(edge), `e${i}`) as { points: Point[]; x?: number; y?: number };
        const from = byName.get(edge.from)!;
        const labelAt = isLabelled(edge, from) && x !== undefined && y !== undefined ? { x, y } : undefined;
        const inner = points.slice(1, -1).map((point) => ({ x: point.x, y: point.y }));
        const end = edge.to === undefined ? points.at(-1)! : borderOf(byId.get(edge.to)!, inner.at(-1) ?? points[0]!);
        const box = byId.get(edge.from)!;
        const start = pillAt(edge, from, box);
        const begin = start ? awayFrom(start, box, inner[0] ?? end) : [borderOf(box, inner[0] ?? end)];
        return [edge, { points: [...begin, ...inner, { x: end.x, y: end.y }], labelAt }];
      }),
    ]),
  };
}

/** Where the arrow of a button begins: at the lower edge of its card, below the button. */
function pillAt({ option }: GraphEdge, node: GraphNode, box: Box): Point | undefined {
  const pills = option === undefined ? [] : pillsIn(node, box);
  const pill = pills[Math.min(option ?? 0, pills.length - 1)];
  return pill && { x: round(pill.x + pill.width / 2), y: box.y + box.height };
}

/** The first points of an arrow that leaves a card downwards, around the card if it leads up. */
function awayFrom(start: Point, { x, width, height, y }: Box, to: Point): readonly Point[] {
  if (to.y >= y + height) return [start, { x: start.x, y: start.y + AROUND }];
  const side = to.x < x + width / 2 ? x - AROUND : x + width + AROUND;
  return [start, { x: start.x, y: start.y + AROUND }, { x: side, y: start.y + AROUND }, { x: side, y }];
}

/** The text of an arrow is that of its button, if the button is shown. */
const isLabelled = ({ words, option, from, to }: GraphEdge, { options }: GraphNode): boolean =>
  words !== '' && (from === to || option === undefined || option >= shownOptions(options));

const AROUND = 12;
const LOOP = 22;

/** The room that a node needs at its right for its loops and their labels. */
const loopWidth = (loops: readonly GraphEdge[] = []): number =>
  loops.length === 0 ? 0 : LOOP + Math.max(...loops.map(({ words }) => (words === '' ? 0 : lengthOf(words) * CHARACTER + LABEL.padding)));

/** An arrow from a box to itself, at its right. */
function loopAt({ x, y, width, height }: Box, { words }: GraphEdge, i: number): PlacedEdge {
  const [right, out] = [x + width, x + width + LOOP - 4];
  const points = [
    { x: right, y: y + 10 },
    { x: out, y: y + 4 },
    { x: out, y: y + height - 4 },
    { x: right, y: y + height - 10 },
  ];
  const half = (lengthOf(words) * CHARACTER + LABEL.padding) / 2;
  return { points, labelAt: words === '' ? undefined : { x: out + half, y: y + LABEL.height / 2 + i * LABEL.height } };
}

/** Where the line from the centre of a box to a point leaves the box: boxes with loops have more room than they fill. */
function borderOf({ x, y, width, height }: Box, to: Point): Point {
  const centre = { x: x + width / 2, y: y + height / 2 };
  const [dx, dy] = [to.x - centre.x, to.y - centre.y];
  const part = Math.min(width / 2 / Math.abs(dx), height / 2 / Math.abs(dy), 1);
  return { x: centre.x + dx * part, y: centre.y + dy * part };
}

function spanOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): number {
  const index = new Map(nodes.map(({ id }, i) => [id, i]));
  return edges.reduce((sum, { from, to }) => sum + (to === undefined ? 1 : Math.abs(index.get(from)! - index.get(to)!)), 0);
}

/** The edges from each node to those one step further from the first node, and those that end the flow. */
function stepsAhead(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): ReadonlySet<GraphEdge> {
  const ways = new Map<string, GraphEdge[]>(nodes.map(({ id }) => [id, []]));
  for (const edge of edges) ways.get(edge.from)!.push(edge);
  const depths = new Map<string, number>();
  // Nodes that no edge leads to begin a search of their own.
  for (const { id } of [...nodes.filter(({ isFirst }) => isFirst), ...nodes]) {
    if (depths.has(id)) continue;
    depths.set(id, 0);
    const open = [id];
    for (let at = open.shift(); at !== undefined; at = open.shift()) {
      for (const { to } of ways.get(at)!) {
        if (to === undefined || depths.has(to)) continue;
        depths.set(to, depths.get(at)! + 1);
        open.push(to);
      }
    }
  }
  return new Set(edges.filter(({ from, to }) => to === undefined || depths.get(to) === depths.get(from)! + 1));
}

/** Rows in the order of the text, with straight edges: fast for any size. */
function inRows(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): FlowLayout {
  const width = Math.max(NODE.least, ...nodes.map(widthOf));
  const height = Math.max(NODE.height, ...nodes.map(heightOf));
  const boxes = new Map<GraphNode, Box>(
    nodes.map((node, i) => [
      node,
      {
        x: MARGIN + (i % ROW_LENGTH) * (width + GAP.nodes),
        y: MARGIN + Math.floor(i / ROW_LENGTH) * (height + GAP.ranks),
        width: widthOf(node),
        height: heightOf(node),
      },
    ]),
  );
  const rows = Math.ceil(nodes.length / ROW_LENGTH);
  return {
    width: 2 * MARGIN + Math.min(nodes.length, ROW_LENGTH) * (width + GAP.nodes),
    height: 2 * MARGIN + rows * (height + GAP.ranks),
    nodes: boxes,
    edges: new Map(straight(boxes, edges)),
  };
}

/** Lines from the lower edge of a box to the upper edge of another one, without labels. */
function straight(boxes: ReadonlyMap<GraphNode, Box>, edges: readonly GraphEdge[]): [GraphEdge, PlacedEdge][] {
  const byId = new Map([...boxes].map(([node, box]) => [node.id, { node, box }]));
  return edges.map((edge) => {
    const { node, box: from } = byId.get(edge.from)!;
    const to = edge.to === undefined ? undefined : byId.get(edge.to)?.box;
    const start = pillAt(edge, node, from) ?? { x: from.x + from.width / 2, y: from.y + from.height };
    const end = to ? { x: to.x + to.width / 2, y: to.y } : { x: start.x, y: start.y + GAP.ranks / 2 };
    return [edge, { points: [start, end], labelAt: undefined }];
  });
}

const fromCentre = ({ x, y, width, height }: Box): Box => ({ x: x - width / 2, y: y - height / 2, width, height });
const widthOf = ({ label, options, ...node }: GraphNode): number => {
  const texts = Math.max(lengthOf(label), lengthOf(textOf(node))) * CHARACTER + NODE.padding;
  return Math.max(NODE.least, texts, rowWidth(pillTexts(options)) + 24);
};
/** The name, up to two lines of what the card says, and a row of its buttons. */
const heightOf = ({ options, ...node }: GraphNode): number => {
  const length = [...textOf(node)].length;
  return NODE.height + (length === 0 ? 0 : NODE.line * (length > LONGEST - 2 ? 2 : 1)) + (options.length === 0 ? 0 : NODE.pills);
};

/** The files that a card sends, and what it says. */
export const textOf = ({ media, says }: Pick<GraphNode, 'media' | 'says'>): string =>
  [...media.map((kind) => `[${kind}]`), says].filter((part) => part !== '').join(' ');

const pillText = (option: string): string => {
  const characters = [...option];
  return characters.length > PILL.longest ? `${characters.slice(0, PILL.longest - 1).join('')}…` : option;
};
const pillWidth = (text: string): number => round(lengthOf(text) * PILL.character + PILL.padding);
const rowWidth = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + pillWidth(text) + PILL.gap, -PILL.gap);

/** The number of options whose buttons fit into a row. */
function shownOptions(options: readonly string[]): number {
  const texts = options.map(pillText);
  let shown = 0;
  while (shown < texts.length && rowWidth(texts.slice(0, shown + 1)) <= PILL.row) shown++;
  return shown;
}

function pillTexts(options: readonly string[]): readonly string[] {
  const shown = shownOptions(options);
  return [...options.slice(0, shown).map(pillText), ...(shown < options.length ? [`+${options.length - shown}`] : [])];
}

const round = (number: number): number => Math.round(number * 10) / 10;

/** The columns of a label; wide characters, such as those of Chinese and emoji, take two. */
const lengthOf = (label: string): number => {
  const shown = [...label.slice(0, 2 * LONGEST)].slice(0, LONGEST);
  return shown.reduce(
    (sum, character) => sum + (/[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uff60\u{1f000}-\u{3ffff}]/u.test(character) ? 2 : 1),
    0,
  );
};
