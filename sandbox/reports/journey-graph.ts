export type GraphFormat = 'mermaid' | 'dot';

interface Exit {
  readonly name?: unknown;
  readonly destination_block?: unknown;
}

interface Block {
  readonly uuid: string;
  readonly name?: unknown;
  readonly type?: unknown;
  readonly exits?: readonly Exit[];
}

interface Flow {
  readonly name?: unknown;
  readonly first_block_id?: unknown;
  readonly blocks?: readonly Block[];
}

/** Draws the flows of a journey: a node for each block, an edge for each exit that has a destination. @returns the lines of the graph */
export function journeyGraph(definition: object, format: GraphFormat): string[] {
  const { flows = [] } = definition as { flows?: readonly Flow[] };
  const blocks = flows.flatMap(({ blocks = [] }) => blocks);
  const ids = new Map(blocks.map(({ uuid }, i) => [uuid, `b${i + 1}`]));
  const edges = blocks.flatMap(({ uuid, exits = [] }) =>
    exits.flatMap(({ name, destination_block: to }) =>
      typeof to === 'string' && ids.has(to) ? [{ from: ids.get(uuid)!, to: ids.get(to)!, label: text(name) }] : [],
    ),
  );
  const nodesOf = ({ blocks = [], first_block_id: first }: Flow) =>
    blocks.map(({ uuid, name, type }) => ({ id: ids.get(uuid)!, label: text(name), type: text(type), isFirst: uuid === first }));
  const parts = flows.map((flow, i) => ({ id: `f${i + 1}`, name: text(flow.name), nodes: nodesOf(flow) }));
  return format === 'dot' ? dot(parts, edges) : mermaid(parts, edges);
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

interface DrawnFlow {
  readonly id: string;
  readonly name: string;
  readonly nodes: readonly { readonly id: string; readonly label: string; readonly type: string; readonly isFirst: boolean }[];
}

const mermaid = (flows: readonly DrawnFlow[], edges: readonly Edge[]): string[] => [
  'flowchart TD',
  ...flows.flatMap(({ id, name, nodes }) => [
    `  subgraph ${id}["${entities(name)}"]`,
    ...nodes.map(({ id, label, type, isFirst }) => {
      const shown = `"${entities(label)}<br/>${entities(type)}"`;
      return `    ${id}${isFirst ? `([${shown}])` : `[${shown}]`}`;
    }),
    '  end',
  ]),
  ...edges.map(({ from, to, label }) => `  ${from} -->${label === '' ? '' : `|"${entities(label)}"|`} ${to}`),
];

const dot = (flows: readonly DrawnFlow[], edges: readonly Edge[]): string[] => [
  'digraph journey {',
  ...flows.flatMap(({ id, name, nodes }) => [
    `  subgraph cluster_${id} {`,
    `    label=${quoted(name)};`,
    ...nodes.map(({ id, label, type, isFirst }) => `    ${id} [label=${quoted(`${label}\n${type}`)}, shape=${isFirst ? 'oval' : 'box'}];`),
    '  }',
  ]),
  ...edges.map(({ from, to, label }) => `  ${from} -> ${to}${label === '' ? '' : ` [label=${quoted(label)}]`};`),
  '}',
];

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const entities = (label: string): string => label.replace(/[^\p{L}\p{N} .,:;!?_/+-]/gu, (found) => `#${found.codePointAt(0)};`);
const quoted = (label: string): string => `"${label.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
