import t from 'tap';
import { consume, definePlugin, queue } from '#core';
import { ManualClock, startPlatform } from '#core/testing';
import { LazyClient } from '../../../core/adapters/http/lazy-client.js';
import { TargetRules } from '../../../core/adapters/http/target-rules.js';
import { freshFolder } from '../adapters/store/folders.js';

t.test('a job pushed at start runs after the jobs of the previous run', async (t) => {
  const tasks = queue<string>('pushing.tasks');
  const ran: string[] = [];
  const pushing = (name: string, isWorking: boolean) =>
    definePlugin({
      name: 'pushing',
      version: '1.0.0',
      register: ({ store }) => ({
        // The ids decrease, so sorting by id alone would reverse the order.
        start: () => store.transaction((tx) => tx.push(tasks, name, { id: `${9 - name.length} ${name}` })),
        consumes: isWorking ? [consume(tasks, async ({ payload }) => void ran.push(payload), { concurrency: 1 })] : [],
      }),
    })();
  const dataDir = freshFolder(t);
  const clock = new ManualClock();
  for (const name of ['1', '22', '333']) {
    const { platform, server } = await startPlatform(t, { plugins: [pushing(name, name === '333')], dataDir, ports: { clock } });
    await clock.advance(0);
    if (name !== '333') await server.stop();
    else await platform.stop();
  }
  t.strictSame(ran, ['1', '22', '333']);
});

t.test('a stop does not load an HTTP client that was never used, and the client sends nothing afterwards', async (t) => {
  let loads = 0;
  const load = async () => {
    loads++;
    throw new Error('it cannot be loaded');
  };
  const request = { method: 'GET', url: 'https://shop.test/', deadlineMs: 1_000, maxResponseBytes: 1_000 } as const;
  const client = new LazyClient(load, new TargetRules({ guard: false }));
  await client.stop();
  t.match(await client.send(request), { kind: 'unreachable', code: 'STOPPED' });
  t.equal(loads, 0);

  const broken = new LazyClient(load, new TargetRules({ guard: false }));
  broken.start();
  await t.rejects(broken.send(request), /cannot be loaded/);
  await broken.stop();
  t.equal(loads, 1, 'a client that failed to load has nothing to stop');
});
