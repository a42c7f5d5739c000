// Sends over a stand-in of the Cloud API for some minutes, with a kill every second and broken connections, and balances the books:
// `npm run cloud-soak -- --minutes 10 --seed 1`
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cloudRounds } from './crash/cloud.js';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string', default: '1' } } });
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (!(minutes > 0) || !Number.isInteger(seed)) {
  console.error('usage: npm run cloud-soak -- --minutes N --seed N');
  process.exit(2);
}
const root = mkdtempSync(join(tmpdir(), 'posthorn-cloud-'));
const { problems, ...counts } = await cloudRounds({
  ...{ folder: join(root, 'data'), durationMs: minutes * 60_000, seed },
  onRound: ({ rounds }) => rounds % 20 === 0 && console.log(`round ${rounds}`),
});
for (const [name, count] of Object.entries(counts)) console.log(`${name.padEnd(13)} ${count}`);
for (const problem of problems) console.log(problem);
if (problems.length > 0) console.log(`The folder remains for inspection: ${root}`);
else rmSync(root, { recursive: true });
process.exitCode = problems.length > 0 ? 1 : 0;
