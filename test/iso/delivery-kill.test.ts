import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { createPlatform, verifySignature } from '#core';
import { RecordingLogger } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { freshFolder } from '../core/adapters/store/folders.js';
import { type Received, receive, respond } from '../core/ports/receiver.js';

t.test(
  'a process that is killed between sending a delivery and recording the outcome sends the same bytes again and loses no delivery',
  async (t) => {
    const dataDir = freshFolder(t);
    let answer = (_socket: Socket, _request: Received) => {};
    const receiver = await receive(t, (socket, request) => answer(socket, request));
    const start = (): ChildProcess => {
      const child = spawn(process.execPath, [fileURLToPath(new URL('./delivering-process.js', import.meta.url)), dataDir, receiver.url], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      t.teardown(() => child.kill('SIGKILL'));
      return child;
    };

    const first = start();
    const [printed] = (await once(first.stdout!, 'data')) as [Buffer];
    const secret = printed.toString().trim();
    await until(() => receiver.received.length === 5);
    await sleep(100);
    first.kill('SIGKILL');
    await once(first, 'exit');
    const before = receiver.received.splice(0);

    answer = (socket) => respond(socket);
    const second = start();
    await until(() => receiver.received.length >= 5);
    await sleep(100);
    second.kill('SIGTERM');
    await once(second, 'exit');

    const byBody = (requests: readonly Received[]) => requests.toSorted((a, b) => Buffer.compare(a.body, b.body));
    t.equal(receiver.received.length, 5, 'each delivery is sent exactly once more');
    for (const [i, again] of byBody(receiver.received).entries()) {
      const sent = byBody(before)[i]!;
      t.ok(again.body.equals(sent.body), 'the same bytes, with the same id');
      t.strictSame(again.headers, sent.headers, 'the same headers');
      t.ok(verifySignature(secret, again.body, again.headers['x-svc-hook-signature']));
    }

    const platform = createPlatform({ dataDir, plugins: [], ports: { log: new RecordingLogger() } });
    await platform.start();
    t.teardown(() => platform.stop());
    for (const { uuid } of await platform.deliveries.list({ limit: 10 })) {
      const { delivery, attempts } = await platform.deliveries.show(uuid);
      t.match(delivery, { state: 'delivered', run: 1, attempts: 1 });
      t.match(attempts, [
        { n: 0, trigger: 'auto', result: 'interrupted', duration_ms: null },
        { n: 0, trigger: 'interrupted', result: 'delivered' },
      ]);
    }
  },
);

async function until(condition: () => boolean): Promise<void> {
  for (const end = performance.now() + patient(10_000); !condition() && performance.now() < end; ) await sleep(10);
  if (!condition()) throw new Error('the condition was not met in time');
}
