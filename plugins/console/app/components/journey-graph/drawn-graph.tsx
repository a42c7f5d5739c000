import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { reasonOf } from '../../data/admin.js';
import { announce } from '../../data/announce.js';
import { saveFile } from '../../data/save-file.js';
import graphSheet from '../../styles/journey-graph.page.css';
import { Menu } from '../menu.js';
import { addSheet } from '../page-sheet.js';
import { Card } from './card.js';
import { DrawnLine, useConnecting } from './connecting.js';
import { Edges } from './edges.js';
import { type GraphNode, neighbour } from './graph-data.js';
import type { JourneyGraphProps } from './graph-props.js';
import { Minimap } from './minimap.js';
import { texts } from './texts.js';

addSheet(graphSheet);

const ZOOM = { least: 0.1, most: 2.5, step: 1.25 } as const;
/** The smallest zoom at which texts are read without effort; fitting a wide graph stops there. */
const READABLE = 0.9;

/**
 * The graph of a journey: cards are buttons over arrows. Arrow keys move between cards, `+`, `-` and `0` zoom, and so does the wheel with
 * Ctrl; dragging moves the graph. Its container needs a height.
 */
export default function DrawnGraph({
  graph,
  label,
  selected,
  onSelect,
  onConnect,
  onEdit,
  current,
  visited,
  sessions,
  coverage,
  traffic,
}: JourneyGraphProps) {
  const view = useRef<HTMLFieldSetElement>(null);
  const [zoom, setZoom] = useState(1);
  const [wanted, setWanted] = useState('');
  const centre = useRef<{ readonly x: number; readonly y: number } | undefined>(undefined);
  const drag = useRef<{ readonly x: number; readonly y: number; readonly left: number; readonly top: number } | undefined>(undefined);
  const taken = traffic?.edges;
  /** The card whose arrows are drawn stronger, because the pointer or the focus is there. */
  const [near, setNear] = useState<string>();
  const marked = near ?? selected;
  const edges = useMemo(() => <Edges {...{ graph, coverage, taken, selected: marked }} />, [graph, coverage, taken, marked]);
  const connecting = useConnecting(graph, view, zoom, onConnect);
  const found = useMemo(() => new Set(matching(graph.nodes, wanted)), [graph, wanted]);
  const chosen = graph.nodes.find(({ id }) => id === selected);
  const stop = chosen ?? graph.nodes.find(({ is_first }) => is_first) ?? graph.nodes[0];

  /** As wide as the view. Graphs are long, so their height counts only with the zoom of the user. */
  const fitted = (): number => Math.max(READABLE, Math.min(1, ((view.current?.clientWidth ?? 0) - 8) / graph.width));
  const zoomTo = (to: number): void => {
    const element = view.current!;
    centre.current = {
      x: (element.scrollLeft + element.clientWidth / 2) / zoom,
      y: (element.scrollTop + element.clientHeight / 2) / zoom,
    };
    setZoom(bounded(to));
  };
  const show = ({ x, y, width, height }: GraphNode, at: number): void => {
    const element = view.current!;
    const isInside =
      x * at >= element.scrollLeft &&
      y * at >= element.scrollTop &&
      (x + width) * at <= element.scrollLeft + element.clientWidth &&
      (y + height) * at <= element.scrollTop + element.clientHeight;
    if (isInside) return;
    element.scrollLeft = (x + width / 2) * at - element.clientWidth / 2;
    element.scrollTop = (y + height / 2) * at - element.clientHeight / 2;
  };
  const hasSize = graph.nodes.length > 0;
  useLayoutEffect(() => {
    const begin = fitted();
    setZoom(begin);
    if (stop) show(stop, begin);
  }, [hasSize]);
  // After a rotation of a phone, the place that was visible can be outside of all cards.
  const latest = useRef(() => {});
  latest.current = () => {
    const { scrollLeft: left, scrollTop: top, clientWidth, clientHeight } = view.current!;
    const isVisible = ({ x, y, width, height }: GraphNode): boolean =>
      (x + width) * zoom > left && x * zoom < left + clientWidth && (y + height) * zoom > top && y * zoom < top + clientHeight;
    if (stop && !graph.nodes.some(isVisible)) show(stop, zoom);
  };
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => latest.current());
    observer.observe(view.current!);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const element = view.current;
    if (!element || !centre.current) return;
    element.scrollLeft = centre.current.x * zoom - element.clientWidth / 2;
    element.scrollTop = centre.current.y * zoom - element.clientHeight / 2;
    centre.current = undefined;
  }, [zoom]);
  useLayoutEffect(() => {
    const node = graph.nodes.find(({ id }) => id === (current ?? selected));
    if (node && view.current) show(node, zoom);
  }, [selected, current, graph]);
  // After a rotation of the screen, what was seen may be outside of the view.
  const reveal = useRef(() => {});
  reveal.current = () => {
    const node = graph.nodes.find(({ id }) => id === (current ?? selected)) ?? stop;
    if (node && view.current) show(node, zoom);
  };
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => reveal.current());
    observer.observe(view.current!);
    return () => observer.disconnect();
  }, []);
  // Preact adds wheel listeners as passive ones in some browsers; those cannot prevent the zoom of the page.
  const newest = useRef(zoomTo);
  newest.current = (by) => zoomTo(zoom * by);
  useLayoutEffect(() => {
    const element = view.current!;
    const turn = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      newest.current(Math.exp(-event.deltaY / 300));
    };
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  }, []);

  const save = async (kind: 'svg' | 'png'): Promise<void> => {
    const name = `${label.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '')}.${kind}`;
    try {
      const { pngFile, svgFile } = await import('./graph-file.js');
      saveFile(name, kind === 'png' ? await pngFile(graph) : svgFile(graph));
      announce(texts.saved(name));
    } catch (error) {
      announce(texts.notSaved(reasonOf(error)));
    }
  };
  const keys: Readonly<Record<string, () => void>> = {
    '+': () => zoomTo(zoom * ZOOM.step),
    '-': () => zoomTo(zoom / ZOOM.step),
    '0': () => setZoom(fitted()),
  };
  return (
    <div class="journey-graph">
      <div class="graph-tools">
        <input
          class="input"
          type="search"
          placeholder={texts.findText}
          aria-label={texts.findCard}
          value={wanted}
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            const at = next([...found], graph.nodes, selected, event.shiftKey);
            if (at) onSelect?.(at);
            if (at) show(at, zoom);
          }}
        />
        {wanted.trim() !== '' && (
          <output class="graph-found" aria-live="polite">
            {texts.found(found.size)}
          </output>
        )}
        <button type="button" class="button outlined" aria-label={texts.zoomOut} onClick={keys['-']}>
          −
        </button>
        <button type="button" class="button outlined" aria-label={texts.zoomIn} onClick={keys['+']}>
          +
        </button>
        <button type="button" class="button outlined" onClick={keys['0']}>
          {texts.fit}
        </button>
        <Menu
          look="button outlined"
          items={[
            { id: 'svg', label: texts.svg, note: texts.svgNote, select: () => void save('svg') },
            { id: 'png', label: texts.png, note: texts.pngNote, select: () => void save('png') },
          ]}
        >
          {texts.export}
        </Menu>
      </div>
      <fieldset
        ref={view}
        class="graph-view"
        aria-label={label}
        onKeyDown={(event) => {
          const run = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
          if (!run) return;
          event.preventDefault();
          run();
        }}
        onPointerDown={(event) => {
          if (connecting.begin(event)) return;
          if (event.button !== 0 || event.pointerType === 'touch' || (event.target as Element).closest('button')) return;
          const { scrollLeft: left, scrollTop: top } = event.currentTarget;
          drag.current = { x: event.clientX, y: event.clientY, left, top };
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          connecting.move(event);
          if (!drag.current) return;
          event.currentTarget.scrollLeft = drag.current.left + drag.current.x - event.clientX;
          event.currentTarget.scrollTop = drag.current.top + drag.current.y - event.clientY;
        }}
        onPointerUp={(event) => {
          connecting.end(event);
          drag.current = undefined;
        }}
        onPointerCancel={() => {
          connecting.cancel();
          drag.current = undefined;
        }}
      >
        <div style={{ width: `${graph.width * zoom}px`, height: `${graph.height * zoom}px` }}>
          <div class="graph-canvas" style={{ width: `${graph.width}px`, height: `${graph.height}px`, transform: `scale(${zoom})` }}>
            {edges}
            {graph.nodes.map((node) => (
              <Card
                key={node.id}
                node={node}
                sessions={sessions?.get(node.id) ?? 0}
                covered={coverage?.nodes.get(node.id)}
                counts={traffic?.nodes.get(node.id)}
                isCurrent={node.id === current}
                isDim={visited !== undefined && !visited.has(node.id)}
                isFound={found.has(node)}
                isSelected={node.id === selected}
                isStop={node === stop}
                canConnect={onConnect !== undefined}
                select={() => onSelect?.(node)}
                edit={() => onEdit?.(node)}
                near={(isNear) => setNear(isNear ? node.id : undefined)}
                move={(event) => {
                  const to = neighbour(graph, node, event.key);
                  if (!to) return;
                  event.preventDefault();
                  const all = view.current!.querySelectorAll<HTMLElement>('.node');
                  all[graph.nodes.indexOf(to)]?.focus({ preventScroll: true });
                  show(to, zoom);
                }}
              />
            ))}
            <DrawnLine line={connecting.line} />
          </div>
        </div>
      </fieldset>
      <Minimap {...{ graph, view, zoom, selected }} />
    </div>
  );
}

/** The cards whose texts contain a text. */
function matching(nodes: readonly GraphNode[], text: string): readonly GraphNode[] {
  const wanted = text.trim().toLowerCase();
  const textsOf = ({ label, says, media, options, cards }: GraphNode): string => [label, says, ...media, ...options, ...cards].join('\n');
  return wanted === '' ? [] : nodes.filter((node) => textsOf(node).toLowerCase().includes(wanted));
}

/** The one after the selected card, or before it; begins again after the last. */
function next(
  found: readonly GraphNode[],
  nodes: readonly GraphNode[],
  selected: string | undefined,
  isBack: boolean,
): GraphNode | undefined {
  const at = nodes.findIndex(({ id }) => id === selected);
  const ordered = isBack ? found.toReversed() : found;
  return ordered.find((node) => (isBack ? nodes.indexOf(node) < at : nodes.indexOf(node) > at)) ?? ordered[0];
}

const bounded = (zoom: number): number => Math.max(ZOOM.least, Math.min(ZOOM.most, zoom));
