import { number } from '../../../../../core/web/language.js';
import { cut, middleOf, pathOf, tipOf } from '../../../../journeys/editing/edge-shapes.js';
import type { Coverage, Graph, GraphEdge } from './graph-data.js';

interface Props {
  readonly graph: Graph;
  readonly coverage: Coverage | undefined;
  /** How often sessions took each arrow. */
  readonly taken: ReadonlyMap<GraphEdge, number> | undefined;
  readonly selected: string | undefined;
}

/** The arrows of a graph with their labels and counts. The list of the graph has them for screen readers. */
export function Edges({ graph, coverage, taken, selected }: Props) {
  const most = Math.max(1, ...(taken?.values() ?? []));
  return (
    <svg aria-hidden="true" width={graph.width} height={graph.height}>
      {graph.flows.length > 1 &&
        graph.flows.map(({ id, name, x, y }) => (
          <text key={id} class="flow-name" x={x + 4} y={y + 18}>
            {cut(name)}
          </text>
        ))}
      {graph.edges.map((edge, i) => {
        const count = taken?.get(edge);
        return (
          <g key={i} class={lookOf(edge, coverage, selected, count)}>
            <path class="line" d={pathOf(edge.points)} style={count ? { strokeWidth: 1.3 + (4 * count) / most } : undefined} />
            {edge.to === null ? (
              <circle cx={edge.points.at(-1)!.x} cy={edge.points.at(-1)!.y} r="5" />
            ) : (
              <path class="tip" d={tipOf(edge.points)} />
            )}
          </g>
        );
      })}
      {/* After all arrows, so that none is drawn over a text. */}
      {graph.edges.map((edge, i) => {
        const count = taken?.get(edge) ?? 0;
        const at = edge.label_at ?? (count > 0 ? countAt(edge) : undefined);
        if (!at) return null;
        return (
          <text key={i} x={at.x} y={at.y + 4}>
            {edge.label_at && cut(edge.words)}
            {count > 0 && (
              <tspan class="way-count">
                {edge.label_at && ' · '}
                {number(count)}
              </tspan>
            )}
          </text>
        );
      })}
    </svg>
  );
}

/** Where the count of an arrow is: below its button, where no other arrow is near, or in its middle. */
const countAt = ({ option, points }: GraphEdge) => (option === undefined ? middleOf(points) : { x: points[0]!.x, y: points[0]!.y + 12 });

function lookOf(edge: GraphEdge, coverage: Coverage | undefined, selected: string | undefined, count: number | undefined): string {
  const taken = coverage?.edges.get(edge);
  const look = taken === undefined ? 'way' : taken ? 'way covered' : 'way missed';
  const isNear = selected !== undefined && (edge.from === selected || edge.to === selected);
  return [look, isNear && 'near', count === 0 && 'unused'].filter(Boolean).join(' ');
}
