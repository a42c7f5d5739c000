import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { cloudRounds } from '../../scripts/crash/cloud.js';
import { onlyLong } from '../forms.js';

t.test(
  'sending processes are killed and the network fails: nothing is lost, doubles are bounded, and the books balance',
  { skip: onlyLong },
  async (t) => {
    const root = mkdtempSync(join(tmpdir(), 'posthorn-cloud-'));
    t.teardown(() => rmSync(root, { recursive: true, force: true }));
    // Both mostly wait, so they run at the same time.
    const [resend, fail] = await Promise.all([
      cloudRounds({ folder: join(root, 'resend'), rounds: 3, sends: 20, unknownSeconds: 1, seed: 7 }),
      cloudRounds({ folder: join(root, 'fail'), rounds: 2, sends: 20, unknownSeconds: 1, unknownOutcome: 'fail', seed: 8 }),
    ]);
    t.comment(JSON.stringify({ resend, fail }));

    t.strictSame(resend.problems, []);
    for (const [place, kills] of Object.entries(resend.kills)) t.ok(kills > 0, `killed ${place}`);
    for (const [fault, times] of Object.entries(resend.fired)) t.ok(times > 0, `${fault}: ${times}`);
    const { acknowledged, refused, failedAtOnce, failedLater, doubles, unknown, written } = resend.counts;
    t.ok(acknowledged > 20 && refused > 0 && failedAtOnce + failedLater > 0 && written > 3, 'each kind of message');
    t.ok(doubles > 0 && doubles <= unknown, `${doubles} doubles of ${unknown} sends whose outcome was unknown`);

    t.strictSame(fail.problems, []);
    t.match(fail.counts, { doubles: 0, sentAgain: 0 }, 'with unknownOutcome fail, nothing is sent twice, also after a kill');
    t.ok(fail.kills['before the answer'] > 0 && fail.counts.unknown > 0, `${fail.counts.unknown} sends of unknown outcome`);
  },
);
