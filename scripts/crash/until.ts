import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 20_000;

/** Resolves when the condition holds. @throws Error when it does not within 20 seconds */
export async function until(holds: () => Promise<boolean> | boolean, what = 'the condition'): Promise<void> {
  const limit = performance.now() + LIMIT_MS;
  while (!(await holds())) {
    if (performance.now() > limit) throw new Error(`${what} did not hold within ${LIMIT_MS} ms`);
    await sleep(10);
  }
}
