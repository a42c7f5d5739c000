import { useRef, useState } from 'preact/hooks';
import { texts } from './log-texts.js';

const LEAST_PX = 40;
const MOST_PX = 400;
const STEP_PX = 8;

export interface Column {
  readonly title: string;
  /** In pixels, unless the user has chosen another; a list has one column without, which takes the rest. */
  readonly width?: number;
}

const keyOf = (name: string): string => `posthorn-console-columns-${name}`;

/** The widths of the columns of a list, as the browser has stored them. `name`: of the list. */
export function useColumns(name: string, columns: readonly Column[]) {
  const [widths, setWidths] = useState(() => storedWidths(name, columns));
  const setWidth = (at: number, width: number): void =>
    setWidths((before) => {
      const next = before.map((known, i) => (i === at ? Math.round(Math.max(LEAST_PX, Math.min(MOST_PX, width))) : known));
      try {
        localStorage.setItem(keyOf(name), JSON.stringify(next));
      } catch {
        // Without storage the widths last until the page is closed.
      }
      return next;
    });
  return { widths, setWidth, template: widths.map((width) => (width === null ? 'minmax(0, 1fr)' : `${width}px`)).join(' ') };
}

function storedWidths(name: string, columns: readonly Column[]): (number | null)[] {
  let stored: unknown;
  try {
    stored = JSON.parse(localStorage.getItem(keyOf(name)) ?? '[]');
  } catch {
    // Not readable: as if nothing was stored.
  }
  return columns.map(({ width }, at) => {
    if (width === undefined) return null;
    const known: unknown = Array.isArray(stored) ? stored[at] : undefined;
    return typeof known === 'number' && known >= LEAST_PX && known <= MOST_PX ? known : width;
  });
}

interface HeadProps {
  readonly columns: readonly Column[];
  readonly widths: readonly (number | null)[];
  readonly setWidth: (at: number, width: number) => void;
}

/** The titles of columns, with handles between them that change widths: by dragging, or with the arrow keys; Home takes the width back. */
export function ColumnHead({ columns, widths, setWidth }: HeadProps) {
  const rest = widths.indexOf(null);
  const drag = useRef<{ readonly at: number; readonly x: number; readonly width: number }>();
  return (
    <div class="column-head">
      {columns.map(({ title, width: usual }, at) => {
        const width = widths[at] ?? null;
        // The handle is on the side of the column that takes the rest.
        const outward = at < rest ? 1 : -1;
        const wider = (px: number, element: Element): number => px * outward * (getComputedStyle(element).direction === 'rtl' ? -1 : 1);
        return (
          <div key={title} class={at < rest ? 'column-title' : 'column-title after'}>
            <span>{title}</span>
            {width !== null && (
              // biome-ignore lint/a11y/useSemanticElements: hr has no keys
              <div
                role="separator"
                class="column-handle"
                tabIndex={0}
                data-owns-keys
                aria-orientation="vertical"
                aria-label={texts.widthOfColumn(title)}
                aria-valuenow={width}
                aria-valuemin={LEAST_PX}
                aria-valuemax={MOST_PX}
                onKeyDown={(event) => {
                  const { key, currentTarget } = event;
                  if (!['ArrowLeft', 'ArrowRight', 'Home'].includes(key)) return;
                  event.preventDefault();
                  if (key === 'Home') setWidth(at, usual!);
                  else setWidth(at, width + wider(key === 'ArrowRight' ? STEP_PX : -STEP_PX, currentTarget));
                }}
                onPointerDown={(event) => {
                  if (event.button !== 0) return;
                  event.currentTarget.setPointerCapture(event.pointerId);
                  drag.current = { at, x: event.clientX, width };
                }}
                onPointerMove={({ clientX, currentTarget }) => {
                  const begun = drag.current;
                  if (begun?.at === at) setWidth(at, begun.width + wider(clientX - begun.x, currentTarget));
                }}
                onPointerUp={() => {
                  drag.current = undefined;
                }}
                onPointerCancel={() => {
                  drag.current = undefined;
                }}
              />
            )}
          </div>
        );
      })}
    </div>
  );
}
