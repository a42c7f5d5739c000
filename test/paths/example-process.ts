import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { type ExampleName, startChild } from '../../sandbox/demo/children.js';

/** Runs an example of the sandbox as a separate process until the test ends. */
export function startExample(t: Tap, name: ExampleName) {
  const child = startChild(name);
  t.teardown(() => child.stop());
  return child.ready;
}

/** Waits until a condition holds; fails with the last value seen. */
export async function until<T>(look: () => Promise<T> | T, isSo: (seen: T) => boolean, limitMs = patient(10_000)): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (performance.now() > end) throw new Error(`still not so after ${limitMs} ms: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
