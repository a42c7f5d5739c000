import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { MessageRecord } from '#core';

/** Lines beside the visible ones, so that scrolling shows no gaps. */
const OVERSCAN = 8;
/** The height of a line that was not in the page yet. */
const ESTIMATE_PX = 64;
const GAP_PX = 8;
/** More than any thread has: a thread opens at its end. */
const END_PX = 1e9;

interface VirtualLines {
  /** The lines that belong into the page, with their distance in pixels from the beginning of the list. */
  readonly lines: readonly Pick<VirtualItem, 'index' | 'start'>[];
  /** Of the whole list, in pixels. */
  readonly height: number;
  /** The reference of each line, which has `data-index`. */
  readonly measure: (line: HTMLLIElement | null) => void;
  /** Keeps a line in the page wherever the reader scrolls: the one that has the focus, which would be lost. */
  readonly keep: (uuid: string) => void;
  readonly scrollTo: (uuid: string) => void;
}

/**
 * Decides which lines of a thread are in the page. Their heights differ; older ones that are added leave the visible ones in place.
 * @param scroll makes each scroll that keeps lines in place
 */
export function useVirtualLines(
  scroller: RefObject<HTMLElement>,
  list: RefObject<HTMLElement>,
  messages: readonly MessageRecord[],
  scroll: (write: () => void) => void,
): VirtualLines {
  const virtualizer = useRef<Virtualizer<HTMLElement, HTMLLIElement>>();
  const [, render] = useState(0);
  const [kept, keep] = useState<string>();
  const newest = useRef(messages);
  newest.current = messages;
  const keptAt = kept === undefined ? -1 : messages.findIndex(({ uuid }) => uuid === kept);
  // Another function lets the virtualizer place all lines again.
  const getItemKey = useCallback((index: number) => messages[index]?.uuid ?? index, [messages]);

  const options = {
    count: messages.length,
    getItemKey,
    getScrollElement: () => scroller.current,
    estimateSize: () => ESTIMATE_PX,
    gap: GAP_PX,
    overscan: OVERSCAN,
    anchorTo: 'end' as const,
    initialOffset: END_PX,
    scrollMargin: list.current?.offsetTop ?? 0,
    rangeExtractor: (range: Parameters<typeof defaultRangeExtractor>[0]): number[] => {
      const indexes = defaultRangeExtractor(range);
      return keptAt < 0 || indexes.includes(keptAt) ? indexes : [...indexes, keptAt].sort((a, b) => a - b);
    },
    scrollToFn: (...to: Parameters<typeof elementScroll<HTMLElement>>) => scroll(() => elementScroll(...to)),
    observeElementRect,
    observeElementOffset,
    onChange: () => render((n) => n + 1),
  };
  virtualizer.current ??= new Virtualizer<HTMLElement, HTMLLIElement>(options);
  const virtual = virtualizer.current;
  virtual.setOptions({ ...virtual.options, ...options });
  useEffect(() => virtual._didMount(), []);
  useLayoutEffect(() => virtual._willUpdate());

  return {
    lines: virtual.getVirtualItems().map(({ index, start }) => ({ index, start: start - options.scrollMargin })),
    height: virtual.getTotalSize(),
    measure: virtual.measureElement,
    keep,
    scrollTo: useCallback((uuid) => {
      const index = newest.current.findIndex((message) => message.uuid === uuid);
      if (index >= 0) virtual.scrollToIndex(index, { align: 'center' });
    }, []),
  };
}
