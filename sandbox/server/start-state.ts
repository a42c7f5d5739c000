import type { ManualClock, PlatformState } from '#core/areas';
import type { Seeded } from '../demo/apply-seed.js';
import type { StateFile } from '../state/state-file.js';

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
