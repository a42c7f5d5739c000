import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import compact from '../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../core/adapters/store/json-store.js';
import { RecordingLogger } from '../../core/testing/recording-logger.js';
import { addEntry, countEntries, counters, left, right } from '../core/adapters/store/store-on-disk.js';

const ROUNDS = 5;

function storeIn(folder: string): JsonStore {
  const store = new JsonStore({ folder, log: new RecordingLogger(), compact });
  store.define('test.left', left);
  store.define('test.right', right);
  store.define('test.counters', counters);
  return store;
}

/** A process that writes entries, with the highest acknowledged number; `started` resolves with the first. */
function startWriter(folder: string): { child: ChildProcess; started: Promise<void>; ended: Promise<void>; acknowledged: () => number } {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./store-writer.js', import.meta.url)), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let highest = -1;
  let began = () => {};
  const started = new Promise<void>((resolve) => (began = resolve));
  createInterface({ input: child.stdout! }).on('line', (line) => {
    highest = Math.max(highest, Number(line));
    began();
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return { child, started, ended, acknowledged: () => highest };
}

t.test('a process that is killed while it writes loses no acknowledged entry, and the next process can open the folder', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'posthorn-kill-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, 'data');
  let before = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { child, started, ended, acknowledged } = startWriter(folder);
    await started;
    if (round === 0) {
      await t.rejects(storeIn(folder).start(), { name: 'FolderInUse', message: new RegExp(`in use by process ${child.pid}\\.`) });
    }
    await new Promise((resolve) => setTimeout(resolve, 100 + 97 * round));
    child.kill('SIGKILL');
    await ended;

    const store = storeIn(folder);
    await store.start();
    const found = await countEntries(store);
    t.ok(acknowledged() >= before, `${acknowledged() + 1} acknowledged`);
    t.ok(found > acknowledged(), `${found} found`);
    t.equal(await addEntry(store), found);
    before = found + 1;
    await store.stop();
  }
});
