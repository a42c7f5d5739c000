import { adminGet, adminSend } from './admin-client.js';
import type { RunFile } from './run-file.js';

export interface PendingTimer {
  readonly at: string;
  readonly kind: string;
  readonly title: string;
  readonly id?: string;
}

export interface ClockView {
  readonly mode: 'real' | 'manual';
  readonly paused: boolean;
  readonly now: string;
  readonly offset_ms: number;
  readonly timers: readonly PendingTimer[];
  /** After a move: what has become due in it. */
  readonly reached?: readonly PendingTimer[];
}

export type ClockMove = { readonly advance: number } | { readonly set: string } | { readonly next: true } | { readonly paused: boolean };

export const clockView = async (run: RunFile, limit: number): Promise<ClockView> => (await adminGet(run, `/clock?limit=${limit}`)) as never;

/** Resolves when everything that became due has run. */
export const moveClock = async (run: RunFile, move: ClockMove): Promise<ClockView> =>
  (await adminSend(run, 'POST', '/clock', move)) as never;
