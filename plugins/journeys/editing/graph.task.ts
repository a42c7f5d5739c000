import { compile, compileNotebook, graphOf, type JourneyGraph, outlineOf } from '#engine';
import { type WithModules, withModules } from '../engine/language.js';
import { viewOf } from './graph-view.js';
import { readSource } from './json-source.js';
import type { GraphView } from './schemas.js';
import type { Section } from './sections.js';

/** A notebook, or a definition as JSON text. */
export type JourneyText = { readonly notebook: string; readonly uuid: string } | { readonly json: string };

/** @param collapsed the indices of the sections of which one box is shown */
export type TextToDraw = JourneyText & { readonly collapsed?: readonly number[] };

/** Draws the graph of a journey; null if its text has errors. Off the main thread, because reading and layout take time. */
export default function graphTask(text: TextToDraw & WithModules): GraphView | null | Promise<GraphView | null> {
  return withModules(text, () => ('notebook' in text ? notebookGraph(text, text.collapsed) : jsonGraph(text.json, text.collapsed)));
}

function notebookGraph({ notebook, uuid }: { notebook: string; uuid: string }, collapsed?: readonly number[]): GraphView | null {
  const { container } = compileNotebook(notebook, { uuid });
  if (!container) return null;
  const graph = graphOf(container);
  const last = notebook.split('\n').length;
  const outline = outlineOf(notebook);
  const ranges = outline.cards.map(({ name, line, column }, i) => ({
    name,
    range: { line, column, end: { line: Math.max(line, (outline.cards[i + 1]?.line ?? last + 1) - 1), column: 1 } },
  }));
  // A card has one section, even if its clauses are in several.
  const sectionOf = new Map(outline.cards.toReversed().map(({ name, section }) => [name, section]));
  const sections = outline.sections.flatMap(({ title }, i) => {
    const nodes = new Set(graph.nodes.flatMap(({ id, label }) => (sectionOf.get(label) === i ? id : [])));
    return nodes.size === 0 ? [] : [{ title: title === '' ? 'Beginning' : title, nodes }];
  });
  return viewOf(graph, {
    sections: sections.length > 1 ? sections : [],
    ...(collapsed && { collapsed }),
    placesOf: ({ label }) => ranges.filter(({ name }) => name === label).map(({ range }) => range),
  });
}

function jsonGraph(json: string, collapsed?: readonly number[]): GraphView | null {
  const source = readSource(json);
  try {
    compile(source.value as Parameters<typeof compile>[0]);
  } catch {
    // Lint says why.
    return null;
  }
  const { flows } = source.value as { flows: readonly { readonly blocks: readonly { readonly uuid: string }[] }[] };
  const pathOf = new Map(flows.flatMap(({ blocks }, i) => blocks.map(({ uuid }, k) => [uuid, ['flows', i, 'blocks', k]] as const)));
  const graph = graphOf(source.value as Parameters<typeof graphOf>[0]);
  return viewOf(graph, {
    sections: flowSections(graph),
    ...(collapsed && { collapsed }),
    placesOf: ({ blocks }) => blocks.flatMap((uuid) => source.rangeOf(pathOf.get(uuid) ?? [-1]) ?? []),
  });
}

/** A definition has no headings: its flows are its sections, if there are several. */
function flowSections({ flows, nodes }: JourneyGraph): readonly Section[] {
  if (flows.length < 2) return [];
  return flows.map(({ id, name }) => ({ title: name, nodes: new Set(nodes.flatMap((node) => (node.flow === id ? node.id : []))) }));
}
