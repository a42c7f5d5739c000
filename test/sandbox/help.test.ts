import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { calls } from '../../sandbox/commands/calls.js';
import { cluster } from '../../sandbox/commands/cluster.js';
import type { Command } from '../../sandbox/commands/command.js';
import { data } from '../../sandbox/commands/data.js';
import { deliveries } from '../../sandbox/commands/deliveries.js';
import { fault } from '../../sandbox/commands/fault.js';
import { flow } from '../../sandbox/commands/flow.js';
import { journey } from '../../sandbox/commands/journey.js';
import { openapi } from '../../sandbox/commands/openapi.js';
import { plugin } from '../../sandbox/commands/plugin.js';
import { sandbox } from '../../sandbox/commands/sandbox.js';
import { send } from '../../sandbox/commands/send.js';
import { sign } from '../../sandbox/commands/sign.js';
import { tail } from '../../sandbox/commands/tail.js';
import { verify } from '../../sandbox/commands/verify.js';
import { seedFrom } from '../../sandbox/demo/seed.js';
import { helpOf, overview } from '../../sandbox/terminal/help.js';

const commands: Record<string, Command> = {
  sandbox,
  send,
  tail,
  deliveries,
  calls,
  fault,
  sign,
  verify,
  data,
  cluster,
  journey,
  flow,
  openapi,
  plugin,
};

t.test('the overview has a line for every command', async (t) => {
  for (const [name, { summary }] of Object.entries(commands)) t.match(overview(commands), new RegExp(`  posthorn ${name} +${summary}`));
  const starts = Object.entries(commands).map(([name, { summary }]) => {
    const line = overview(commands)
      .split('\n')
      .find((line) => line.startsWith(`  posthorn ${name} `));
    return line!.indexOf(summary);
  });
  t.equal(new Set(starts).size, 1, 'all summaries start in the same column');
});

for (const [name, command] of Object.entries(commands)) {
  t.test(`the help of ${name} has a line for every flag, and fits in 100 columns`, async (t) => {
    const help = helpOf(command).split('\n');
    for (const [flag, { takes = '', help: line }] of Object.entries(command.flags)) {
      // A line wider than 100 columns continues below.
      const words = `--${flag} ${takes} ${line}`.replace(/\s+/g, ' ');
      t.ok(help.join(' ').replace(/\s+/g, ' ').includes(words), `--${flag}`);
    }
    t.strictSame(
      help.filter((line) => line.length > 100),
      [],
    );
  });
}

t.test('the seed file in the help of sandbox is valid', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-help-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const example = sandbox.notes!.slice(1, 5).join('\n');
  writeFileSync(join(folder, 'seed.json'), example);
  writeFileSync(join(folder, 'orders.json'), '{}');
  const { options, plugins, ...records } = seedFrom(join(folder, 'seed.json'));
  t.strictSame(Object.keys(records).sort(), Object.keys(JSON.parse(example)).sort());
  t.strictSame([options, plugins], [{}, {}]);
});
