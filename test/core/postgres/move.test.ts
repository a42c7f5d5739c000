import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { type DataMove, type MoveProgress, moveData } from '../../../core/platform/data-move.js';
import { RecordingLogger } from '../../../core/testing/recording-logger.js';
import type { Tap } from '../../../core/testing/tap.js';
import { writeLargeFolder } from '../../../scripts/move/large-folder.js';
import { everyPlugin } from '../../../sandbox/server/every-plugin.js';
import { type TestDatabase, withDatabase } from './with-database.js';

function rootOf(t: Tap): string {
  const root = mkdtempSync(join(tmpdir(), 'posthorn-move-'));
  t.teardown(() => rmSync(root, { recursive: true }));
  return root;
}

const MESSAGES = Number(process.env.POSTHORN_MOVED_MESSAGES ?? 100_000);

t.test(
  'a rehearsal',
  withDatabase(async (t, { url, schema }) => {
    const root = rootOf(t);
    const folder = join(root, 'data');
    let at = performance.now();
    const lap = (name: string) => {
      t.comment(`${name}: ${Math.round(performance.now() - at)} ms, ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB`);
      at = performance.now();
    };
    await writeLargeFolder(folder, { messages: MESSAGES });
    lap('written');
    const move = (more: Partial<DataMove>) =>
      moveData({ direction: 'to_database', folder, url, schema, plugins: everyPlugin(), log: new RecordingLogger(), ...more });
    const there = await move({ shards: 1 });
    lap('to database');
    const apart = await move({ direction: 'shards', shards: 3 });
    lap('3 shards');
    t.comment(JSON.stringify(apart, null, 1));
    const copy = join(root, 'copy');
    const back = await move({ direction: 'to_folder', folder: copy });
    lap('back');
    t.strictSame(back.collections, there.collections);
    t.strictSame(back.collections, apart.collections);
  }),
);
void cpSync;
export type { MoveProgress, TestDatabase };
