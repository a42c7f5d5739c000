import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Tap } from '#core/testing';

/** One of the sandbox's examples, running as a process of its own until the test ends. */
export async function startExample(t: Tap, name: 'connector' | 'webhook-receiver') {
  const script = join(import.meta.dirname, '..', '..', 'sandbox', 'examples', `${name}.js`);
  const child = fork(script, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
  t.teardown(() => child.kill());
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  return { url, tell: (credentials: object) => void child.send(credentials) };
}

/** Waits until something is so, and fails with what was seen last. */
export async function until<T>(look: () => Promise<T> | T, isSo: (seen: T) => boolean, limitMs = 10_000): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (performance.now() > end) throw new Error(`still not so after ${limitMs} ms: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
