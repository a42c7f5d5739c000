import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, cpSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import type { Tap } from '#core/testing';
import compact from '../../core/adapters/store/compaction.task.js';
import { backupData, checkData, JsonStore, restoreData } from '../../core/adapters/store/index.js';
import { RecordingLogger } from '../../core/testing/recording-logger.js';
import { defineLoad, differences, headsOf, WRITERS } from '../../scripts/crash/load.js';
import { stride } from '../forms.js';

const inBuild = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

function freshRoot(t: Tap): { readonly root: string; readonly folder: string; readonly backups: string } {
  const root = mkdtempSync(join(tmpdir(), 'posthorn-backup-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  return { root, folder: join(root, 'data'), backups: join(root, 'backups') };
}

/** A process that writes at full speed, and merges its journal every 40 KB into parts of 2 KB. */
/** Transactions that are acknowledged while backups are made. */
const LEAST_PROGRESS = 100;

async function startWriter(t: Tap, { root, folder }: { readonly root: string; readonly folder: string }) {
  const output = join(root, 'acknowledged');
  const file = openSync(output, 'w');
  const plan = JSON.stringify({ kill: 'after a delay' });
  const child = spawn(process.execPath, [inBuild('../../scripts/crash/writer.js'), folder, plan], { stdio: ['ignore', file, 'pipe'] });
  closeSync(file);
  t.teardown(() => child.kill('SIGKILL'));
  await once(child.stderr!, 'data');
  return {
    child,
    /** The last acknowledged transaction of each writer. */
    acknowledged(): number[] {
      const last = Array<number>(WRITERS).fill(0);
      for (const line of readFileSync(output, 'utf8').split('\n').slice(0, -1)) {
        const [writer, seq] = line.split(' ').map(Number) as [number, number];
        last[writer] = seq;
      }
      return last;
    },
    /** Stops the writer while the test looks at copies, so that it takes no CPU time meanwhile. */
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    kill: () => killed(child),
  };
}

async function killed(child: ChildProcess): Promise<void> {
  // It may have ended by itself.
  if (child.exitCode !== null) return;
  const ended = once(child, 'close');
  child.kill('SIGKILL');
  await ended;
}

/** Opens a data folder. @returns its transactions, and the differences from what it must have */
async function wrongIn(folder: string, atLeast: readonly number[]): Promise<{ readonly wrong: string[]; readonly found: number[] }> {
  const store = new JsonStore({ folder, log: new RecordingLogger(), compact });
  const tasks = defineLoad(store);
  await store.start();
  const found = await headsOf(store);
  const lost = atLeast.flatMap((seq, writer) =>
    found[writer]! < seq ? [`writer ${writer}: ${found[writer]} of ${seq} acknowledged`] : [],
  );
  const wrong = [...lost, ...(await differences(store, tasks, found))];
  await store.stop();
  return { wrong, found };
}

t.test(
  'backups of a folder that a process writes at full speed have everything acknowledged before, and no half of anything',
  async (t) => {
    const { root, folder, backups } = freshRoot(t);
    const writer = await startWriter(t, { root, folder });
    const made: { readonly backup: string; readonly before: number[] }[] = [];
    let progress = 0;
    // On a busy machine the writer gets little done during three backups.
    for (let n = 0; n < 30 / stride(10) || (progress <= LEAST_PROGRESS && n < 30); n++) {
      const before = writer.acknowledged();
      const { backup } = await backupData(folder, backups);
      const after = writer.acknowledged();
      made.push({ backup, before });
      progress += after.reduce((sum, seq, at) => sum + seq - before[at]!, 0);
      await sleep(20 * n);
    }
    t.ok(progress > LEAST_PROGRESS, `${progress} transactions were acknowledged during the backups`);
    await writer.kill();

    let last = Array<number>(WRITERS).fill(0);
    for (const [n, { backup, before }] of made.entries()) {
      const report = await checkData(backup, { hasOwnKey: true });
      t.strictSame([report.problems, report.torn_bytes, report.synced_through! > 0], [[], 0, true], 'the check finds nothing');
      const copy = join(root, 'restored');
      if (n % 2 === 0) cpSync(backup, copy, { recursive: true });
      else t.match(await restoreData(backup, copy), { folder: copy });
      const { wrong, found } = await wrongIn(
        copy,
        before.map((seq, at) => Math.max(seq, last[at]!)),
      );
      t.strictSame(wrong, [], `backup ${n}`);
      last = found;
      rmSync(copy, { recursive: true });
    }
    t.strictSame(
      readdirSync(backups),
      made.map(({ backup }) => backup.slice(backups.length + 1)),
      'only complete backups are left',
    );
  },
);

t.test('a backup of what a killed process left has everything acknowledged', async (t) => {
  const { root, folder, backups } = freshRoot(t);
  const writer = await startWriter(t, { root, folder });
  await sleep(150);
  await writer.kill();
  const before = readdirSync(folder);
  const { backup } = await backupData(folder, backups);
  t.strictSame(readdirSync(folder), before, 'a backup changes nothing in the folder');
  t.strictSame((await wrongIn(backup, writer.acknowledged())).wrong, []);
});

t.test('a backup that is killed is not among the complete ones, and the next one continues it', async (t) => {
  const { root, folder, backups } = freshRoot(t);
  const writer = await startWriter(t, { root, folder });
  await sleep(150);
  let interrupted = 0;
  for (let round = 0; round < 25 / stride(10) || (interrupted === 0 && round < 25); round++) {
    writer.pause();
    const complete = existsSync(backups) ? readdirSync(backups).filter((name) => name.endsWith('Z')) : [];
    const child = spawn(process.execPath, [inBuild('./backup-maker.js'), folder, backups], { stdio: 'inherit' });
    while (!existsSync(join(backups, 'lock')) && child.exitCode === null) await sleep(1);
    writer.resume();
    await sleep(round * 3);
    await killed(child);
    const left = readdirSync(backups).filter((name) => name.endsWith('Z') && !complete.includes(name));
    if (left.length === 0) interrupted++;
    for (const name of left)
      t.strictSame((await checkData(join(backups, name), { hasOwnKey: true })).problems, [], 'each backup is complete');
    const acknowledged = writer.acknowledged();
    const { backup } = await backupData(folder, backups);
    writer.pause();
    cpSync(backup, join(root, 'restored'), { recursive: true });
    t.strictSame((await wrongIn(join(root, 'restored'), acknowledged)).wrong, [], `round ${round}`);
    rmSync(join(root, 'restored'), { recursive: true });
  }
  await writer.kill();
  t.ok(interrupted > 0, `${interrupted} backups were interrupted`);
  for (const name of readdirSync(backups)) t.strictSame((await checkData(join(backups, name), { hasOwnKey: true })).problems, [], name);
});
