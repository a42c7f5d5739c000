import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import t from 'tap';
import { patient } from '../../../../core/testing/slowness.js';
import { Servers } from '../../../../plugins/cluster/postgres/servers.js';
import { logContract, replicatedLogContract } from './log-contract.js';
import { ReplicatedDatabase } from './replicated-log.js';
import { freshSchema, logOn, withReplica } from './with-database.js';

t.test('the log in memory keeps the contract of logs', async (t) => {
  let owners = 0;
  const placeOf = (database: ReplicatedDatabase) => ({
    open: (afterLoss?: 'continue' | 'stop') => database.open(`owner-${++owners}`, afterLoss),
    loseOwner: async () => database.endLeases(),
    // The replica has everything that was acknowledged.
    async crash() {
      database.failOver();
      database.endLeases();
    },
  });
  await logContract(t, () => placeOf(new ReplicatedDatabase()));
  await replicatedLogContract(t, (_, { isSynchronous }) => {
    const database = new ReplicatedDatabase({ isSynchronous });
    return {
      ...placeOf(database),
      holdReplica: async () => database.holdReplica(),
      releaseReplica: async () => database.releaseReplica(),
      async waiting() {
        while (!database.isWaiting) await sleep(1);
      },
      endSessions: async () => database.endSessions(),
      failOver: async () => database.failOver(),
    };
  });
});

t.test(
  'a log in PostgreSQL with a replica keeps the contract',
  withReplica(async (t, server) => {
    await replicatedLogContract(
      t,
      async (_, { isSynchronous }) => {
        await server.reset(isSynchronous);
        const schema = freshSchema();
        const servers = (afterLoss?: 'continue' | 'stop') => new Servers({ url: server.url, afterLoss });
        return {
          open: (afterLoss) => logOn({ url: server.url, schema }, { servers: servers(afterLoss), queryTimeoutMs: patient(30_000) }),
          async loseOwner() {
            const client = new pg.Client({ connectionString: server.primary.url });
            await client.connect();
            await client.query(`update ${schema}.leases set until = '-infinity'`);
            await client.end();
          },
          crash: async () => undefined,
          holdReplica: () => server.holdReplica(),
          releaseReplica: () => server.releaseReplica(),
          waiting: () => server.waiting(),
          endSessions: async () => void (await server.endSessions()),
          failOver: () => server.failOver(),
        };
      },
      patient(500),
    );
  }),
);
