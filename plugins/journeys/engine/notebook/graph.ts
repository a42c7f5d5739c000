import { choicesOf } from '../blocks/choices.js';
import { blockTypes } from '../blocks/index.js';
import { type Block, compile, type Flow, objectAt, textAt } from '../compile.js';
import type { Container } from '../floip.js';
import { inWords } from './in-words.js';
import { mediaOf, offeredBy, saidBy } from './said.js';

/** A journey as nodes and edges. */
export interface JourneyGraph {
  /** The flow that a run starts with, and those that it calls. */
  readonly flows: readonly { readonly id: string; readonly name: string }[];
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  /** Card name, after the flow's uuid except in the first flow, or block uuid. */
  readonly id: string;
  readonly flow: string;
  readonly label: string;
  /** Whether its flow starts there. */
  readonly isFirst: boolean;
  /** Whether a run waits there for input. */
  readonly waits: boolean;
  /** The first words of what it says; empty if it says nothing. */
  readonly says: string;
  /** The kinds of files that it sends, such as `image`. */
  readonly media: readonly string[];
  /** The labels of its buttons and rows. */
  readonly options: readonly string[];
  /** Uuids of its blocks. */
  readonly blocks: readonly string[];
}

export interface GraphEdge {
  readonly from: string;
  /** Undefined: the flow ends. */
  readonly to: string | undefined;
  /** Choice or condition; empty for unconditional edges. */
  readonly label: string;
  /** The label in plain words. */
  readonly words: string;
  /** The option of its card that it leaves from, by its index. */
  readonly option: number | undefined;
  /** The exits that it stands for; none for a destination that a block chooses while it runs. */
  readonly exits: readonly GraphExit[];
}

export interface GraphExit {
  readonly block: string;
  readonly name: string;
  /** The block that it leads to; null ends the flow. */
  readonly to: string | null;
}

/** Granularity of the nodes. */
export type GraphLevel = 'card' | 'block';

const LONGEST = 60;

/** The graph of a journey, by card or by block. */
export function graphOf(container: Container, level: GraphLevel = 'card'): JourneyGraph {
  const { flows, entry } = compile(container);
  const graphs = [...flows.values()].map((flow) => flowGraph(flow, level, flow === entry ? '' : `${flow.uuid}/`));
  return {
    flows: [...flows.values()].map(({ uuid, name }) => ({ id: uuid, name })),
    nodes: graphs.flatMap(({ nodes }) => nodes),
    edges: graphs.flatMap(({ edges }) => edges),
  };
}

function flowGraph(flow: Flow, level: GraphLevel, prefix: string): Pick<JourneyGraph, 'nodes' | 'edges'> {
  const nodeOf = new Map([...flow.blocks.values()].map(({ uuid, card }) => [uuid, level === 'card' ? `${prefix}${card}` : uuid]));
  const nodes = new Map<string, Block[]>();
  for (const block of flow.blocks.values()) {
    const id = nodeOf.get(block.uuid)!;
    nodes.set(id, [...(nodes.get(id) ?? []), block]);
  }
  const edges = new Map<string, GraphEdge>();
  for (const block of flow.blocks.values()) {
    const from = nodeOf.get(block.uuid)!;
    for (const { label, to, name } of waysOut(block)) {
      const target = to === null ? undefined : nodeOf.get(to);
      // Steps within a card are not shown; a loop back to its first block is.
      if (level === 'card' && target === from && to !== nodes.get(from)![0]!.uuid) continue;
      if (level === 'card' && target === undefined && hasMore(block, flow)) continue;
      const shown = level === 'card' && label === '' ? conditionOf(block) : label;
      const key = JSON.stringify([from, target, shown]);
      const exits = [...(edges.get(key)?.exits ?? []), ...(name === undefined ? [] : [{ block: block.uuid, name, to }])];
      edges.set(key, { from, to: target, label: shown, ...wordsOf(block, shown, nodes.get(from)!, flow), exits });
    }
  }
  return {
    nodes: [...nodes].map(([id, blocks]) => ({
      id,
      flow: flow.uuid,
      label: level === 'card' ? blocks[0]!.card : `${blocks[0]!.name}: ${shortType(blocks[0]!)}`,
      isFirst: blocks.some(({ uuid }) => uuid === flow.first),
      waits: blocks.some(waits),
      says: saidBy(blocks, flow),
      media: mediaOf(blocks, flow),
      options: offeredBy(blocks, flow),
      blocks: blocks.map(({ uuid }) => uuid),
    })),
    edges: [...edges.values()],
  };
}

/** The label of the choice that an exit is for, or the condition in words. */
function wordsOf(block: Block, label: string, card: readonly Block[], flow: Flow): Pick<GraphEdge, 'words' | 'option'> {
  const index = choicesOf(block.config).findIndex(({ name }) => name === label);
  if (index < 0) return { words: inWords(label), option: undefined };
  const before = offeredBy(card.slice(0, card.indexOf(block)), flow).length;
  return { words: offeredBy([block], flow)[index] ?? label, option: before + index };
}

function waits({ type, config }: Block): boolean {
  const known = blockTypes.get(type);
  return known?.waits ? known.waits(config) : known?.answer !== undefined;
}

/** The condition of the clause that a block belongs to. */
const conditionOf = ({ hints }: Block): string => textAt(objectAt(hints.notebook, 'card'), 'condition');

const shortType = ({ type }: Block): string => type.split('.').at(-1)!;

/** Whether another exit leads on: then the ending default exit is noise in a graph of cards. */
const hasMore = ({ exits }: Block, { blocks }: Flow): boolean =>
  exits.some(({ to, isDefault }) => !isDefault && to !== null && blocks.has(to));

function waysOut(block: Block): { label: string; to: string | null; name?: string }[] {
  const chosen = textAt(block.config, 'destination_block');
  const exits = block.exits.map(({ name, test, isDefault, to }) => ({
    label: isDefault || test === undefined || test === 'true' ? '' : block.type === 'Core.Case' ? test : name,
    to,
    name,
  }));
  return chosen === '' ? exits : [{ label: 'chosen', to: chosen }, ...exits];
}

/** `end` is reserved in Mermaid. */
const END = 'finish';

/** Renders a graph as a Mermaid flowchart. */
export function mermaidOf({ flows, nodes, edges }: JourneyGraph): string {
  const ids = new Map(nodes.map(({ id }, i) => [id, `n${i}`]));
  const escaped = (label: string): string => cut(label).replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  const text = (label: string): string => `"${escaped(label)}"`;
  const line = (node: GraphNode): string => {
    const [open, close] = node.isFirst ? ['([', '])'] : node.waits ? ['{{', '}}'] : ['[', ']'];
    return `  ${ids.get(node.id)}${open}"${linesOf(node).map(escaped).join('<br/>')}"${close}`;
  };
  const lines = framed(flows, nodes, line, (name, i) => [`  subgraph f${i}[${text(name)}]`, '  end']);
  const arrows = edges.map(({ from, to, words: label }) => {
    const target = to === undefined ? END : ids.get(to);
    return `  ${ids.get(from)} -->${label === '' ? '' : `|${text(label)}|`} ${target}`;
  });
  const end = edges.some(({ to }) => to === undefined) ? [`  ${END}((( )))`] : [];
  return `${['flowchart TD', ...lines, ...end, ...arrows].join('\n')}\n`;
}

/** Renders a graph for Graphviz. */
export function dotOf({ flows, nodes, edges }: JourneyGraph): string {
  const escaped = (label: string): string => cut(label).replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  const text = (label: string): string => `"${escaped(label)}"`;
  const ids = new Map(nodes.map(({ id }, i) => [id, `n${i}`]));
  const line = (node: GraphNode): string => {
    const shape = node.isFirst ? 'oval' : node.waits ? 'hexagon' : 'box';
    return `  ${ids.get(node.id)} [label="${linesOf(node).map(escaped).join('\\n')}", shape=${shape}];`;
  };
  const lines = framed(flows, nodes, line, (name, i) => [`  subgraph cluster_f${i} {\n    label=${text(name)};`, '  }']);
  const arrows = edges.map(({ from, to, words: label }) => {
    const about = label === '' ? '' : ` [label=${text(label)}]`;
    return `  ${ids.get(from)} -> ${to === undefined ? END : ids.get(to)}${about};`;
  });
  const end = edges.some(({ to }) => to === undefined) ? [`  ${END} [label="", shape=doublecircle];`] : [];
  return `${['digraph journey {', ...lines, ...end, ...arrows, '}'].join('\n')}\n`;
}

/** The lines of the nodes; each flow has a frame if there are several. */
function framed(
  flows: JourneyGraph['flows'],
  nodes: readonly GraphNode[],
  line: (node: GraphNode) => string,
  frame: (name: string, i: number) => readonly [before: string, after: string],
): string[] {
  if (flows.length < 2) return nodes.map(line);
  return flows.flatMap(({ id, name }, i) => {
    const [before, after] = frame(name, i);
    return [before, ...nodes.filter(({ flow }) => flow === id).map((node) => `  ${line(node)}`), after];
  });
}

/** The lines of a node: its name, what it says, its files, and its buttons. */
const linesOf = ({ label, says, media, options }: GraphNode): readonly string[] => [
  label,
  ...(says === '' ? [] : [`“${says}”`]),
  ...(media.length === 0 ? [] : [media.join(', ')]),
  ...(options.length === 0 ? [] : [options.map((option) => `[${option}]`).join(' ')]),
];

/** A label on one line, shortened to fit a node. */
function cut(label: string): string {
  const line = label.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}
