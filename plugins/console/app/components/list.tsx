import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useShortcuts } from '../data/shortcuts.js';

/** Rows beside the visible ones, so that scrolling shows no gaps. */
const OVERSCAN = 8;

interface ListProps<T> {
  /** The name of the list for screen readers. */
  readonly label: string;
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  /** The height of every row, in pixels. */
  readonly rowHeight: number;
  readonly selected: string | undefined;
  readonly select: (key: string, isClick?: boolean) => void;
  /** Moves the focus into the selected entry. Default: to the detail of `Split`. */
  readonly open?: () => void;
  /** Returns undefined for a row that cannot be marked. */
  readonly isMarked?: (key: string) => true | undefined;
  readonly row: (item: T) => ComponentChildren;
  /** Shown in place of an empty list. */
  readonly empty: ComponentChildren;
}

/**
 * A list that keeps only its visible rows in the page. `j` and `k` or the arrows move the selection, `Home` and `End` go to the ends, and
 * `Enter` moves the focus into the selected entry. While the list is scrolled down, new rows at its beginning do not move the visible ones.
 */
export function List<T>({ label, items, keyOf, rowHeight, selected, select, open = focusDetail, isMarked, row, empty }: ListProps<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useRef<Virtualizer<HTMLDivElement, HTMLDivElement>>();
  const [, render] = useState(0);
  const firstKey = items[0] === undefined ? undefined : keyOf(items[0]);
  const previousFirst = useRef(firstKey);

  const options = {
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => render((n) => n + 1),
  };
  virtualizer.current ??= new Virtualizer<HTMLDivElement, HTMLDivElement>(options);
  const virtual = virtualizer.current;
  virtual.setOptions({ ...virtual.options, ...options });
  useEffect(() => virtual._didMount(), []);
  useEffect(() => virtual._willUpdate());

  const index = selected === undefined ? -1 : items.findIndex((item) => keyOf(item) === selected);
  // A page that is opened with a selection shows it.
  useEffect(() => {
    if (index >= 0) virtual.scrollToIndex(index, { align: 'auto' });
  }, [index >= 0]);

  useEffect(() => {
    const before = previousFirst.current;
    previousFirst.current = firstKey;
    const element = scroller.current;
    if (!element || element.scrollTop < rowHeight || before === undefined || before === firstKey) return;
    const added = items.findIndex((item) => keyOf(item) === before);
    if (added > 0) element.scrollTop += added * rowHeight;
  }, [firstKey]);

  const move = (to: number): void => {
    const item = items[Math.max(0, Math.min(items.length - 1, to))];
    if (item === undefined) return;
    select(keyOf(item));
    virtual.scrollToIndex(Math.max(0, Math.min(items.length - 1, to)), { align: 'auto' });
  };
  useShortcuts({ j: () => move(index + 1), k: () => move(index < 0 ? 0 : index - 1), ...(index >= 0 && { Enter: open }) });
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(index + 1),
    ArrowUp: () => move(index < 0 ? 0 : index - 1),
    Home: () => move(0),
    End: () => move(items.length - 1),
  };

  const shown = virtual.getVirtualItems();
  if (items.length === 0) return <div class="list-empty">{empty}</div>;
  return (
    <div
      ref={scroller}
      class="list"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={shown.some((row) => row.index === index) ? rowId(selected!) : undefined}
      onKeyDown={(event) => {
        const run = keys[event.key];
        if (!run) return;
        event.preventDefault();
        run();
      }}
    >
      <div class="list-rows" role="presentation" style={{ height: `${virtual.getTotalSize()}px` }}>
        {shown.map(({ index: at, start }) => {
          const item = items[at];
          if (item === undefined) return null;
          const key = keyOf(item);
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the listbox handles keys
            // biome-ignore lint/a11y/useFocusableInteractive: the listbox has the focus, and names its active row
            <div
              key={key}
              id={rowId(key)}
              role="option"
              aria-selected={key === selected}
              aria-checked={isMarked?.(key)}
              aria-setsize={items.length}
              aria-posinset={at + 1}
              class="list-row"
              style={{ height: `${rowHeight}px`, transform: `translateY(${start}px)` }}
              onClick={() => select(key, true)}
            >
              {row(item)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

const focusDetail = (): void => document.querySelector<HTMLElement>('[data-detail]')?.focus();

const rowId = (key: string): string => `row-${key}`;
