import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { webchatRounds } from '../../scripts/crash/webchat.js';
import { onlyLong } from '../forms.js';

t.test('a platform with a web chat is killed: what it acknowledged to visitors is what it has stored', { skip: onlyLong }, async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'posthorn-webchat-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const { problems, ...counts } = await webchatRounds({ folder: join(root, 'data'), rounds: 6, seed: 5 });
  t.comment(JSON.stringify(counts));
  t.strictSame(problems, []);
  t.ok(counts.acknowledged > 10 && counts.sent > 20, 'messages both ways');
});
