import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import type { Graph, GraphNode } from './graph-data.js';
import type { JourneyGraphProps } from './graph-props.js';

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Line {
  readonly node: GraphNode;
  readonly option: number | undefined;
  readonly from: Point;
  readonly to: Point;
  /** The pointer has moved so far that this is not a click. */
  readonly isDrawn: boolean;
}

const LEAST_MOVE = 6;

/** Drawing a line with the pointer from a button, or from the handle below a card, to another card. */
export function useConnecting(graph: Graph, view: RefObject<HTMLElement>, zoom: number, onConnect: JourneyGraphProps['onConnect']) {
  const [line, setLine] = useState<Line>();
  const placeOf = ({ clientX, clientY }: PointerEvent): Point => {
    const { left, top } = view.current!.querySelector('.graph-canvas')!.getBoundingClientRect();
    return { x: (clientX - left) / zoom, y: (clientY - top) / zoom };
  };
  const nodeOf = (element: Element | null): GraphNode | undefined => {
    const card = element?.closest('.node');
    return card ? graph.nodes[[...view.current!.querySelectorAll('.node')].indexOf(card)] : undefined;
  };
  return {
    line: line?.isDrawn ? line : undefined,
    /** Returns whether a line begins there. */
    begin(event: PointerEvent): boolean {
      const handle = event.button === 0 && event.pointerType !== 'touch' && (event.target as Element).closest('[data-option]');
      const node = onConnect && handle ? nodeOf(handle) : undefined;
      if (!handle || !node) return false;
      const option = handle.getAttribute('data-option');
      const place = placeOf(event);
      setLine({ node, option: option === '' ? undefined : Number(option), from: place, to: place, isDrawn: false });
      return true;
    },
    move(event: PointerEvent): void {
      if (!line) return;
      const to = placeOf(event);
      const isDrawn = line.isDrawn || Math.hypot(to.x - line.from.x, to.y - line.from.y) > LEAST_MOVE;
      // From here on, the pointer presses no button.
      if (isDrawn && !line.isDrawn) view.current!.setPointerCapture(event.pointerId);
      setLine({ ...line, to, isDrawn });
    },
    end(event: PointerEvent): void {
      setLine(undefined);
      const target = line?.isDrawn ? nodeOf(document.elementFromPoint(event.clientX, event.clientY)) : undefined;
      if (line && target) onConnect?.(line.node, line.option, target);
    },
    cancel: () => setLine(undefined),
  };
}

export const DrawnLine = ({ line }: { line: Pick<Line, 'from' | 'to'> | undefined }) =>
  line ? (
    <svg class="drawn-line" aria-hidden="true">
      <line x1={line.from.x} y1={line.from.y} x2={line.to.x} y2={line.to.y} />
      <circle cx={line.to.x} cy={line.to.y} r="5" />
    </svg>
  ) : null;
