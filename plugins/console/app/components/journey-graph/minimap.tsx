import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Graph } from './graph-data.js';

/** The share of the view that it takes at most, and in pixels. */
const MOST = { width: { part: 0.2, pixels: 150 }, height: { part: 0.4, pixels: 220 } } as const;
/** Pixels of the graph's width, below which there is none. */
const LEAST_ROOM = 800;

interface Props {
  readonly graph: Graph;
  readonly view: RefObject<HTMLElement>;
  readonly zoom: number;
  readonly selected: string | undefined;
}

/**
 * A graph in small, with the part that is visible; pressing it moves the view there. Hidden while all of the graph is visible, and where
 * there is little room. Only for the eye: with the keyboard, the cards themselves and the search are faster.
 */
export function Minimap({ graph: { width, height, nodes }, view, zoom, selected }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const frame = useRef<SVGRectElement>(null);
  useLayoutEffect(() => {
    const element = view.current!;
    const place = (): void => {
      const { scrollLeft, scrollTop, clientWidth, clientHeight } = element;
      // It takes width from the view, so it is that of both which decides.
      const room = element.parentElement!.clientWidth;
      const isWhole = width * zoom <= room && height * zoom <= clientHeight;
      box.current!.hidden = isWhole || room < LEAST_ROOM;
      if (box.current!.hidden) return;
      const most = (of: 'width' | 'height', size: number): number => Math.min(MOST[of].part * size, MOST[of].pixels);
      const scale = Math.min(most('width', room) / width, most('height', clientHeight) / height);
      Object.assign(box.current!.style, { inlineSize: `${Math.max(24, width * scale)}px`, blockSize: `${Math.max(24, height * scale)}px` });
      const sizes = { x: scrollLeft, y: scrollTop, width: clientWidth, height: clientHeight };
      for (const [name, size] of Object.entries(sizes)) frame.current!.setAttribute(name, `${size / zoom}`);
    };
    place();
    element.addEventListener('scroll', place, { passive: true });
    const observer = new ResizeObserver(place);
    observer.observe(element.parentElement!);
    return () => {
      element.removeEventListener('scroll', place);
      observer.disconnect();
    };
  }, [width, height, zoom]);
  const move = (event: PointerEvent): void => {
    if (event.buttons === 0) return;
    event.preventDefault();
    const at = (event.currentTarget as Element).getBoundingClientRect();
    // The drawing keeps its proportions inside of its box.
    const scale = Math.min(at.width / width, at.height / height);
    const x = (event.clientX - at.left - (at.width - width * scale) / 2) / scale;
    const y = (event.clientY - at.top - (at.height - height * scale) / 2) / scale;
    const element = view.current!;
    element.scrollTo(x * zoom - element.clientWidth / 2, y * zoom - element.clientHeight / 2);
  };
  return (
    <div ref={box} class="graph-map" aria-hidden="true" onPointerDown={move} onPointerMove={move}>
      <svg aria-hidden="true" viewBox={`0 0 ${width} ${height}`}>
        {nodes.map((node) => (
          <rect
            key={node.id}
            class={node.id === selected ? 'map-card is-selected' : node.is_first ? 'map-card is-first' : 'map-card'}
            x={node.x}
            y={node.y}
            width={node.width}
            height={node.height}
          />
        ))}
        <rect ref={frame} class="map-frame" />
      </svg>
    </div>
  );
}
