import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Tap } from '#core/testing';
import { findRunFile, type RunFile, writeRunFile } from '../../../sandbox/client/run-file.js';

const run = (more: Partial<RunFile> = {}): RunFile => ({
  pid: process.pid,
  startedAt: '2026-01-05T08:00:00.000Z',
  api: 'http://127.0.0.1:4100',
  admin: { url: 'http://127.0.0.1:4100/admin/v1', key: 'pha_key' },
  ...more,
});

/** Larger than any process id. */
const DEAD = 2 ** 31 - 1;

function newFolder(t: Tap): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-run-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

t.test('a sandbox is found from its folder and every folder below, until it stops', async (t) => {
  const folder = newFolder(t);
  const below = join(folder, 'a', 'b');
  mkdirSync(below, { recursive: true });
  t.equal(findRunFile(below), undefined);
  const remove = writeRunFile(folder, run());
  t.strictSame(findRunFile(folder), run());
  t.strictSame(findRunFile(below), run());
  remove();
  t.equal(findRunFile(below), undefined);
});

t.test('the nearest sandbox is found', async (t) => {
  const folder = newFolder(t);
  const below = join(folder, 'below');
  mkdirSync(below);
  writeRunFile(folder, run({ api: 'http://above' }));
  writeRunFile(below, run({ api: 'http://here' }));
  t.equal(findRunFile(below)?.api, 'http://here');
});

t.test('a folder with a configuration is a project of its own, and finds no sandbox of its parent folders', async (t) => {
  const folder = newFolder(t);
  const below = join(folder, 'project', 'journeys');
  mkdirSync(below, { recursive: true });
  writeFileSync(join(folder, 'project', 'posthorn.config.json'), '{}');
  writeRunFile(folder, run({ api: 'http://above' }));
  t.equal(findRunFile(below, {}), undefined);
  t.equal(findRunFile(below, { POSTHORN_URL: 'http://above' })?.admin.key, 'pha_key', 'its URL selects it');
  writeRunFile(join(folder, 'project'), run({ api: 'http://here' }));
  t.equal(findRunFile(below, {})?.api, 'http://here');
});

t.test('of two sandboxes in a folder the older is found; after it stops, the other', async (t) => {
  const folder = newFolder(t);
  // The parent process is running, too.
  const remove = writeRunFile(folder, run({ pid: process.ppid, api: 'http://older' }));
  writeRunFile(folder, run({ api: 'http://newer', startedAt: '2026-01-05T08:00:01.000Z' }));
  t.equal(findRunFile(folder)?.api, 'http://older');
  t.equal(findRunFile(folder, { POSTHORN_URL: 'http://newer' })?.api, 'http://newer', 'its URL selects it');
  remove();
  t.equal(findRunFile(folder)?.api, 'http://newer');
});

t.test('the file of a killed sandbox is ignored, and removed by the next sandbox', async (t) => {
  const folder = newFolder(t);
  writeRunFile(folder, run({ pid: DEAD }));
  t.equal(findRunFile(folder), undefined);
  writeRunFile(folder, run());
  t.strictSame(readdirSync(join(folder, '.posthorn')).sort(), ['.gitignore', `run-${process.pid}.json`]);
});

t.test('an incomplete run file is ignored', async (t) => {
  const folder = newFolder(t);
  mkdirSync(join(folder, '.posthorn'));
  writeFileSync(join(folder, '.posthorn', 'run-1.json'), '{"pid":');
  t.equal(findRunFile(folder), undefined);
});

t.test('the file contains the admin key, so only its owner can read it, and git ignores it', async (t) => {
  const folder = newFolder(t);
  writeRunFile(folder, run());
  t.equal(statSync(join(folder, '.posthorn', `run-${process.pid}.json`)).mode & 0o077, 0);
  t.equal(statSync(join(folder, '.posthorn')).mode & 0o077, 0);
  t.match(readFileSync(join(folder, '.posthorn', '.gitignore'), 'utf8'), /^\*\n/);
});

t.test('git ignores the folder of a sandbox except for its cassettes', async (t) => {
  const folder = newFolder(t);
  writeRunFile(folder, run());
  mkdirSync(join(folder, '.posthorn', 'cassettes', 'shop'), { recursive: true });
  writeFileSync(join(folder, '.posthorn', 'cassettes', 'shop', 'order.jsonl'), '{}');
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
  git('init', '-q');
  t.equal(git('ls-files', '--others', '--exclude-standard'), '.posthorn/cassettes/shop/order.jsonl\n');
});

t.test('writing to a read-only folder throws', async (t) => {
  const folder = newFolder(t);
  writeFileSync(join(folder, '.posthorn'), 'not a folder');
  chmodSync(folder, 0o700);
  t.throws(() => writeRunFile(folder, run()), { code: /EEXIST|ENOTDIR/ });
  t.ok(existsSync(join(folder, '.posthorn')));
});
