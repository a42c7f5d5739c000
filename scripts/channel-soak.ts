// Kills a platform with a channel again and again, and compares what people wrote and it sent with what is stored:
// `node scripts/run.mjs channel-soak telegram|sms|email|mailbox --rounds 100 --seed 1`
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { channelRounds } from './crash/channel.js';
import { channelNetworks } from './crash/channel-networks.js';

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' } },
  allowPositionals: true,
});
const [channel] = positionals;
if (!isKnown(channel)) throw new Error(`name the channel: ${Object.keys(channelNetworks).join(', ')}`);
const root = mkdtempSync(join(tmpdir(), `posthorn-${channel}-`));
const { problems, ...counts } = await channelRounds({
  ...{ channel, folder: join(root, 'data') },
  ...{ rounds: Number(values.rounds), seed: Number(values.seed) },
});
console.log(JSON.stringify(counts));
for (const problem of problems) console.log(problem);
console.log(
  problems.length > 0 ? `The run failed. Its folder remains for inspection: ${root}` : 'Nothing was lost, and nothing stored twice.',
);
if (problems.length === 0) rmSync(root, { recursive: true });
process.exitCode = problems.length > 0 ? 1 : 0;

function isKnown(name: string | undefined): name is keyof typeof channelNetworks {
  return name !== undefined && Object.hasOwn(channelNetworks, name);
}
