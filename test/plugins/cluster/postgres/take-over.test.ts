import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { patient } from '../../../../core/testing/slowness.js';
import { takeOverRounds } from '../../../../scripts/crash/take-overs.js';
import { onlyLong } from '../../../forms.js';
import { withDatabase } from './with-database.js';

const OUTAGE_MS = 300;
/** Milliseconds on an idle machine. */
const LIMITS = { kill: 5_000, pause: 5_000, stop: 1_000, outage: 10_000 };

t.test(
  'processes and a database that are killed, paused and stopped under load lose nothing that was acknowledged',
  { skip: onlyLong },
  withDatabase(async (t, database) => {
    const { url: databaseUrl, schema, server } = database;
    const outage = async () => {
      process.kill(server.pid(), 'SIGKILL');
      await sleep(OUTAGE_MS);
      await server.start();
    };
    const outcome = await takeOverRounds({
      databaseUrl,
      schema,
      blows: ['kill', 'outage', 'stop', 'pause'],
      seed: 1,
      pauseMs: 150,
      outage,
    });
    t.comment(JSON.stringify({ ...outcome, problems: outcome.problems.length }));
    t.ok(outcome.acknowledged > 100, `${outcome.acknowledged} messages were acknowledged`);
    t.strictSame(outcome.problems, []);
    t.equal(outcome.lost, 0);
    t.equal(outcome.undelivered, 0);
    t.equal(outcome.outOfOrder, 0);
    for (const { blow, ms } of outcome.takeOverMs)
      t.ok(ms < patient(LIMITS[blow]), `after a ${blow} another process was ready in ${ms} ms`);
  }),
);
