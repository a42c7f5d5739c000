// Strikes a cluster of three processes and its database under load, and compares what is left with what was acknowledged:
// `npm run crash -- --cluster --seed 1` strikes 334 times; `--minutes 10` ends earlier; `--kill 5 --fail-over 5` strikes with these only.
import { parseArgs } from 'node:util';
import { type ClusterBlow, type ClusterOutcome, clusterRounds } from './cluster-rounds.js';
import { randomNumbers } from './plan.js';
import { ReplicatedServer } from './replicated-server.js';

const PROGRESS_MS = 10_000;
const MS_PER_MINUTE = 60_000;
const counts: Record<ClusterBlow, number> = {
  ...{ kill: 60, pause: 30, stop: 20, cut: 24, partition: 24, outage: 24, stall: 16 },
  ...{ 'fail-over': 40, freeze: 24, terminate: 24, replica: 12, asynchronous: 18, restore: 18 },
};
const { values } = parseArgs({
  options: {
    ...Object.fromEntries(Object.keys(counts).map((name) => [name, { type: 'string' as const }])),
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    /** Between the messages of a conversation. */
    'pause-ms': { type: 'string', default: '0' },
    log: { type: 'boolean', default: false },
    /** Also prints the outcome as JSON. */
    json: { type: 'boolean', default: false },
    cluster: { type: 'boolean' },
  },
});
const { seed, minutes, 'pause-ms': pauseMs, log, json, cluster: _, ...chosen } = values as Record<string, string | boolean>;
const wanted: Partial<Record<string, string | boolean | number>> = Object.keys(chosen).length > 0 ? chosen : counts;
const random = randomNumbers(Number(seed));
const blows = Object.entries(wanted)
  .flatMap(([blow, count]) => Array.from({ length: Number(count) }, () => ({ blow: blow as ClusterBlow, at: random() })))
  .sort((a, b) => a.at - b.at)
  .map(({ blow }) => blow);

const server = await ReplicatedServer.start();
if (typeof server === 'string') {
  console.error(server);
  process.exit(2);
}
const beganAt = performance.now();
let shownAt = beganAt;
try {
  const outcome = await clusterRounds({
    ...{ server, schema: 'posthorn', blows, seed: Number(seed), processes: 3, pauseMs: Number(pauseMs) },
    ...(log && { log: 'inherit' as const }),
    onRound: progress,
  });
  const { acknowledged, lost, reported, undelivered, outOfOrder, pauses, problems } = outcome;
  console.log(
    `${pauses.length} of ${blows.length} rounds, seed ${seed}: ${acknowledged} messages acknowledged; lost or doubled: ${lost}; ` +
      `lost by the database and reported: ${reported}; not delivered: ${undelivered}; out of order: ${outOfOrder}`,
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
  if (json) console.log(JSON.stringify({ seed, ...outcome }));
  process.exitCode = problems.length > 0 ? 1 : 0;
} finally {
  await server.stop();
}

function progress(done: number, { acknowledged, pauses, problems }: ClusterOutcome): boolean {
  const isInTime = minutes === undefined || performance.now() - beganAt < Number(minutes) * MS_PER_MINUTE;
  if (performance.now() - shownAt < PROGRESS_MS) return isInTime;
  shownAt = performance.now();
  const { blow, ms } = pauses.at(-1)!;
  console.log(
    `round ${done} of ${blows.length}: ${acknowledged} acknowledged; the newest, ${blow}, took ${ms} ms; problems: ${problems.length}`,
  );
  return isInTime;
}
