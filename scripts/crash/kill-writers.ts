// Kills a writing process in each round, and compares the data folder with the acknowledged writes; then does the same to a process
// that delivers, and compares what the endpoint received: `npm run crash -- --rounds 500 --deliveries 50 --seed 1`
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { deliveryRounds } from './delivering.js';
import { crashRounds, type Outcome } from './rounds.js';

const PROGRESS_MS = 5_000;
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '500' },
    deliveries: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
  },
});
const [rounds, deliveries, seed] = [Number(values.rounds), Number(values.deliveries), Number(values.seed)];
if (![rounds, deliveries, seed].every((one) => Number.isInteger(one) && one >= 0)) {
  console.error('usage: npm run crash -- --rounds N --deliveries N --seed N (integers)');
  process.exit(2);
}

const root = mkdtempSync(join(tmpdir(), 'posthorn-crash-'));
let problemsShown = 0;
let shownAt = performance.now();
const outcome = await crashRounds({ folder: join(root, 'data'), rounds, seed, onRound: show });
const { acknowledged, lost, broken, inCompaction, beforeRemoval, cutsRefused, problems } = outcome;
console.log(
  `${rounds} rounds, seed ${seed}: ${acknowledged} transactions acknowledged; rounds with lost transactions: ${lost}; with partial ` +
    `transactions or wrong indexes: ${broken}; killed during a compaction: ${inCompaction}, after renaming a snapshot and before removing the journal: ${beforeRemoval}; truncated journals refused: ${cutsRefused}`,
);
const sent = await deliveryRounds({ folder: join(root, 'deliveries'), rounds: deliveries, seed });
console.log(
  `${deliveries} rounds of deliveries: ${sent.acknowledged} acknowledged, ${sent.received} requests; lost: ${sent.lost}; out of order: ` +
    `${sent.outOfOrder}; not delivered: ${sent.unsettled}; repeated: ${sent.repeated}, without a record of the interruption: ${sent.unrecorded}`,
);
for (const problem of sent.problems) console.log(problem);
// Requests are sent before their start is on disk, so a few repetitions have no record.
const deliveryProblems = sent.lost + sent.outOfOrder + sent.unsettled;
if (deliveryProblems > 0) problems.push(`${deliveryProblems} problems with deliveries`);
if (problems.length > 0) console.log(`The folder remains for inspection: ${root}`);
else rmSync(root, { recursive: true });
process.exitCode = problems.length > 0 ? 1 : 0;

function show({ rounds: done, acknowledged, lost, broken, problems }: Outcome): void {
  for (; problemsShown < problems.length; problemsShown++) console.log(problems[problemsShown]);
  if (performance.now() - shownAt < PROGRESS_MS) return;
  shownAt = performance.now();
  console.log(`round ${done} of ${rounds}: ${acknowledged} acknowledged, ${lost} lost, ${broken} broken`);
}
