// Strikes a cluster of three processes and its database under load, and compares what is left with what was acknowledged:
// `npm run crash -- --cluster --kill 100 --pause 20 --outage 10 --stall 10 --cut 10 --stop 10 --seed 1`
import { parseArgs } from 'node:util';
import { type ClusterBlow, type ClusterOutcome, clusterRounds } from './cluster-rounds.js';
import { faultyLink } from './faulty-link.js';
import { randomNumbers } from './plan.js';
import { sharedServer, stopSharedServer } from './test-database.js';

const PROGRESS_MS = 10_000;
const counts = { kill: '100', pause: '20', outage: '10', stall: '10', cut: '10', stop: '10', seed: '1' };
const { values } = parseArgs({
  options: {
    ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, { type: 'string' as const, default: count }])),
    log: { type: 'boolean', default: false },
    cluster: { type: 'boolean' },
  },
});
const { seed, log, cluster: _, ...chosen } = values as Record<string, string | boolean>;
const random = randomNumbers(Number(seed));
const blows = Object.entries(chosen)
  .flatMap(([blow, count]) => Array.from({ length: Number(count) }, () => ({ blow: blow as ClusterBlow, at: random() })))
  .sort((a, b) => a.at - b.at)
  .map(({ blow }) => blow);

const server = await sharedServer();
if (typeof server === 'string') {
  console.error(server);
  process.exit(2);
}
const ends: (() => void)[] = [];
let shownAt = performance.now();
try {
  const outcome = await clusterRounds({
    ...{ databaseUrl: server.url, schema: 'posthorn', blows, seed: Number(seed), processes: 3 },
    ...(log && { log: 'inherit' as const }),
    databasePid: server.pid,
    startDatabase: server.start,
    linkFor: () => faultyLink({ teardown: (end) => void ends.push(end) }, server.url),
    onRound: progress,
  });
  const { acknowledged, lost, undelivered, outOfOrder, pauses, problems } = outcome;
  console.log(
    `${blows.length} rounds, seed ${seed}: ${acknowledged} messages acknowledged; lost or doubled: ${lost}; not delivered: ${undelivered}; out of order: ${outOfOrder}`,
  );
  for (const blow of new Set(pauses.map((pause) => pause.blow))) {
    const times = pauses
      .filter((pause) => pause.blow === blow)
      .map(({ ms }) => ms)
      .sort((a, b) => a - b);
    console.log(
      `${blow} (${times.length}): all conversations continued after ${times[Math.floor(times.length / 2)]} ms (median), ${times.at(-1)} ms (longest)`,
    );
  }
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
} finally {
  for (const end of ends) end();
  await stopSharedServer();
}

function progress(done: number, { acknowledged, pauses }: ClusterOutcome): void {
  if (performance.now() - shownAt < PROGRESS_MS) return;
  shownAt = performance.now();
  console.log(
    `round ${done} of ${blows.length}: ${acknowledged} acknowledged; the newest, ${pauses.at(-1)?.blow}, took ${pauses.at(-1)?.ms} ms`,
  );
}
