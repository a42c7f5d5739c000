import dagre from '@dagrejs/dagre';
import type { GraphNode, JourneyGraph } from '#engine';

const CHARACTER = 7.2;
const LINE = 18;
const MARGIN = 12;
const LONGEST = 40;
const END = 'end';
const SHOWN_OPTIONS = 3;
const PILL = 14;
const PILL_GAP = 5;
const STYLE = `text{font-family:ui-monospace,monospace;font-size:12px;fill:#1f2933}.box{fill:#fff;stroke:#52606d;stroke-width:1.2}.first{fill:#e3f8e9;stroke:#207a3c}
.waits{fill:#e6f0fd;stroke:#1f5fa8}.way{fill:none;stroke:#7b8794;stroke-width:1.2}.end{fill:#52606d}.about,.name{font-size:11px;fill:#3e4c59}.name{fill:#616e7c}.pill{fill:#fff;stroke:#7b8794}`;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Draws a graph as SVG: cards from top to bottom; those that wait are blue, and the first is green. */
export function svgOf({ flows, nodes: all, edges }: JourneyGraph): string {
  // The layout has no frames, so labels name the flow if there are several.
  const names = new Map(flows.map(({ id, name }) => [id, name]));
  const nodes = flows.length < 2 ? all : all.map((node) => ({ ...node, label: `${names.get(node.flow)}: ${node.label}` }));
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 30, ranksep: 44, marginx: MARGIN, marginy: MARGIN });
  graph.setDefaultEdgeLabel(() => ({}));
  const ids = new Map(nodes.map(({ id }, i) => [id, `n${i}`]));
  for (const node of nodes) graph.setNode(ids.get(node.id)!, boxSizeOf(node));
  if (edges.some(({ to }) => to === undefined)) graph.setNode(END, { width: 14, height: 14 });
  for (const [i, { from, to, words: label }] of edges.entries()) {
    const size = label === '' ? { width: 0, height: 0 } : sizeOf(label, 8);
    graph.setEdge(ids.get(from)!, to === undefined ? END : ids.get(to)!, { ...size, labelpos: 'c' }, `e${i}`);
  }
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const ways = edges.map(({ from, to, words: label }, i) => {
    const edge = graph.edge(ids.get(from)!, to === undefined ? END : ids.get(to)!, `e${i}`) as Partial<Point> & {
      points: readonly Point[];
    };
    const isLoop = from === to;
    const path = isLoop
      ? loopAt(graph.node(ids.get(from)!) as Box)
      : edge.points.map(({ x, y }, n) => `${n === 0 ? 'M' : 'L'}${round(x)},${round(y)}`).join(' ');
    const about = label === '' || isLoop ? '' : textAt({ x: edge.x ?? 0, y: edge.y ?? 0 }, label, 'about');
    return `<path class="way" d="${path}" marker-end="url(#arrow)"/>${about}`;
  });
  const boxes = nodes.map((node) => boxOf(node, graph.node(ids.get(node.id)!) as Box));
  const end = graph.hasNode(END) ? [circleAt(graph.node(END) as Box)] : [];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(width)}" height="${Math.ceil(height)}" viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}">
<style>${STYLE}</style>
<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0L8,4L0,8z" fill="#7b8794"/></marker></defs>
${[...ways, ...boxes, ...end].join('\n')}
</svg>
`;
}

interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** The box of a card: its name, what it says, and its buttons as pills. */
function boxOf({ label, isFirst, waits, says, options }: GraphNode, box: Box): string {
  const { x, y, width, height } = box;
  const kind = isFirst ? ' first' : waits ? ' waits' : '';
  const rect = `<rect class="box${kind}" x="${round(x - width / 2)}" y="${round(y - height / 2)}" width="${round(width)}" height="${height}" rx="6"/>`;
  const top = y - height / 2 + LINE;
  const name = textAt({ x, y: top }, label, says === '' && options.length === 0 ? undefined : 'name');
  const text = says === '' ? '' : textAt({ x, y: top + LINE }, says);
  return `<g>${rect}${name}${text}${pillsAt({ x, y: y + height / 2 - LINE }, options)}</g>`;
}

function pillsAt({ x, y }: Point, options: readonly string[]): string {
  const all = pillsOf(options);
  let left = x - (widthOfPills(all) - PILL_GAP) / 2;
  return all
    .map((option) => {
      const width = sizeOf(option, PILL).width;
      const at = { x: left + width / 2, y };
      left += width + PILL_GAP;
      return `<rect class="pill" x="${round(at.x - width / 2)}" y="${round(y - 9)}" width="${round(width)}" height="18" rx="9"/>${textAt(at, option, 'about')}`;
    })
    .join('');
}

/** The first buttons, and the number of the others. */
const pillsOf = (options: readonly string[]): readonly string[] =>
  options.length > SHOWN_OPTIONS ? [...options.slice(0, SHOWN_OPTIONS), `+${options.length - SHOWN_OPTIONS}`] : options;

const widthOfPills = (pills: readonly string[]): number => pills.reduce((sum, pill) => sum + sizeOf(pill, PILL).width + PILL_GAP, 0);

const boxSizeOf = ({ label, says, options }: GraphNode) => ({
  width: Math.max(sizeOf(label, 24).width, sizeOf(says, 24).width, widthOfPills(pillsOf(options)) + 16),
  height: LINE * (2 + (says === '' ? 0 : 1) + (options.length === 0 ? 0 : 1.5)),
});

/** An arrow from a box to itself, at its upper right corner. The layout leaves no room for its label. */
const loopAt = ({ x, y, width, height }: Box): string => {
  const [right, top] = [round(x + width / 2), round(y - height / 2)];
  return `M${right - 18},${top} C${right - 14},${top - 20} ${right + 20},${top + 8} ${right},${top + 12}`;
};

const circleAt = ({ x, y }: Point): string => `<circle class="end" cx="${round(x)}" cy="${round(y)}" r="6"><title>end</title></circle>`;

function textAt({ x, y }: Point, label: string, kind?: string): string {
  const shown = cut(label);
  const title = shown === label ? '' : `<title>${escaped(label)}</title>`;
  const look = kind === undefined ? '' : ` class="${kind}"`;
  return `<text${look} x="${round(x)}" y="${round(y + 4)}" text-anchor="middle">${escaped(shown)}${title}</text>`;
}

const sizeOf = (label: string, padding: number) => ({ width: [...cut(label)].length * CHARACTER + padding, height: LINE });
const round = (number: number): number => Math.round(number * 10) / 10;

function cut(label: string): string {
  const characters = [...label.replace(/\s+/g, ' ').trim()];
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST - 1).join('')}…` : characters.join('');
}

/** Text of an XML document, which has no control characters. */
const escaped = (text: string): string =>
  text
    .replace(/\p{Cc}|\p{Surrogate}|[\ufffe\uffff]/gu, '�')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;');
