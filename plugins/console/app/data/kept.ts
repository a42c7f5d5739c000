import { type Signal, signal } from '@preact/signals';
import type { Dispatch, StateUpdater } from 'preact/hooks';

/** Until the page is loaded again: nothing is stored in the browser. */
// biome-ignore lint/suspicious/noExplicitAny: each key has its own type
const kept = new Map<string, Signal<any>>();

/** Like `useState`, but the value survives its component, and can be set after that. */
export function useKept<T>(key: string, initial: T): [T, Dispatch<StateUpdater<T>>] {
  const value: Signal<T> = kept.get(key) ?? signal(initial);
  kept.set(key, value);
  return [
    value.value,
    (next) => {
      value.value = typeof next === 'function' ? (next as (before: T) => T)(value.peek()) : next;
    },
  ];
}
