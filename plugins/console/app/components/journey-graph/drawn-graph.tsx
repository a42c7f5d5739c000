import { Fragment } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { reasonOf } from '../../data/admin.js';
import { announce } from '../../data/announce.js';
import { saveFile } from '../../data/save-file.js';
import graphSheet from '../../styles/journey-graph.page.css';
import { Menu } from '../menu.js';
import { addSheet } from '../page-sheet.js';
import { Edges } from './edges.js';
import { type GraphNode, neighbour } from './graph-data.js';
import type { JourneyGraphProps } from './graph-props.js';

addSheet(graphSheet);

const ZOOM = { least: 0.1, most: 2.5, step: 1.25 } as const;
const MAX_NAME = 200;
/** As many as the layout has room for. */
const SHOWN_OPTIONS = 3;
/** The smallest zoom at which texts can be read; fitting a large graph stops there. */
const READABLE = 0.7;

/**
 * The graph of a journey: cards are buttons over arrows. Arrow keys move between cards, `+`, `-` and `0` zoom, and so does the wheel with
 * Ctrl; dragging moves the graph. Its container needs a height.
 */
export default function DrawnGraph({ graph, label, selected, onSelect, current, visited, sessions, coverage }: JourneyGraphProps) {
  const view = useRef<HTMLFieldSetElement>(null);
  const [zoom, setZoom] = useState(1);
  const centre = useRef<{ readonly x: number; readonly y: number } | undefined>(undefined);
  const drag = useRef<{ readonly x: number; readonly y: number; readonly left: number; readonly top: number } | undefined>(undefined);
  const edges = useMemo(() => <Edges graph={graph} coverage={coverage} selected={selected} />, [graph, coverage, selected]);
  const stop = graph.nodes.find(({ id }) => id === selected) ?? graph.nodes.find(({ is_first }) => is_first) ?? graph.nodes[0];

  const fitted = (): number => {
    const { clientWidth = 0, clientHeight = 0 } = view.current ?? {};
    return Math.max(READABLE, Math.min(1, (clientWidth - 8) / graph.width, (clientHeight - 8) / graph.height));
  };
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
  // A large graph begins at its own size, so that its texts can be read.
  const hasSize = graph.nodes.length > 0;
  useLayoutEffect(() => {
    if (stop) show(stop, zoom);
  }, [hasSize]);
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
      announce(`Saved ${name}`);
    } catch (error) {
      announce(`Not saved: ${reasonOf(error)}`);
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
          placeholder="Find a text"
          aria-label="Find a card by its texts"
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            const found = matching(graph.nodes, event.currentTarget.value, selected);
            if (found) onSelect?.(found);
            if (found) show(found, zoom);
          }}
        />
        <button type="button" class="button outlined" aria-label="Zoom out" onClick={keys['-']}>
          −
        </button>
        <button type="button" class="button outlined" aria-label="Zoom in" onClick={keys['+']}>
          +
        </button>
        <button type="button" class="button outlined" onClick={keys['0']}>
          Fit
        </button>
        <Menu
          look="button outlined"
          items={[
            { id: 'svg', label: 'SVG', note: 'for documents, at any size', select: () => void save('svg') },
            { id: 'png', label: 'PNG', note: 'a picture, for chats and slides', select: () => void save('png') },
          ]}
        >
          Export
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
          if (event.button !== 0 || event.pointerType === 'touch' || (event.target as Element).closest('button')) return;
          const { scrollLeft: left, scrollTop: top } = event.currentTarget;
          drag.current = { x: event.clientX, y: event.clientY, left, top };
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          if (!drag.current) return;
          event.currentTarget.scrollLeft = drag.current.left + drag.current.x - event.clientX;
          event.currentTarget.scrollTop = drag.current.top + drag.current.y - event.clientY;
        }}
        onPointerUp={() => {
          drag.current = undefined;
        }}
        onPointerCancel={() => {
          drag.current = undefined;
        }}
      >
        <div style={{ width: `${graph.width * zoom}px`, height: `${graph.height * zoom}px` }}>
          <div class="graph-canvas" style={{ width: `${graph.width}px`, height: `${graph.height}px`, transform: `scale(${zoom})` }}>
            {edges}
            {graph.nodes.map((node) => {
              const count = sessions?.get(node.id) ?? 0;
              const covered = coverage?.nodes.get(node.id);
              return (
                <button
                  key={node.id}
                  type="button"
                  class={lookOf(node, { isCurrent: node.id === current, isDim: visited !== undefined && !visited.has(node.id), covered })}
                  style={{ left: `${node.x}px`, top: `${node.y}px`, width: `${node.width}px`, height: `${node.height}px` }}
                  tabIndex={node === stop ? 0 : -1}
                  aria-pressed={node.id === selected}
                  aria-label={nameOf(node, { count, covered, isCurrent: node.id === current })}
                  title={[node.label.slice(0, MAX_NAME), node.says, ...node.options].filter(Boolean).join('\n')}
                  onClick={() => onSelect?.(node)}
                  onKeyDown={(event) => {
                    const next = neighbour(graph, node, event.key);
                    if (!next) return;
                    event.preventDefault();
                    const all = view.current!.querySelectorAll<HTMLElement>('.node');
                    all[graph.nodes.indexOf(next)]?.focus({ preventScroll: true });
                    show(next, zoom);
                  }}
                >
                  {covered !== undefined && <span class="node-mark">{covered ? '✓' : '✗'}</span>}
                  <span class="node-text">
                    <bdi class="node-name">{node.label.slice(0, MAX_NAME)}</bdi>{' '}
                    {node.says !== '' && <bdi class="node-says">{node.says}</bdi>}{' '}
                    {node.options.length > 0 && (
                      <span class="node-options">
                        {node.options.slice(0, SHOWN_OPTIONS).map((option, i) => (
                          <Fragment key={i}>
                            <bdi>{option}</bdi>{' '}
                          </Fragment>
                        ))}
                        {node.options.length > SHOWN_OPTIONS && <span>+{node.options.length - SHOWN_OPTIONS}</span>}
                      </span>
                    )}
                  </span>
                  {count > 0 && <span class="node-count">{count}</span>}
                </button>
              );
            })}
          </div>
        </div>
      </fieldset>
    </div>
  );
}

/** The next card after the selected one whose texts contain a text; starts again after the last. */
function matching(nodes: readonly GraphNode[], text: string, selected: string | undefined): GraphNode | undefined {
  const wanted = text.trim().toLowerCase();
  const at = nodes.findIndex(({ id }) => id === selected) + 1;
  const has = ({ label, says, options }: GraphNode): boolean => [label, says, ...options].join('\n').toLowerCase().includes(wanted);
  return wanted === '' ? undefined : [...nodes.slice(at), ...nodes.slice(0, at)].find(has);
}

interface State {
  readonly isCurrent: boolean;
  readonly covered: boolean | undefined;
}

function lookOf({ is_first, waits }: GraphNode, { isCurrent, isDim, covered }: State & { readonly isDim: boolean }): string {
  return [
    'node',
    is_first && 'first',
    waits && 'waits',
    isCurrent && 'current',
    isDim && 'dim',
    covered === true && 'covered',
    covered === false && 'missed',
  ]
    .filter(Boolean)
    .join(' ');
}

function nameOf(
  { label, says, options, is_first, waits }: GraphNode,
  { isCurrent, covered, count }: State & { readonly count: number },
): string {
  return [
    label.slice(0, MAX_NAME),
    says,
    // In the words and order that are visible, for people who speak to their browser.
    options.slice(0, SHOWN_OPTIONS).join(', '),
    options.length > SHOWN_OPTIONS && `+${options.length - SHOWN_OPTIONS}`,
    is_first && 'the first card',
    waits && 'waits for an answer',
    isCurrent && 'the run is here',
    count > 0 && `${count} open ${count === 1 ? 'session' : 'sessions'}`,
    covered === true && 'a test reaches it',
    covered === false && 'no test reaches it',
  ]
    .filter(Boolean)
    .join(', ');
}

const bounded = (zoom: number): number => Math.max(ZOOM.least, Math.min(ZOOM.most, zoom));
