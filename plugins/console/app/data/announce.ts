import { signal } from '@preact/signals';

/** At most one announcement in this time, so that screen readers can finish the previous one. */
const PAUSE_MS = 3_000;

/** The text of the live region of the page. */
export const announcement = signal('');

let next: string | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Lets screen readers say a text that appeared on the page; of several within three seconds, the first and the last. */
export function announce(text: string): void {
  next = text;
  if (timer !== undefined) return;
  say();
}

function say(): void {
  timer = undefined;
  if (next === undefined) return;
  announcement.value = next;
  next = undefined;
  timer = setTimeout(say, PAUSE_MS);
}
