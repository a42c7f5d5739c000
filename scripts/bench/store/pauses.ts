import { setTimeout as sleep } from 'node:timers/promises';

const TICK_MS = 1;

/** How long the main thread was away while something ran, all in milliseconds. `ownCpu` is what the event loop was busy. */
export async function measurePauses(work: () => Promise<unknown>): Promise<{ ms: number; longest: number; ownCpu: number }> {
  let longest = 0;
  let last = performance.now();
  const ticks = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - TICK_MS);
    last = now;
  }, TICK_MS);
  await sleep(5);
  longest = 0;
  const before = performance.eventLoopUtilization();
  const began = performance.now();
  await work();
  const ms = performance.now() - began;
  const { active } = performance.eventLoopUtilization(before);
  clearInterval(ticks);
  return { ms, longest, ownCpu: active };
}
