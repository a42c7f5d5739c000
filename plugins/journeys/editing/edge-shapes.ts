import type { GraphView } from './schemas.js';

type GraphEdge = GraphView['edges'][number];

const LONGEST = 32;
const TIP = 7;

/** A line through points, with round corners. */
export function pathOf(points: GraphEdge['points']): string {
  const [first, ...rest] = points;
  const parts = rest.map((point, i) => {
    const next = rest[i + 1];
    return next ? `Q${point.x},${point.y} ${(point.x + next.x) / 2},${(point.y + next.y) / 2}` : `L${point.x},${point.y}`;
  });
  return `M${first!.x},${first!.y}${parts.join('')}`;
}

/** A triangle at the last point. */
export function tipOf(points: GraphEdge['points']): string {
  const [before, end] = [points.at(-2)!, points.at(-1)!];
  const angle = Math.atan2(end.y - before.y, end.x - before.x);
  const corner = (turn: number): string => `${end.x - TIP * Math.cos(angle + turn)},${end.y - TIP * Math.sin(angle + turn)}`;
  return `M${end.x},${end.y}L${corner(0.45)}L${corner(-0.45)}Z`;
}

/** The label of an edge, as long as the layout has room for. */
export const cut = (label: string): string => {
  const characters = [...label.slice(0, 2 * LONGEST)];
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST - 1).join('')}…` : characters.join('');
};

/** The point in the middle of an arrow, where a number is written: on the longest of its lines. */
export function middleOf(points: GraphEdge['points']): { readonly x: number; readonly y: number } {
  const pairs = points.slice(1).map((to, i) => [points[i]!, to] as const);
  const lengths = pairs.map(([a, b]) => Math.hypot(b.x - a.x, b.y - a.y));
  const [a, b] = pairs[lengths.indexOf(Math.max(...lengths))]!;
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}
