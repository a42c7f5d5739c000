import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { nodeFileSystem } from '../../../core/adapters/file-system.js';
import { lockFolder } from '../../../core/adapters/store/files/folder-lock.js';
import { patient } from '../../../core/testing/slowness.js';
import type { Tap } from '../../../core/testing/tap.js';

const BEAT_MS = 40;

function temporaryFolder(t: Pick<Tap, 'teardown'>): { folder: string; path: string; write: (holder: object | string) => void } {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-lock-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'lock');
  const write = (holder: object | string) => writeFileSync(path, typeof holder === 'string' ? holder : JSON.stringify(holder));
  return { folder, path, write };
}

const lock = (folder: string, onLost = () => {}) => lockFolder(nodeFileSystem, folder, { onLost, beatMs: BEAT_MS });

/** What this process writes about itself. */
async function ourselves(t: Pick<Tap, 'teardown'>): Promise<Record<string, unknown>> {
  const { folder, path } = temporaryFolder(t);
  const unlock = await lock(folder);
  const holder = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  await unlock();
  return holder;
}

t.test('a lock keeps others out until it is given back', async (t) => {
  const { folder, path } = temporaryFolder(t);
  const unlock = await lock(folder);
  await t.rejects(lock(folder), {
    name: 'FolderInUse',
    message: new RegExp(`${folder} is in use by this process \\(${process.pid}\\)\\. Stop it first`),
  });
  t.ok(existsSync(path));
  await unlock();
  t.notOk(existsSync(path));
  await (await lock(folder))();
});

t.test('of two that find an abandoned lock at the same time one gets it', async (t) => {
  const { folder, write } = temporaryFolder(t);
  write({ pid: 2 ** 22 + 1, host: hostname() });
  const outcomes = await Promise.allSettled([lock(folder), lock(folder), lock(folder)]);
  t.strictSame(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected']);
  for (const outcome of outcomes) if (outcome.status === 'fulfilled') await outcome.value();
});

t.test('the lock of a process that is gone is taken over at once', async (t) => {
  const { folder, write } = temporaryFolder(t);
  const us = await ourselves(t);
  const gone: Record<string, object | string> = {
    'there is no such process': { ...us, pid: 2 ** 22 + 1 },
    'it was written before the machine was started': { ...us, boot: 'an earlier one' },
    'a later process has its id': { ...us, started: 'earlier' },
    'it died while it wrote the lock': '',
    'it died in the middle of it': '{"pid":1,"ho',
  };
  for (const [what, holder] of Object.entries(gone)) {
    // Elsewhere nobody can tell when a process was started.
    if (process.platform !== 'linux' && typeof holder === 'object') continue;
    write(holder);
    const began = performance.now();
    const unlock = await lock(folder);
    t.ok(performance.now() - began < patient(1_000), what);
    await unlock();
  }
});

t.test('a holder that cannot be looked at is believed as long as it is heard of', async (t) => {
  const us = await ourselves(t);
  const elsewhere: [object, RegExp][] = [
    [{ ...us, pid: 1, host: 'another-machine' }, /in use by process 1 on another-machine\./],
    [{ ...us, pid: 1, space: 'another container' }, /in use by process 1\./],
  ];
  for (const [holder, message] of elsewhere) {
    const { folder, path, write } = temporaryFolder(t);
    write(holder);
    const beats = setInterval(() => utimesSync(path, new Date(), new Date()), BEAT_MS);
    await t.rejects(lock(folder), { name: 'FolderInUse', message });
    t.strictSame(JSON.parse(readFileSync(path, 'utf8')), holder, 'its lock is as it was');
    clearInterval(beats);
    await (await lock(folder))();
    t.pass('silent for too long');
  }
});

t.test('who was taken for gone learns that it has lost the folder, and does not unlock it', async (t) => {
  const { folder, path, write } = temporaryFolder(t);
  let isLost = false;
  const unlock = await lock(folder, () => {
    isLost = true;
  });
  write({ pid: 1, host: 'another-machine' });
  while (!isLost) await sleep(BEAT_MS);
  await unlock();
  t.match(readFileSync(path, 'utf8'), /another-machine/);
});
