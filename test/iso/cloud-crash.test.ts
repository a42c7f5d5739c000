import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { cloudRounds } from '../../scripts/crash/cloud.js';

t.test('a sending process is killed and its connections break: nothing is lost, the order holds, and doubles are bounded', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'posthorn-cloud-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const outcome = await cloudRounds({ folder: join(root, 'data'), rounds: 5, seed: 7 });
  t.strictSame(outcome.problems, []);
  t.match(outcome, { kills: 5, lost: 0, outOfOrder: 0, unsettled: 0, inboundWrong: 0 });
  t.ok(outcome.acknowledged > 20, `${outcome.acknowledged} messages acknowledged`);
  t.comment(JSON.stringify(outcome));
});
