import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { crashRounds } from '../../scripts/crash/rounds.js';
import { onlyLong } from '../forms.js';

t.test(
  'after each of twenty kills the store has all acknowledged transactions, no partial ones, and indexes that match its documents',
  { skip: onlyLong },
  async (t) => {
    const root = mkdtempSync(join(tmpdir(), 'posthorn-crash-'));
    t.teardown(() => rmSync(root, { recursive: true, force: true }));
    const outcome = await crashRounds({ folder: join(root, 'data'), rounds: 20, seed: 20 });
    t.strictSame(outcome.problems, []);
    t.match(outcome, { rounds: 20, lost: 0, broken: 0 });
    t.ok(outcome.acknowledged > 20, `${outcome.acknowledged} transactions acknowledged`);
    t.ok(outcome.cutsRefused >= 5, `${outcome.cutsRefused} copies with a journal truncated before its mark were refused`);
    t.ok(outcome.inCompaction >= 5, `${outcome.inCompaction} rounds ended during a compaction`);
    t.ok(outcome.beforeRemoval >= 2, `${outcome.beforeRemoval} rounds ended between renaming a snapshot and removing the journal`);
  },
);
