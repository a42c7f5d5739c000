// Sends over a stand-in of the Cloud API for some minutes, with kills and broken connections, and balances the books:
// `node scripts/run.mjs cloud-soak --minutes 10 --seed 1 --unknown-outcome resend`
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { printTable } from './bench/measuring/table.js';
import { cloudRounds } from './crash/cloud.js';
import { equations } from './crash/cloud-balance.js';
import { places } from './crash/cloud-network.js';

/** Greatest number of sends of a process. */
const SENDS = 200;
const UNKNOWN_OUTCOME_SECONDS = 4;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    'unknown-outcome': { type: 'string', default: 'resend' },
  },
});
const [minutes, seed, unknownOutcome] = [Number(values.minutes), Number(values.seed), values['unknown-outcome']];
if (!(minutes > 0) || !Number.isInteger(seed) || (unknownOutcome !== 'resend' && unknownOutcome !== 'fail')) {
  console.error('usage: node scripts/run.mjs cloud-soak --minutes N --seed N --unknown-outcome resend|fail');
  process.exit(2);
}
const root = mkdtempSync(join(tmpdir(), 'posthorn-cloud-'));
const { rounds, aimed, kills, hit, fired, counts, problems } = await cloudRounds({
  ...{
    folder: join(root, 'data'),
    durationMs: minutes * 60_000,
    sends: SENDS,
    unknownSeconds: UNKNOWN_OUTCOME_SECONDS,
    unknownOutcome,
    seed,
  },
  onRound: ({ rounds, offered, accepted }) => rounds % 10 === 0 && console.log(`round ${rounds}: ${offered} offered, ${accepted} accepted`),
});
console.log();
printTable(
  [`${rounds} rounds, ${minutes} min`, 'count'],
  [
    ...places.flatMap((place) => [
      [`kills aimed ${place}`, `${aimed[place]}`],
      [`kills that hit messages ${place}`, `${kills[place]}`],
      [`messages hit ${place}`, `${hit[place]}`],
    ]),
    ...Object.entries(fired).map(([name, times]) => [`sends with fault: ${name}`, `${times}`]),
    ...Object.entries(counts).map(([name, count]) => [name, `${count}`]),
  ],
);
for (const { text, isTrue } of equations(counts)) console.log(`${isTrue ? 'holds' : 'WRONG'}  ${text}`);
for (const [name, times] of [...Object.entries(fired), ...Object.entries(kills)])
  if (times === 0) problems.push(`'${name}' did not happen`);
for (const problem of problems) console.log(problem);
console.log(problems.length > 0 ? `The run failed. Its folder remains for inspection: ${root}` : 'The books balance.');
if (problems.length === 0) rmSync(root, { recursive: true });
process.exitCode = problems.length > 0 ? 1 : 0;
