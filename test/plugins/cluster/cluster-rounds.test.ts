import t from 'tap';
import { patient } from '../../../core/testing/slowness.js';
import { type ClusterBlow, clusterRounds } from '../../../scripts/crash/cluster-rounds.js';
import { onlyLong } from '../../forms.js';
import { withDatabase, withReplica } from './postgres/with-database.js';

/** Milliseconds on an idle machine until every conversation continues: a lease of 3 seconds, and as much again for the take-over. */
const LIMITS: Record<ClusterBlow, number> = {
  ...{ kill: 8_000, pause: 8_000, stop: 3_000, cut: 8_000, partition: 8_000, outage: 10_000, stall: 15_000 },
  ...{ 'fail-over': 10_000, freeze: 10_000, terminate: 10_000, replica: 10_000, asynchronous: 15_000, restore: 15_000 },
};
/** Longer on a loaded machine, which would lose its leases otherwise. */
const LEASE_MS = Math.min(10_000, patient(3_000));
/** Fewer messages: most of the CPU is theirs, and each blow hits some of them all the same. */
const PAUSE_MS = 150;

t.test(
  'three processes that are killed, paused, stopped and cut off under load lose nothing that was acknowledged',
  { skip: onlyLong },
  withDatabase(async (t, { schema, server }) => {
    const outcome = await clusterRounds({
      ...{ server, schema, seed: 1, processes: 3, pauseMs: PAUSE_MS, shards: 3, leaseMs: LEASE_MS },
      blows: ['kill', 'cut', 'stop', 'pause', 'outage'],
    });
    t.comment(JSON.stringify({ ...outcome, problems: outcome.problems.length }));
    t.ok(outcome.acknowledged > 100, `${outcome.acknowledged} messages were acknowledged`);
    t.strictSame(outcome.problems, []);
    for (const { blow, ms } of outcome.pauses)
      t.ok(ms < patient(LIMITS[blow]), `after a ${blow} every conversation continued within ${ms} ms`);
  }),
);

t.test(
  'a database that fails over, freezes, loses transactions or is restored loses nothing silently',
  { skip: onlyLong },
  withReplica(async (t, server) => {
    const outcome = await clusterRounds({
      ...{ server, schema: 'posthorn', seed: 2, processes: 3, pauseMs: PAUSE_MS, shards: 3, leaseMs: LEASE_MS },
      blows: ['terminate', 'asynchronous', 'partition', 'freeze', 'replica', 'restore', 'fail-over'],
    });
    t.comment(JSON.stringify({ ...outcome, problems: outcome.problems.length }));
    t.ok(outcome.acknowledged > 100, `${outcome.acknowledged} messages were acknowledged`);
    t.ok(outcome.reported > 0, `${outcome.reported} of them were lost by the database, and reported`);
    t.strictSame(outcome.problems, []);
    for (const { blow, ms } of outcome.pauses)
      t.ok(ms < patient(LIMITS[blow]), `after a ${blow} every conversation continued within ${ms} ms`);
  }),
);
