// CPU time of processes, from /proc.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Linux reports the times in /proc/<pid>/stat in ticks of 10 ms on every common architecture. */
const TICK_MS = 10;
const QUIET_AFTER_MS = 100;
const GIVE_UP_AFTER_MS = 10_000;

/** Why CPU figures are missing on this system; undefined if they can be measured. */
export const noCpuFigures: string | undefined = (() => {
  try {
    return Number.isNaN(mainThreadMs(process.pid)) ? '/proc/<pid>/task/<pid>/schedstat is empty' : undefined;
  } catch {
    return 'the system has no /proc/<pid>/task/<pid>/schedstat';
  }
})();

/** Milliseconds for which the main thread of a process has run, from the scheduler's own counter in nanoseconds. */
export function mainThreadMs(pid: number): number {
  return Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1'), 10) / 1e6;
}

interface Stat {
  readonly pid: number;
  readonly parent: number;
  /** CPU time of the process and of its children that have ended. */
  readonly ticks: number;
}

/** Fields 4 and 14 to 17 of proc(5); the name in field 2 may contain spaces and parentheses. */
function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { pid, parent: Number(fields[1]), ticks };
  } catch {
    // The process ended after its folder was listed.
    return undefined;
  }
}

/** Milliseconds of CPU time of these processes with all their threads and descendants, including descendants that have ended. */
export function treeMs(roots: readonly number[]): number {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : []));
  const included = new Set(roots);
  for (let size = -1; size !== included.size; ) {
    size = included.size;
    for (const { pid, parent } of all) if (included.has(parent)) included.add(pid);
  }
  return all.reduce((sum, { pid, ticks }) => sum + (included.has(pid) ? ticks : 0), 0) * TICK_MS;
}

/**
 * Waits until the processes are idle, so that their background work is counted and does not slow down the next side. Idle: at most one
 * tick of CPU time in 100 ms.
 */
export async function quiet(roots: readonly number[]): Promise<void> {
  if (noCpuFigures !== undefined) return sleep(QUIET_AFTER_MS);
  const until = performance.now() + GIVE_UP_AFTER_MS;
  for (let before = treeMs(roots); performance.now() < until; ) {
    await sleep(QUIET_AFTER_MS);
    const now = treeMs(roots);
    if (now - before <= TICK_MS) return;
    before = now;
  }
}
