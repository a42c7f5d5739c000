import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { RealClock } from '../../../core/adapters/clock/real-clock.js';
import { UndiciClient, type UndiciClientOptions } from '../../../core/adapters/http/undici-client.js';
import type { HttpOutcome, HttpRequest } from '../../../core/ports/http-client.js';
import { patient } from '../../../core/testing/slowness.js';
import type { Tap } from '../../../core/testing/tap.js';

export const post: Omit<HttpRequest, 'url'> = { method: 'POST', deadlineMs: 5000, maxResponseBytes: 10_000 };

/** A client on the real clock, without an address guard. */

export function clientOf(t: Tap, options: Partial<UndiciClientOptions> = {}): UndiciClient {
  const clock = new RealClock({ onError: (error) => t.fail(String(error)) });
  const client = new UndiciClient({ clock, guard: false, ...options });
  t.teardown(() => client.stop());
  return client;
}

/** A process that listens and then does nothing, with its accept queue full, so that new connections are not accepted. */

export async function deafServer(t: Tap): Promise<{ port: number }> {
  const child = fork(new URL('./deaf-server.js', import.meta.url));
  const fillers: Socket[] = [];
  t.teardown(() => {
    child.kill('SIGKILL');
    for (const socket of fillers) socket.destroy();
  });
  const [port] = (await once(child, 'message')) as [number];
  for (let i = 0; i < 8; i++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    fillers.push(socket);
  }
  await sleep(100);
  return { port };
}

/** Checks that an outcome is never early, and not later than a busy machine explains. */

export function onTime(t: Tap, { elapsedMs }: HttpOutcome, deadlineMs: number): void {
  t.ok(elapsedMs >= deadlineMs && elapsedMs < deadlineMs + patient(500), `after ${elapsedMs} ms`);
}

export async function until(condition: () => boolean): Promise<void> {
  for (const end = performance.now() + patient(2_000); !condition() && performance.now() < end; ) await sleep(10);
  if (!condition()) throw new Error('the condition did not become true');
}

export const textOf = (outcome: HttpOutcome): string =>
  outcome.kind === 'response' ? new TextDecoder().decode(outcome.body) : outcome.kind;

export const coded = (code: string): Error => Object.assign(new Error(code), { code });
