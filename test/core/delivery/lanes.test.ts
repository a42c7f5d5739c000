import t from 'tap';
import { createLanes, noSamples, sample } from '../../../core/delivery/lanes.js';
import type { RetryPolicy } from '../../../core/delivery/retry-policy.js';
import { StoreUnavailable } from '../../../core/ports/store.js';
import type { Database } from '../../../core/ports/transaction.js';

/** The lane that a series of response times leads to, and after how many of them. */
function lanesOf(times: readonly number[]): { after: number; lane: string }[] {
  let samples = noSamples;
  return times.flatMap((ms, i) => {
    const next = sample(samples, ms);
    samples = next.samples;
    return next.decision ? [{ after: i + 1, lane: next.decision.lane }] : [];
  });
}
const twenty = (ms: number): number[] => Array.from({ length: 20 }, () => ms);

t.test('the unrounded mean of twenty response times decides the lane', async (t) => {
  const cases: [mean: number, lane: string][] = [
    [0, 'high'],
    [200, 'high'],
    [200.001, 'default'],
    [999.999, 'default'],
    [1000, 'low'],
    [5000, 'low'],
  ];
  for (const [mean, lane] of cases) t.strictSame(lanesOf(twenty(mean)), [{ after: 20, lane }], `${mean} ms`);
});

t.test('nine timeouts in twenty make an endpoint slow, however fast the other responses are', async (t) => {
  t.strictSame(lanesOf([...Array(11).fill(50), ...Array(9).fill(5000)]), [{ after: 20, lane: 'low' }]);
});

t.test('each twenty response times are counted separately', async (t) => {
  t.strictSame(lanesOf([...twenty(2000), ...twenty(10), ...twenty(500), 1]), [
    { after: 20, lane: 'low' },
    { after: 40, lane: 'high' },
    { after: 60, lane: 'default' },
  ]);
});

t.test('a cleaning waits for a store that cannot be read, and then frees the memory of deleted webhooks', async (t) => {
  const state = { isReadable: false };
  const get = async () => {
    if (!state.isReadable) throw new StoreUnavailable('the log cannot be reached');
    return undefined;
  };
  const lanes = createLanes({ store: { open: () => ({ get }) } as unknown as Database, policy: { deadlineMs: 5_000 } as RetryPolicy });
  lanes.add('deleted', { kind: 'unreachable', permanent: false, code: 'TIMEOUT', reason: 'no response', elapsedMs: 5_000 });
  await lanes.clean();
  t.equal(lanes.since('deleted').count, 1);
  state.isReadable = true;
  await lanes.clean();
  t.equal(lanes.since('deleted').count, 0);
});
