import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { RecordingLogger } from '../../core/testing/recording-logger.js';
import type { Tap } from '../../core/testing/tap.js';
import { PostgresLog } from '../../plugins/cluster/postgres/postgres-log.js';
import { Database } from '../../scripts/simulate/database/server.js';
import { SimulatedServers } from '../../scripts/simulate/database/servers.js';
import { Network } from '../../scripts/simulate/network.js';
import { World } from '../../scripts/simulate/world.js';
import { logContract, replicatedLogContract } from '../plugins/cluster/postgres/log-contract.js';

/** Every client has noticed then that its connection has ended. */
const NOTICED_AFTER_MS = 20;

/** A database in a world whose time passes as real time does: the logs on it wait for both. */
function databaseIn(t: Tap, isSynchronous: boolean) {
  const world = new World('database');
  const network = new Network(world);
  const database = new Database(world, network, { isSynchronous, noticed: 1 });
  const beganAt = performance.now();
  let isOver = false;
  t.teardown(() => {
    isOver = true;
  });
  const passed = (async () => {
    for (; !isOver; await sleep(1)) await world.runUntil(performance.now() - beganAt);
  })();
  passed.catch((error) => t.fail(String(error)));
  const failOver = async (): Promise<void> => {
    database.failOver(0);
    database.start();
    const at = world.now;
    while (world.now < at + NOTICED_AFTER_MS) await sleep(1);
  };
  const loseOwner = async (): Promise<void> => {
    for (const [shard, lease] of database.tables.leases)
      database.tables.set(database.tables.leases, shard, { ...lease, until: Number.NEGATIVE_INFINITY });
  };
  return {
    open(afterLoss: 'continue' | 'stop' = 'continue') {
      const servers = new SimulatedServers(database, 'one', world.outside, afterLoss);
      return new PostgresLog({ servers, log: new RecordingLogger(), queryTimeoutMs: 20_000 });
    },
    loseOwner,
    crash: async () => {
      await failOver();
      await loseOwner();
    },
    holdReplica: async () => database.holdReplica(),
    releaseReplica: async () => database.releaseReplica(),
    async waiting() {
      while (!database.isWaiting) await sleep(1);
    },
    endSessions: async () => database.endWaitingSessions(),
    failOver,
  };
}

t.test('the log on the simulated database keeps the contract of logs', async (t) => {
  for (const isSynchronous of [true, false]) await logContract(t, (t) => databaseIn(t, isSynchronous));
});

t.test('its fail-overs do what those of PostgreSQL do', (t) =>
  replicatedLogContract(t, (t, { isSynchronous }) => databaseIn(t, isSynchronous)),
);
