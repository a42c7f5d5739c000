import { useLayoutEffect, useRef } from 'preact/hooks';

/** Keys and what they do, such as `j` or `Escape`. */
export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** The newest last: the keys of a page come before those of the frame. */
const registered: { current: Shortcuts }[] = [];
const SEQUENCE_MS = 2_500;
let hasPrefix = false;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Keys of a component while it is shown. A key of two letters, such as `g o`, is pressed one after the other. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const newest = useRef(shortcuts);
  newest.current = shortcuts;
  // Before the page is painted: a key that is pressed as soon as a list can be seen moves its selection.
  useLayoutEffect(() => {
    registered.push(newest);
    return () => void registered.splice(registered.indexOf(newest), 1);
  }, []);
}

/** Begins to listen to keys; called once. */
export const startShortcuts = (): void =>
  addEventListener('keydown', (event) => {
    const { key, target, defaultPrevented, altKey, ctrlKey, metaKey } = event;
    if (defaultPrevented || altKey) return;
    const isCommand = ctrlKey || metaKey;
    if (!isCommand && target instanceof HTMLInputElement && leavesFilter(key, target)) return event.preventDefault();
    // Enter presses the button or follows the link that has the focus.
    if (key === 'Enter' && target instanceof Element && target.closest('a, button, summary, [role="tab"]')) return;
    // In a field or dialog, keys belong to it; commands such as Ctrl+K do not.
    if (
      !isCommand &&
      target instanceof Element &&
      target.closest('input, textarea, select, [contenteditable], [data-owns-keys], dialog, [role="menu"]')
    )
      return;
    // A dialog has the keys also when the focus was on a part of it that is gone.
    if (!isCommand && document.querySelector('dialog:modal')) return;
    const name = isCommand ? `mod+${key.toLowerCase()}` : hasPrefix ? `g ${key}` : key;
    if (name === 'g') {
      hasPrefix = true;
      clearTimeout(timer);
      timer = setTimeout(() => {
        hasPrefix = false;
      }, SEQUENCE_MS);
      return;
    }
    hasPrefix = false;
    const run = registered.findLast((shortcuts) => name in shortcuts.current)?.current[name];
    if (!run) return;
    event.preventDefault();
    run(event);
  });

/** From a filter, Enter leads to the filtered list, and so does Escape when the filter is empty: before, Escape empties it. */
function leavesFilter(key: string, field: HTMLInputElement): boolean {
  if (!field.matches('[data-filter]')) return false;
  if (key === 'Enter' ? field.form !== null : key !== 'Escape' || field.value !== '') return false;
  const list = document.querySelector<HTMLElement>('#page [role="listbox"]');
  if (list) list.focus();
  else field.blur();
  return true;
}
