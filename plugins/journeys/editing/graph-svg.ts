import { cut, pathOf, tipOf } from './edge-shapes.js';
import type { GraphView } from './schemas.js';

type GraphNode = GraphView['nodes'][number];
type GraphEdge = GraphView['edges'][number];

/** The colours of a graph in a file: always light, as it goes into a document. */
const STYLE = `text{font-family:ui-monospace,monospace;font-size:12px;fill:#1f2933;text-anchor:middle}
.box{fill:#fff;stroke:#52606d;stroke-width:1.5}.first .box{stroke:#207a3c;fill:#e3f8e9}.waits .box{stroke:#1f5fa8;fill:#e6f0fd}
.line{fill:none;stroke:#7b8794;stroke-width:1.3}.tip{fill:#7b8794}.name,.pill text,.words{font-size:11px}.name{fill:#52606d}
.words{stroke:#fff;stroke-width:4px;paint-order:stroke}.pill rect{fill:#fff;stroke:#7b8794}.flow{font-weight:700;text-anchor:start}`;
const CHARACTER = 7.3;
const LINE = 16;
const PILLS = 26;

/** The graph as an SVG document of its own. */
export function svgOf({ width, height, flows, nodes, edges }: Pick<GraphView, 'width' | 'height' | 'flows' | 'nodes' | 'edges'>): string {
  const size = `width="${Math.ceil(width)}" height="${Math.ceil(height)}" viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}"`;
  const names =
    flows.length > 1 ? flows.map(({ name, x, y }) => `<text class="flow" x="${x + 4}" y="${y + 18}">${escaped(cut(name))}</text>`) : [];
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>
<style>${STYLE}</style>
<rect width="100%" height="100%" fill="#fff"/>
${[...names, ...edges.map(edgeOf), ...nodes.map(nodeOf)].join('\n')}
</svg>
`;
}

function edgeOf({ points, to, label_at, words }: GraphEdge): string {
  const end = points.at(-1)!;
  const tip = to === null ? `<circle class="tip" cx="${end.x}" cy="${end.y}" r="5"/>` : `<path class="tip" d="${tipOf(points)}"/>`;
  const text = label_at ? textAt(label_at.x, label_at.y + 4, cut(words), 'words') : '';
  return `<path class="line" d="${pathOf(points)}"/>${tip}${text}`;
}

function nodeOf({ x, y, width, height, label, says, media, pills, is_first, waits }: GraphNode): string {
  const room = Math.floor((width - 16) / CHARACTER);
  const text = [...media.map((kind) => `[${kind}]`), says].filter((part) => part !== '').join(' ');
  const lines = text === '' ? [] : linesOf(text, room);
  const middle = x + width / 2;
  const isAlone = lines.length === 0 && pills.length === 0;
  let at = y + (height - (1 + lines.length) * LINE - (pills.length === 0 ? 0 : PILLS)) / 2 + 12;
  const texts = [textAt(middle, at, shortened(label, room), isAlone ? '' : 'name')];
  for (const line of lines) {
    at += LINE;
    texts.push(textAt(middle, at, line));
  }
  const look = is_first ? 'first' : waits ? 'waits' : 'card';
  const box = `<rect class="box" x="${x}" y="${y}" width="${width}" height="${height}" rx="${is_first ? 20 : 8}"/>`;
  return `<g class="${look}">${box}${texts.join('')}${pills.map(pillOf).join('')}</g>`;
}

const pillOf = ({ text, x, y, width, height }: GraphNode['pills'][number]): string =>
  `<g class="pill"><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="9"/>${textAt(x + width / 2, y + 13, text)}</g>`;

/** A text in up to two lines of `room` characters, broken between words where it can be. */
function linesOf(text: string, room: number): readonly string[] {
  const characters = [...text];
  if (characters.length <= room) return [text];
  const gap = characters.slice(0, room + 1).lastIndexOf(' ');
  const end = gap > 0 ? gap : room;
  return [characters.slice(0, end).join(''), shortened(characters.slice(end).join('').trim(), room)];
}

function shortened(text: string, room: number): string {
  const characters = [...text];
  return characters.length > room ? `${characters.slice(0, Math.max(0, room - 1)).join('')}…` : text;
}

const textAt = (x: number, y: number, text: string, look = ''): string =>
  `<text${look === '' ? '' : ` class="${look}"`} x="${round(x)}" y="${round(y)}">${escaped(text)}</text>`;

const round = (number: number): number => Math.round(number * 10) / 10;

/** Text of an XML document, which has no control characters. */
const escaped = (text: string): string =>
  text
    .replace(/\p{Cc}|\p{Surrogate}|[\ufffe\uffff]/gu, '�')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;');
