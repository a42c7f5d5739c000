import { setTimeout as sleep } from 'node:timers/promises';
import { mainThreadMs, noCpuFigures } from '../measuring/cpu.js';

const TICK_MS = 1;

/** CPU milliseconds of the main thread so far, which excludes waiting for a processor on a busy machine; NaN if unknown. */
const workedMs = (): number => (noCpuFigures === undefined ? mainThreadMs(process.pid) : Number.NaN);

export interface Pauses {
  readonly ms: number;
  /** The longest time in which nothing else ran on the main thread. */
  readonly longest: number;
  /** The same, without the time in which the machine ran other processes; known on Linux only. */
  readonly maxWork: number;
  readonly work: number;
}

/** How long the main thread was blocked during an operation, in milliseconds. */
export async function measurePauses(work: () => Promise<unknown>): Promise<Pauses> {
  let [longest, maxWork] = [0, 0];
  let [last, lastWorked] = [performance.now(), workedMs()];
  const ticks = setInterval(() => {
    const [now, worked] = [performance.now(), workedMs()];
    longest = Math.max(longest, now - last - TICK_MS);
    maxWork = Math.max(maxWork, worked - lastWorked);
    [last, lastWorked] = [now, worked];
  }, TICK_MS);
  await sleep(20);
  [longest, maxWork] = [0, 0];
  const [began, workedBefore] = [performance.now(), workedMs()];
  await work();
  const [ms, all] = [performance.now() - began, workedMs() - workedBefore];
  clearInterval(ticks);
  return { ms, longest, maxWork, work: all };
}
