import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { type ExampleName, startChild } from '../../sandbox/demo/children.js';

/** One of the sandbox's examples, running as a process of its own until the test ends. */
export function startExample(t: Tap, name: ExampleName) {
  const child = startChild(name);
  t.teardown(() => child.stop());
  return child.ready;
}

/** Waits until something is so, and fails with what was seen last. */
export async function until<T>(look: () => Promise<T> | T, isSo: (seen: T) => boolean, limitMs = patient(10_000)): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (performance.now() > end) throw new Error(`still not so after ${limitMs} ms: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
