import { signal } from '@preact/signals';

/** Counts the visits from the search: another one to the same address shows the place again. */
export const visits = signal(0);
