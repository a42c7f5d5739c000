import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';

// Plain JavaScript, as it runs before compilation; tests run in the root of the project.
const { endsWithRunner, measureSlowness, runSuite } = await import(pathToFileURL('scripts/suite.mjs').href);

/** Starts a child and a grandchild that never end, and prints their pids. */
const parent = `
const { spawn } = require('node:child_process');
const below = "const { spawn } = require('node:child_process'); const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']); console.log(pid); setInterval(() => {}, 1000);";
const child = spawn(process.execPath, ['-e', below], { stdio: ['ignore', 'pipe', 'inherit'] });
console.log(child.pid);
child.stdout.once('data', (data) => {
  console.log(String(data).trim());
  if (process.argv[1] === 'end') process.exit(0);
});
setInterval(() => {}, 1000);`;

const pids = (stdout: string): number[] => stdout.trim().split('\n').map(Number);

/** Whether a process has ended; a zombie counts as ended. */
async function isGone(pid: number): Promise<boolean> {
  for (let i = 0; i < patient(200); i++) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await sleep(25);
  }
  return false;
}

const limits = { cwd: process.cwd(), env: process.env, slowness: () => 1 };

t.test('a suite killed at its time limit leaves no process behind', async (t) => {
  const { signal, stdout } = await runSuite(['-e', parent], { ...limits, limitMs: patient(3_000) });
  t.equal(signal, 'SIGKILL');
  const started = pids(stdout);
  t.equal(started.length, 2, stdout);
  for (const pid of started) t.ok(await isGone(pid), `process ${pid}`);
});

t.test('a suite that ends normally leaves no process behind', async (t) => {
  const { code, stdout } = await runSuite(['-e', parent, 'end'], { ...limits, limitMs: 60_000 });
  t.equal(code, 0);
  for (const pid of pids(stdout)) t.ok(await isGone(pid), `process ${pid}`);
});

t.test('the time limit grows with the slowness of the machine, also when slowness is measured late', async (t) => {
  const sleeper = ['-e', 'setTimeout(() => console.log(process.env.POSTHORN_SLOWNESS), 500)'];
  const fits = await runSuite(sleeper, { ...limits, limitMs: 50, slowness: () => 20_000 });
  t.match(fits, { code: 0, stdout: '20000.0\n' });
  const measured = [1, 20_000];
  t.match(await runSuite(sleeper, { ...limits, limitMs: 50, slowness: () => measured.shift() }), { code: 0, stdout: '1.0\n' });
  t.match(await runSuite(sleeper, { ...limits, limitMs: 50 }), { signal: 'SIGKILL' });
});

t.test('slowness is at least 1 and at most 20', async (t) => {
  const slowness = measureSlowness();
  t.ok(slowness >= 1 && slowness <= 20, String(slowness));
});

t.test('a suite whose runner was killed ends itself and its child processes', async (t) => {
  const folder = newFolder(t);
  const suite = join(folder, 'suite.cjs');
  writeFileSync(suite, `${endsWithRunner}\n${parent}`);
  // A stand-in for the runner: it starts the suite, forwards its output, and is killed.
  const runner = `
    const { spawn } = require('node:child_process');
    const suite = spawn(process.execPath, [${JSON.stringify(suite)}], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    console.log(suite.pid);
    let printed = '';
    suite.stdout.on('data', (data) => {
      process.stdout.write(data);
      printed += data;
      if (printed.trim().split('\\n').length === 2) setTimeout(() => process.kill(process.pid, 'SIGKILL'), 100);
    });`;
  const { signal, stdout } = await runSuite(['-e', runner], { ...limits, limitMs: 60_000 });
  t.equal(signal, 'SIGKILL');
  const started = pids(stdout);
  t.equal(started.length, 3, stdout);
  for (const pid of started) t.ok(await isGone(pid), `process ${pid}`);
});

function newFolder(t: Tap): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-suite-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
