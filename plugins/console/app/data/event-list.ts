import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { live, MAX_EVENTS } from './live.js';
import { isGap, type LiveEvent } from './live-event.js';

/** A filter is applied to 100,000 events in slices of this time, so that the page stays responsive. */
const SLICE_MS = 12;

export interface EventList {
  /** Newest first; changes in place. Gaps are in every list. */
  readonly items: readonly LiveEvent[];
  /** Whether older events are still being searched. */
  readonly isSearching: boolean;
  /** Events that arrived while the list was paused. */
  readonly waiting: number;
  readonly isPaused: boolean;
  readonly pause: (isPaused: boolean) => void;
}

/**
 * The events that a filter accepts, and new ones as they arrive.
 * @param key changes when the filter does
 */
export function useEventList(key: string, accepts: (event: LiveEvent) => boolean): EventList {
  const version = useSignal(0);
  const isPaused = useSignal(false);
  const found = useRef<Found>(NOTHING);

  useEffect(() => {
    const own: Found = { items: [], waiting: [], isSearching: true };
    found.current = own;
    const isShown = (event: LiveEvent): boolean => isGap(event) || accepts(event);
    const changed = (): void => {
      version.value++;
    };
    const end = live.listen((batch) => {
      const more = batch.filter(isShown);
      if (more.length === 0) return;
      // Until the stream is connected, batches contain retained events, which are not new.
      if (isPaused.peek() && live.state.peek() !== 'connecting') for (const event of more) own.waiting.push(event);
      else prepend(own.items, more);
      if (own.waiting.length > MAX_EVENTS) own.waiting.splice(0, own.waiting.length - MAX_EVENTS);
      changed();
    });

    // From the newest to the oldest. `offset` counts events, and not places in the array, from which the oldest are dropped.
    let next = live.dropped.peek() + live.events.length - 1;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const search = (): void => {
      const until = performance.now() + SLICE_MS;
      const offset = live.dropped.peek();
      while (next >= offset && performance.now() < until) {
        const event = live.events[next-- - offset]!;
        if (isShown(event)) own.items.push(event);
      }
      own.isSearching = next >= offset;
      if (own.isSearching) timer = setTimeout(search, 0);
      changed();
    };
    search();
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [key]);

  // Read, so that the component is rendered again with each change.
  void version.value;
  const { items, waiting, isSearching } = found.current;
  return {
    items,
    isSearching,
    waiting: waiting.length,
    isPaused: isPaused.value,
    pause(paused) {
      isPaused.value = paused;
      if (!paused) prepend(found.current.items, found.current.waiting.splice(0));
    },
  };
}

interface Found {
  readonly items: LiveEvent[];
  /** Oldest first. */
  readonly waiting: LiveEvent[];
  isSearching: boolean;
}

const NOTHING: Found = { items: [], waiting: [], isSearching: true };

/** Adds events, oldest first, before the others. */
function prepend(items: LiveEvent[], more: readonly LiveEvent[]): void {
  // In blocks, because the arguments of one call are limited.
  for (let at = 0; at < more.length; at += BLOCK) items.unshift(...more.slice(at, at + BLOCK).reverse());
  if (items.length > MAX_EVENTS) items.length = MAX_EVENTS;
}

const BLOCK = 10_000;
