import { signal } from '@preact/signals';

/** Whether the palette is open. */
export const isPaletteOpen = signal(false);
