import type { Feature } from '../run.js';

const KEPT = 300;
/** Evictions begin 5 % above a limit, so that not every delivery costs one (core/memory/history.ts). */
const SLACK = 1.05;
/** Deliveries that settle at almost the same time may be evicted in any order. */
const TOGETHER_MS = 10_000;

/** The platform keeps few settled deliveries: the newest ones. Those that have not settled are never evicted, which the other features notice. */
export const retention: Feature = {
  name: 'retention',
  weight: 0.01,
  // Each shard of a cluster keeps deliveries of its own, and its metrics have a label.
  clusters: 'none',
  options: { deliveries: { kept: KEPT } },
  setUp: async (run) => ({
    begin: () => undefined,
    check: async () => {
      const state = await run.machines[0]!.perform((platform) => platform.readState());
      const kept = new Set((state?.collections['core.outbox'] ?? []).map(({ id }) => String(id)));
      const ends = run.deliveries.ends();
      if (kept.size > KEPT * SLACK + 1 || kept.size < Math.min(KEPT, ends.size))
        run.violated(`the platform keeps ${kept.size} of ${ends.size} settled deliveries, not ${KEPT}`);
      // The platform's clock decides which one is the oldest.
      if (run.scenario.faults.length > 0) return;
      const [endsOfKept, endsOfEvicted] = [true, false].map((isKept) =>
        [...ends].filter(([delivery]) => kept.has(delivery) === isKept).map(([, end]) => end),
      );
      const [oldest, newest] = [Math.min(...endsOfKept!), Math.max(0, ...endsOfEvicted!)];
      if (newest > oldest + TOGETHER_MS) run.violated(`a delivery was evicted that settled ${newest - oldest} ms after one that is kept`);
    },
  }),
};
