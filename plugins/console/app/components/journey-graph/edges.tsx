import type { Coverage, Graph, GraphEdge } from './graph-data.js';

const LONGEST = 32;
const TIP = 7;

/** The arrows of a graph with their labels. The list of the graph has them for screen readers. */
export const Edges = ({ graph, coverage, selected }: { graph: Graph; coverage: Coverage | undefined; selected: string | undefined }) => (
  <svg aria-hidden="true" width={graph.width} height={graph.height}>
    {graph.flows.length > 1 &&
      graph.flows.map(({ id, name, x, y }) => (
        <text key={id} class="flow-name" x={x + 4} y={y + 18}>
          {cut(name)}
        </text>
      ))}
    {graph.edges.map((edge, i) => (
      <g key={i} class={lookOf(edge, coverage, selected)}>
        <path class="line" d={pathOf(edge.points)} />
        {edge.to === null ? (
          <circle cx={edge.points.at(-1)!.x} cy={edge.points.at(-1)!.y} r="5" />
        ) : (
          <path class="tip" d={tipOf(edge.points)} />
        )}
        {edge.label_at && (
          <text x={edge.label_at.x} y={edge.label_at.y + 4}>
            {cut(edge.words)}
          </text>
        )}
      </g>
    ))}
  </svg>
);

function lookOf(edge: GraphEdge, coverage: Coverage | undefined, selected: string | undefined): string {
  const taken = coverage?.edges.get(edge);
  const look = taken === undefined ? 'way' : taken ? 'way covered' : 'way missed';
  return selected !== undefined && (edge.from === selected || edge.to === selected) ? `${look} near` : look;
}

/** A line through points, with round corners. */
function pathOf(points: GraphEdge['points']): string {
  const [first, ...rest] = points;
  const parts = rest.map((point, i) => {
    const next = rest[i + 1];
    return next ? `Q${point.x},${point.y} ${(point.x + next.x) / 2},${(point.y + next.y) / 2}` : `L${point.x},${point.y}`;
  });
  return `M${first!.x},${first!.y}${parts.join('')}`;
}

/** A triangle at the last point. */
function tipOf(points: GraphEdge['points']): string {
  const [before, end] = [points.at(-2)!, points.at(-1)!];
  const angle = Math.atan2(end.y - before.y, end.x - before.x);
  const corner = (turn: number): string => `${end.x - TIP * Math.cos(angle + turn)},${end.y - TIP * Math.sin(angle + turn)}`;
  return `M${end.x},${end.y}L${corner(0.45)}L${corner(-0.45)}Z`;
}

const cut = (label: string): string => {
  const characters = [...label.slice(0, 2 * LONGEST)];
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST - 1).join('')}…` : characters.join('');
};
