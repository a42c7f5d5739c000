// Kills a process that writes, again and again, and looks at what is left. `npm run crash -- --rounds 500 --seed 1`
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { crashRounds, type Outcome } from './crash/rounds.js';

const PROGRESS_MS = 5_000;
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '500' }, seed: { type: 'string', default: '1' } } });
const [rounds, seed] = [Number(values.rounds), Number(values.seed)];
if (!Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed)) {
  console.error('npm run crash -- --rounds N --seed N, with whole numbers');
  process.exit(2);
}

const root = mkdtempSync(join(tmpdir(), 'posthorn-crash-'));
let problemsShown = 0;
let shownAt = performance.now();
const outcome = await crashRounds({ folder: join(root, 'data'), rounds, seed, onRound: show });
const { acknowledged, lost, broken, inCompaction, beforeRemoval, cutsRefused, problems } = outcome;
console.log(
  `${rounds} rounds, seed ${seed}: ${acknowledged} transactions acknowledged; rounds with one lost: ${lost}; with one in part, or an index ` +
    `that does not fit: ${broken}; killed in a compaction: ${inCompaction}, of them between renaming a snapshot and removing the journal: ${beforeRemoval}; a copy cut off before its mark was refused: ${cutsRefused}`,
);
if (problems.length > 0) console.log(`The folder is kept: ${root}`);
else rmSync(root, { recursive: true });
process.exitCode = problems.length > 0 ? 1 : 0;

function show({ rounds: done, acknowledged, lost, broken, problems }: Outcome): void {
  for (; problemsShown < problems.length; problemsShown++) console.log(problems[problemsShown]);
  if (performance.now() - shownAt < PROGRESS_MS) return;
  shownAt = performance.now();
  console.log(`round ${done} of ${rounds}: ${acknowledged} acknowledged, ${lost} lost, ${broken} broken`);
}
