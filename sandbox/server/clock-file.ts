import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClockSetting, ManualClock } from '#core';

/** Stores the pace and the time of the sandbox's clock in the data folder. */
export const CLOCK_FILE = 'clock.json';

/** @returns undefined if the folder has none @throws when it cannot be read */
export function readClock(folder: string): ClockSetting | undefined {
  const file = join(folder, CLOCK_FILE);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { paused, now, offsetMs } = JSON.parse(text) as Record<string, unknown>;
    if (paused === true && typeof now === 'string' && !Number.isNaN(Date.parse(now))) return { paused, now };
    if (paused === false && Number.isInteger(offsetMs)) return { paused, offsetMs: offsetMs as number };
  } catch {
    // Reported below.
  }
  throw new Error(`${file} cannot be read: it was not written by a sandbox. Delete it to continue with the time of this machine`);
}

/** Writes the file atomically. */
export function writeClock(folder: string, setting: ClockSetting): void {
  const file = join(folder, CLOCK_FILE);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(setting)}\n`, { flush: true });
  renameSync(`${file}.new`, file);
}

/** Longer than the 5 s after which an attempt of a delivery times out, so that a move waits for every attempt. */
const PATIENCE_MS = 6_000;

export interface ClockOptions {
  /** The mode that the user asked for, if any. */
  readonly mode: 'real' | 'manual' | undefined;
  /** The time at which a paused clock of a new state starts; the system time if not given. */
  readonly start: Date | undefined;
  /** The data folder. */
  readonly data: string | undefined;
}

export interface SandboxClock {
  readonly clock: ManualClock;
  /** Stores the clock from now on. Call it when the data folder belongs to this process. */
  keep(): void;
  /** Stores it no longer, and stops it. Call it before another clock continues it. */
  release(): void;
}

/**
 * The clock of a sandbox, which can be moved in both modes. It continues the clock of the data folder: at its time, and at its pace
 * unless the user asked for a mode.
 */
export function openClock({ mode, start, data }: ClockOptions): SandboxClock {
  const stored = data === undefined ? undefined : readClock(data);
  const isPaused = mode === undefined ? (stored?.paused ?? false) : mode === 'manual';
  return clockAt({ start: timeOf(stored) ?? (isPaused ? start : undefined) ?? new Date(), isPaused, data });
}

/** A clock that shows `start`, stored in the data folder once it is kept. */
export function clockAt({ start, isPaused, data }: { start: Date; isPaused: boolean; data: string | undefined }): SandboxClock {
  let isKept = false;
  // Stored before the clock moves: after a crash it must not show a time before that of stored records.
  const store = (setting: ClockSetting) => isKept && data !== undefined && writeClock(data, setting);
  const clock = new ManualClock({
    start,
    hasRealRequests: true,
    patienceMs: PATIENCE_MS,
    onChange: store,
    onError: (error) => process.emitWarning(error instanceof Error ? error : String(error)),
  });
  if (!isPaused) clock.resume();
  return {
    clock,
    keep() {
      isKept = true;
      store(clock.setting());
    },
    release() {
      isKept = false;
      clock.pause();
    },
  };
}

function timeOf(stored: ClockSetting | undefined): Date | undefined {
  if (!stored) return undefined;
  return stored.paused ? new Date(stored.now) : new Date(Date.now() + stored.offsetMs);
}
