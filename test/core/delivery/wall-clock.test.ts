import t from 'tap';
import { ManualClock } from '#core/testing';
import { crashed, freshFolder } from '../adapters/store/folders.js';
import { ENDPOINT, startWithWebhook } from './webhook-platform.js';

const HOUR = 3_600_000;
const GAPS = [17_000, 19_000, 24_000, 31_000, 47_000];

t.test('setting the wall clock back never makes a retry wait longer than the retry policy allows', async (t) => {
  for (const at of [1_000, 20_000, 70_000]) {
    const { post, clock, http, delivery, calls } = await startWithWebhook(t);
    const sent: number[] = [];
    http.answer(ENDPOINT, () => {
      sent.push(clock.monotonic());
      return 'refuse';
    });
    const { uuid } = await post();
    await clock.advance(at);
    clock.jump(-HOUR);
    await clock.advance(200_000);
    t.equal(calls().length, 6);
    sent.forEach((moment, i) => {
      if (i > 0) t.ok(moment - sent[i - 1]! <= GAPS[i - 1]! * 1.04, `retry ${i} after ${moment - sent[i - 1]!} ms`);
      if (i > 0) t.ok(moment - sent[i - 1]! >= 5_000, 'and they are not sent in a burst');
    });
    t.match(await delivery(uuid), { state: 'dropped', reason: 'exhausted' });
  }
});

t.test(
  'setting the wall clock forward sends retries that are overdue by less than the window, and drops the others as expired',
  async (t) => {
    for (const [jump, becomes, sent] of [
      [30_000, { state: 'dropped', reason: 'exhausted' }, 6],
      // The window has ended when it becomes due; the grace period covers only the platform's own queue.
      [125_000, { state: 'dropped', reason: 'expired', attempts: 1 }, 1],
      [HOUR, { state: 'dropped', reason: 'expired', attempts: 1 }, 1],
    ] as const) {
      const { post, clock, http, delivery, calls } = await startWithWebhook(t);
      http.answer(ENDPOINT, 'refuse');
      const { uuid } = await post();
      await clock.advance(1_000);
      clock.jump(jump);
      await clock.advance(200_000);
      t.match(await delivery(uuid), becomes);
      t.equal(calls().length, sent);
    }
  },
);

t.test('a delivery that has never failed is sent whatever the clock says', async (t) => {
  for (const jump of [-HOUR, HOUR]) {
    const { post, clock, http, delivery, change } = await startWithWebhook(t);
    http.answer(ENDPOINT, { afterMs: 100 });
    await change({ lane: 'low' });
    const posted = await Promise.all(Array.from({ length: 20 }, (_, n) => post({ body: { n } })));
    await clock.advance(0);
    clock.jump(jump);
    await clock.advance(10_000);
    for (const { uuid } of posted) t.match(await delivery(uuid), { state: 'delivered', attempts: 1 });
  }
});

t.test('setting the clock back while the platform is down makes no retry wait longer than scheduled', async (t) => {
  const dataDir = freshFolder(t);
  const before = await startWithWebhook(t, { dataDir });
  before.http.answer(ENDPOINT, 'refuse');
  const { uuid } = await before.post();
  await before.clock.advance(20_000);
  const image = crashed(t, dataDir);
  const clock = new ManualClock({ start: new Date('2026-01-05T06:00:00Z') });
  const after = await startWithWebhook(t, { dataDir: image, seed: 'again', webhook: before.webhook, answers: [{}], ports: { clock } });
  await clock.advance(19_000);
  t.match(await after.delivery(uuid), { state: 'delivered', attempts: 3 });
});
