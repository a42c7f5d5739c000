import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { channelRounds } from '../../scripts/crash/channel.js';
import { onlyLong } from '../forms.js';

for (const channel of ['telegram', 'sms', 'email', 'mailbox'] as const)
  t.test(
    `a platform with ${channel} is killed: no message is lost, none is stored twice, the order is kept`,
    { skip: onlyLong },
    async (t) => {
      const root = mkdtempSync(join(tmpdir(), `posthorn-${channel}-`));
      t.teardown(() => rmSync(root, { recursive: true, force: true }));
      const { problems, ...counts } = await channelRounds({ channel, folder: join(root, 'data'), rounds: 6, seed: 5 });
      t.comment(JSON.stringify(counts));
      t.strictSame(problems, []);
      t.ok(counts.written > 20 && counts.acknowledged > 20, 'messages both ways');
    },
  );
