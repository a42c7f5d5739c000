import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { onlyLong } from '../forms.js';
import { startReceiver } from '../sandbox/receiver.js';
import { admin, ask, newFolder, startSandbox, write } from './posthorn-process.js';

t.test(
  'posthorn clock moves the demo from the command line: retries to a receiver, and the parked session of a contact',
  { skip: onlyLong },
  async (t) => {
    const folder = newFolder(t);
    const receiver = await startReceiver(t, 500);
    const { ready } = await startSandbox(t, folder, '--clock', 'manual', '--seed-key', 'clock');
    const run = (...args: string[]) => ask(folder, ['clock', ...args]);
    const json = async (...args: string[]) => {
      const { out, code } = await run(...args, '--json');
      t.equal(code, 0);
      return JSON.parse(out) as {
        v: number;
        now: string;
        paused: boolean;
        timers: { kind: string; title: string }[];
        reached?: { title: string }[];
      };
    };
    await admin(ready, 'PATCH', `/webhooks/${ready.webhooks[0]!.uuid}`, { url: receiver.url });
    t.match(await run(), { code: 0, out: /^2026-01-05T08:00:00\.000Z {2}paused\n/ });

    // The message goes through the connector process of the demo, and the journey's reply back to it.
    await write(ready, '+27611111111', 'hi');
    const end = performance.now() + patient(10_000);
    const kinds = async () => (await json('list')).timers.map(({ kind }) => kind);
    for (let known = await kinds(); !known.includes('retry') || !known.includes('session'); known = await kinds())
      if (performance.now() > end) throw new Error(`pending: ${known}`);

    const before = receiver.received.length;
    const { v, reached, now } = await json('next');
    t.equal(v, 1);
    t.match(reached, [{ kind: 'retry', title: /^retry 1 of delivery .+ \(msgapp\) to / }]);
    t.ok(now > '2026-01-05T08:00:15' && now < '2026-01-05T08:00:18', now);
    t.ok(receiver.received.length > before, 'the retry was sent before the command returned');
    receiver.answer(200);
    await json('advance', '19s');
    const moved = await run('advance', '5m');
    t.match(moved, { code: 0, out: /reached {7}expiry of parked session / });

    t.match(await run('set', '2026-01-06'), { code: 0, out: /^2026-01-06T00:00:00\.000Z {2}paused/ });
    t.match(await run('set', '2026-01-05T00:00:00Z'), { code: 1, err: /never goes back/ });
    t.match(await run('resume'), { code: 0, out: /behind this machine|ahead of this machine/ });
    t.match(await run('pause'), { code: 0, out: /paused/ });
    t.match(await run('advance'), { code: 2, err: /advance needs a duration, such as 17s/ });
    t.match(await run('advance', 'soon'), { code: 2, err: /takes a duration such as 17s, 5m, 2h or 30d, not 'soon'/ });
    t.match(await run('set', 'tomorrow'), { code: 2, err: /set takes a date/ });
    t.match(await run('list', 'all'), { code: 2, err: /clock list does not take 'all'/ });
    t.match(await run('rewind'), { code: 2, err: /clock takes now, pause, resume/ });
  },
);

t.test('posthorn clock without a sandbox in the folder says so', async (t) => {
  t.match(await ask(newFolder(t), ['clock', 'next']), { code: 3, err: /no sandbox is running in this folder/ });
});
