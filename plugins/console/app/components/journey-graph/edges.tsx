import { cut, pathOf, tipOf } from '../../../../journeys/editing/edge-shapes.js';
import type { Coverage, Graph, GraphEdge } from './graph-data.js';

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
