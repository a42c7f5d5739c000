import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { nodeFileSystem } from '../../../../../core/adapters/file-system.js';
import { lockFolder } from '../../../../../core/adapters/store/files/folder-lock.js';
import { patient } from '../../../../../core/testing/slowness.js';
import type { Tap } from '../../../../../core/testing/tap.js';

const BEAT_MS = 40;

function temporaryFolder(t: Pick<Tap, 'teardown'>): { folder: string; path: string; write: (holder: object | string) => void } {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-lock-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'lock');
  const write = (holder: object | string) => writeFileSync(path, typeof holder === 'string' ? holder : JSON.stringify(holder));
  return { folder, path, write };
}

const lock = (folder: string, onLost = () => {}) => lockFolder(nodeFileSystem, folder, { onLost, beatMs: BEAT_MS });

/** The lock content that this process writes. */
async function ourselves(t: Pick<Tap, 'teardown'>): Promise<Record<string, unknown>> {
  const { folder, path } = temporaryFolder(t);
  const unlock = await lock(folder);
  const holder = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  await unlock();
  return holder;
}

t.test('a lock keeps others out until it is released', async (t) => {
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

t.test('on a full disk nothing is left behind that keeps later starts out', async (t) => {
  const { folder, write } = temporaryFolder(t);
  write({ pid: 2 ** 22 + 1, host: hostname() });
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  const open: typeof nodeFileSystem.open = async (path, how) => {
    const file = await nodeFileSystem.open(path, how);
    return how === 'create' ? { ...file, write: () => Promise.reject(full), close: () => file.close() } : file;
  };
  await t.rejects(lockFolder({ ...nodeFileSystem, open }, folder, { onLost: () => {}, beatMs: BEAT_MS }), full);
  await (await lock(folder))();
});

t.test('of two processes that find an abandoned lock at the same time, one gets it', async (t) => {
  const { folder, write } = temporaryFolder(t);
  write({ pid: 2 ** 22 + 1, host: hostname() });
  const outcomes = await Promise.allSettled([lock(folder), lock(folder), lock(folder)]);
  t.strictSame(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected']);
  for (const outcome of outcomes) if (outcome.status === 'fulfilled') await outcome.value();
});

t.test('the lock of a process that has ended is taken over immediately', async (t) => {
  const { folder, write } = temporaryFolder(t);
  const us = await ourselves(t);
  const gone: Record<string, object | string> = {
    'there is no such process': { ...us, pid: 2 ** 22 + 1 },
    'it was written before the machine was started': { ...us, boot: 'an earlier one' },
    'a later process has its id': { ...us, started: 'earlier' },
    'died before writing the lock': '',
    'died while writing the lock': '{"pid":1,"ho',
  };
  for (const [what, holder] of Object.entries(gone)) {
    // Outside Linux the start time of a process is unknown.
    if (process.platform !== 'linux' && typeof holder === 'object') continue;
    write(holder);
    const began = performance.now();
    const unlock = await lock(folder);
    t.ok(performance.now() - began < patient(1_000), what);
    await unlock();
  }
});

t.test('an owner that cannot be checked counts as running while it touches its lock', async (t) => {
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
    t.strictSame(JSON.parse(readFileSync(path, 'utf8')), holder, 'its lock is unchanged');
    clearInterval(beats);
    await (await lock(folder))();
    t.pass('it did not touch the lock for too long');
  }
});

t.test('an owner whose lock was taken over is notified, and does not unlock the folder', async (t) => {
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
