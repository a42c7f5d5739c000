import { signal } from '@preact/signals';

/** The traffic from `at` to the next bin. */
export interface Bin {
  readonly at: number;
  in: number;
  out: number;
  failed: number;
}

/** The data of the chart, whose script is loaded later. */
export const traffic = signal<readonly Bin[]>([]);
