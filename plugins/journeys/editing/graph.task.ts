import { compile, compileNotebook, type GraphNode, graphOf, outlineOf } from '#engine';
import { type WithModules, withModules } from '../engine/language.js';
import { type Range, readSource } from './json-source.js';
import { layoutOf } from './layout.js';
import type { GraphView } from './schemas.js';

/** A notebook, or a definition as JSON text. */
export type JourneyText = { readonly notebook: string; readonly uuid: string } | { readonly json: string };

/** Draws the graph of a journey; null if its text has errors. Off the main thread, because reading and layout take time. */
export default function graphTask(text: JourneyText & WithModules): GraphView | null | Promise<GraphView | null> {
  return withModules(text, () => graphIn(text));
}

function graphIn(text: JourneyText): GraphView | null {
  const read = 'notebook' in text ? readNotebookText(text) : readJsonText(text.json);
  if (!read) return null;
  const graph = graphOf(read.container as Parameters<typeof graphOf>[0]);
  const layout = layoutOf(graph);
  const [entry] = graph.flows;
  return {
    width: layout.width,
    height: layout.height,
    flows: graph.flows.map((flow, i) => ({ ...flow, ...layout.flows[i]! })),
    nodes: graph.nodes.map((node) => {
      const { isFirst, waits, blocks, options, ...about } = node;
      const { x, y, width, height } = layout.nodes.get(node)!;
      const places = read.placesOf(node, node.flow === entry?.id);
      return { ...about, is_first: isFirst, waits, options: [...options], blocks: [...blocks], x, y, width, height, places: [...places] };
    }),
    edges: graph.edges.map((edge) => {
      const { points, labelAt } = layout.edges.get(edge)!;
      const { from, to = null, label, words, exits } = edge;
      return { from, to, label, words, exits: [...exits], points: [...points], ...(labelAt && { label_at: labelAt }) };
    }),
  };
}

interface ReadText {
  readonly container: object;
  readonly placesOf: (node: GraphNode, isInEntry: boolean) => readonly Range[];
}

function readNotebookText({ notebook, uuid }: { notebook: string; uuid: string }): ReadText | undefined {
  const { container } = compileNotebook(notebook, { uuid });
  if (!container) return undefined;
  const last = notebook.split('\n').length;
  const { cards } = outlineOf(notebook);
  const ranges = cards.map(({ name, line, column }, i) => ({
    name,
    range: { line, column, end: { line: Math.max(line, (cards[i + 1]?.line ?? last + 1) - 1), column: 1 } },
  }));
  return { container, placesOf: ({ label }) => ranges.filter(({ name }) => name === label).map(({ range }) => range) };
}

function readJsonText(json: string): ReadText | undefined {
  const source = readSource(json);
  try {
    compile(source.value as Parameters<typeof compile>[0]);
  } catch {
    // Lint says why.
    return undefined;
  }
  const { flows } = source.value as { flows: readonly { readonly blocks: readonly { readonly uuid: string }[] }[] };
  const pathOf = new Map(flows.flatMap(({ blocks }, i) => blocks.map(({ uuid }, k) => [uuid, ['flows', i, 'blocks', k]] as const)));
  return {
    container: source.value as object,
    placesOf: ({ blocks }) => blocks.flatMap((uuid) => source.rangeOf(pathOf.get(uuid) ?? [-1]) ?? []),
  };
}
