import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { cloudRounds } from '../../scripts/crash/cloud.js';

t.test('sending processes are killed and the network fails: nothing is lost, doubles are bounded, and the books balance', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'posthorn-cloud-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const outcome = await cloudRounds({ folder: join(root, 'data'), rounds: 3, sends: 40, unknownSeconds: 1, seed: 7 });
  t.comment(JSON.stringify(outcome));
  t.strictSame(outcome.problems, []);
  for (const [place, kills] of Object.entries(outcome.kills)) t.ok(kills > 0, `killed ${place}`);
  for (const [fault, times] of Object.entries(outcome.fired)) t.ok(times > 0, `${fault}: ${times}`);
  const { acknowledged, refused, failedAtOnce, failedLater, doubles, unknown, written } = outcome.counts;
  t.ok(acknowledged > 30 && refused > 0 && failedAtOnce > 0 && failedLater > 0 && written > 3, 'each kind of message');
  t.ok(doubles > 0 && doubles <= unknown, `${doubles} doubles of ${unknown} sends whose outcome was unknown`);
});

t.test('with unknownOutcome fail, nothing is sent twice, also after a kill', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'posthorn-cloud-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const about = { rounds: 3, sends: 20, unknownSeconds: 1, unknownOutcome: 'fail', seed: 8 } as const;
  const { problems, kills, counts } = await cloudRounds({ folder: join(root, 'data'), ...about });
  t.comment(JSON.stringify(counts));
  t.strictSame(problems, []);
  t.match(counts, { doubles: 0, sentAgain: 0 });
  t.ok(kills['before the answer'] > 0 && counts.unknown > 0, `${counts.unknown} sends of unknown outcome`);
});
