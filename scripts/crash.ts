// Kills a writing process in each round, and compares the data folder with the acknowledged writes: `npm run crash -- --rounds 500 --seed 1`
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { crashRounds, type Outcome } from './crash/rounds.js';

const PROGRESS_MS = 5_000;
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '500' }, seed: { type: 'string', default: '1' } } });
const [rounds, seed] = [Number(values.rounds), Number(values.seed)];
if (!Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed)) {
  console.error('usage: npm run crash -- --rounds N --seed N (integers)');
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
if (problems.length > 0) console.log(`The folder remains for inspection: ${root}`);
else rmSync(root, { recursive: true });
process.exitCode = problems.length > 0 ? 1 : 0;

function show({ rounds: done, acknowledged, lost, broken, problems }: Outcome): void {
  for (; problemsShown < problems.length; problemsShown++) console.log(problems[problemsShown]);
  if (performance.now() - shownAt < PROGRESS_MS) return;
  shownAt = performance.now();
  console.log(`round ${done} of ${rounds}: ${acknowledged} acknowledged, ${lost} lost, ${broken} broken`);
}
