import type { ManualClock, PlatformState } from '#core';
import type { Seeded } from '../demo/apply-seed.js';
import type { SandboxState, StateFile } from '../state/state-file.js';
import type { SandboxClock } from './clock-file.js';
import type { StateReplaced } from './state-plugin.js';

/** Why a platform starts, and with which state; the state of the data folder, or the seed, if none is given. */
export interface Start {
  /** The base URL of the sandbox. */
  readonly api: string;
  readonly clock: SandboxClock;
  readonly by?: StateReplaced['by'];
  /** Replaces the state of the store: nothing at all before a reset, which then applies the seed. */
  readonly state?: PlatformState;
}

export type NextState = Pick<SandboxState, 'state' | 'seeded' | 'integration'>;

/** A running clock has no time, because two exports of one state would differ. */
export const clockOf = (clock: ManualClock): StateFile['clock'] =>
  clock.isPaused ? { paused: true, now: clock.now().toISOString() } : { paused: false };

/** A paused clock takes the time of an imported state. A running one keeps its own, unless the state has a later one. */
export function startAfter(clock: ManualClock, imported: string | undefined): Date {
  const now = clock.now();
  if (imported === undefined) return now;
  return clock.isPaused || Date.parse(imported) > now.getTime() ? new Date(imported) : now;
}

/** The state without any record. */
export const NO_STATE: PlatformState = { collections: {}, secrets: {}, media: {} };
export const NO_RECORDS: Seeded = { numbers: [], channels: [], webhooks: [], journeys: [] };
