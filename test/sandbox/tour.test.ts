import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Tap } from '#core/testing';
import { findRunFile, requireRun, writeRunFile } from '../../sandbox/client/run-file.js';
import { statusOf } from '../../sandbox/client/status.js';
import { tour } from '../../sandbox/commands/tour.js';
import { commands } from '../../sandbox/commands.js';
import { startSandbox } from '../../sandbox/compose.js';
import { runTour, TOUR_FOLDER } from '../../sandbox/tour/tour.js';
import { newFolder } from '../iso/posthorn-process.js';

const main = join(import.meta.dirname, '..', '..', 'sandbox', 'main.js');
const python = spawnSync('python3', ['--version']).status === 0;

function startTerminal(t: Tap) {
  const [out, err]: [string[], string[]] = [[], []];
  return {
    cwd: newFolder(t),
    out: (line: string) => out.push(line),
    err: (line: string) => err.push(line),
    isColoured: false,
    printed: out,
    notes: err,
  };
}

const never = (signal: AbortSignal) => new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

t.test('the tour takes eight steps, notices what the user does elsewhere, and leaves nothing behind', async (t) => {
  const terminal = startTerminal(t);
  const stop = new AbortController();
  let asked = 0;
  const enter = async (signal: AbortSignal): Promise<void> => {
    if (++asked > 1) return;
    // Another process calls the API with the token.
    const run = requireRun(terminal.cwd);
    const status = await statusOf(run);
    const token = 'channels' in status ? status.numbers.find(({ kind }) => kind === 'channel')?.token : undefined;
    await fetch(`${run.api}/v1/stacks`, { headers: { authorization: `Bearer ${token}` } });
    return never(signal);
  };
  t.equal(await runTour({ terminal, commands, input: { enter }, signal: stop.signal }), 0);
  const printed = terminal.printed.join('\n');
  t.equal(terminal.printed.filter((line) => line.startsWith('  ✓ ')).length, 8, printed);
  for (const seen of [
    /✓ GET \/v1\/stacks responded 200/,
    /signature ok/,
    /✓ the receiver failed, and the delivery arrived at attempt [2-6]/,
    /✓ the test was written, and it passes/,
    /C-05 {2}MUST +pass/,
    /digest written as hex/,
  ])
    t.match(printed, seen);
  t.match(terminal.notes.join('\n'), /library\.md:\d+:\d+ error/);
  t.notMatch(terminal.notes.join('\n'), 'Note: ', 'the recorded test has the conversation that took place');
  t.strictSame(readdirSync(terminal.cwd), [], 'no file is left');
  t.equal(process.env.POSTHORN_URL, undefined);
});

t.test('an abort in the middle of the tour leaves nothing behind', async (t) => {
  const terminal = startTerminal(t);
  const stop = new AbortController();
  let api = '';
  let asked = 0;
  const enter = async (signal: AbortSignal): Promise<void> => {
    if (++asked < 2) return;
    api = requireRun(terminal.cwd).api;
    stop.abort();
    return never(signal);
  };
  t.equal(await runTour({ terminal, commands, input: { enter }, signal: stop.signal }), 130);
  t.strictSame(readdirSync(terminal.cwd), []);
  await t.rejects(fetch(`${api}/health`), 'the sandbox has stopped');
  t.equal(findRunFile(terminal.cwd), undefined);
});

t.test('beside another sandbox of the folder, the commands of the tour name its own', async (t) => {
  const terminal = startTerminal(t);
  const other = await startSandbox({ seed: 'empty', console: false, logLevel: 'error' });
  t.teardown(() => other.stop());
  const { api, admin } = other;
  t.teardown(writeRunFile(terminal.cwd, { pid: process.pid, startedAt: '2027-03-01T08:00:00.000Z', api, admin }));
  const stop = new AbortController();
  let asked = 0;
  const enter = async (signal: AbortSignal): Promise<void> => {
    if (++asked < 3) return;
    stop.abort();
    return never(signal);
  };
  t.equal(await runTour({ terminal, commands, input: { enter }, signal: stop.signal }), 130);
  const [shown] = terminal.printed.filter((line) => line.includes(' send hi'));
  t.match(shown, / send hi --url http:\/\/127\.0\.0\.1:\d+$/);
  t.notMatch(shown, api);
});

t.test('a folder of that name is not touched', async (t) => {
  const terminal = startTerminal(t);
  mkdirSync(join(terminal.cwd, TOUR_FOLDER));
  const input = { enter: async () => undefined };
  await t.rejects(runTour({ terminal, commands, input, signal: new AbortController().signal }), {
    name: 'UsageError',
    message: /which exists/,
  });
  t.ok(existsSync(join(terminal.cwd, TOUR_FOLDER)));
});

t.test('without a terminal the tour starts nothing', async (t) => {
  const terminal = startTerminal(t);
  await t.rejects(tour.run([], terminal, commands), {
    name: 'UsageError',
    message: /needs a terminal and a person; in a script: npx posthorn exec/,
  });
  t.equal(await tour.run(['--json'], terminal, commands), 0);
  const { v, steps } = JSON.parse(terminal.printed[0]!);
  t.match({ v, count: steps.length }, { v: 1, count: 8 });
});

/** Runs a program in a pseudo-terminal, passes on its output, and sends the keys of standard input. */
const PTY = `
import os, pty, sys
def read(fd):
    return os.read(fd, 65536)
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:], read)))
`;

import { onlyLong } from '../forms.js';

t.test(
  'Ctrl-C in a terminal ends the tour, and leaves nothing behind',
  { skip: onlyLong || (python ? false : 'python3 is not installed') },
  async (t) => {
    const cwd = newFolder(t);
    const { CI: _, FORCE_COLOR: __, ...inherited } = process.env;
    const env = { ...inherited, NO_COLOR: '1' };
    const child = spawn('python3', ['-c', PTY, process.execPath, main, 'tour'], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
    t.teardown(() => child.kill('SIGKILL'));
    let printed = '';
    const exited = once(child, 'close');
    let prompts = 0;
    child.stdout.setEncoding('utf8').on('data', (data) => {
      printed += data;
      const count = printed.split('or press Enter').length - 1;
      for (; prompts < count; prompts++) child.stdin.write(prompts === 0 ? '\r' : '\u0003');
    });
    const [code] = await exited;
    t.equal(code, 130, printed);
    t.match(printed, /✓ GET \/v1\/stacks responded 200[\s\S]*3\/8[\s\S]*removed its files/);
    t.strictSame(readdirSync(cwd), []);
  },
);
