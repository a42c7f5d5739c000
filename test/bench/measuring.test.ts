import { spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type Goal, goals, verdictOf } from '../../scripts/bench/goals/goals.js';
import { history } from '../../scripts/bench/goals/history.js';
import { noCpuFigures, treeMs } from '../../scripts/bench/measuring/cpu.js';
import { Receiver } from '../../scripts/bench/measuring/receiver.js';
import { alternate, ratioOf } from '../../scripts/bench/measuring/rounds.js';

t.test('every round begins with another side, and the warm-up is left out', async (t) => {
  const ran: string[] = [];
  const stopped: string[] = [];
  const sides = ['a', 'b', 'c'].map((name) => ({
    name,
    round: async () => ran.push(name),
    stop: async () => void stopped.push(name),
  }));
  const rounds = await alternate(sides, 3);
  t.equal(ran.join(''), 'abcbcacababc');
  t.strictSame(
    [...rounds],
    [
      ['a', [6, 8, 10]],
      ['b', [4, 9, 11]],
      ['c', [5, 7, 12]],
    ],
  );
  t.strictSame(stopped, ['a', 'b', 'c']);
});

t.test('the sides are stopped when a round fails', async (t) => {
  const stopped: string[] = [];
  const side = (name: string, round: () => Promise<number>) => ({ name, round, stop: async () => void stopped.push(name) });
  const failing = () => Promise.reject(new Error('no answer'));
  await t.rejects(alternate([side('a', async () => 1), side('b', failing)], 5), { message: 'no answer' });
  t.strictSame(stopped, ['a', 'b']);
});

t.test('a ratio is the median of the ratios of the same rounds', async (t) => {
  t.strictSame(
    ratioOf([1, 8, 30], [1, 4, 10], (round) => round),
    { median: 2, min: 1, max: 3 },
  );
});

t.test('the CPU time of a stack includes child processes that have ended', { skip: noCpuFigures ?? false }, async (t) => {
  const burn = `const { cpuUsage } = process; while (cpuUsage().user < 300_000);`;
  const script = `require('node:child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(burn)}]); console.log('ended'); setInterval(() => {}, 1e3)`;
  const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => parent.kill());
  await once(parent.stdout, 'data');
  t.ok(treeMs([parent.pid!]) >= 300, `${treeMs([parent.pid!])} ms`);
  const grandparent = treeMs([process.pid]);
  t.ok(grandparent >= treeMs([parent.pid!]), 'a process includes its running children');
});

t.test('the receiver refuses wrong signatures, and deliveries that arrive twice', async (t) => {
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  await receiver.expectSignatures({ '/hook': 'secret' });
  const send = async (path: string, signature: string) => {
    const headers = { 'x-svc-hook-signature': signature };
    await (await fetch(`${receiver.url}${path}`, { method: 'POST', body: '{}', headers })).text();
  };
  const signature = createHmac('sha256', 'secret').update('{}').digest('base64');
  const arrived = receiver.reached(2);
  await send('/hook', signature);
  await send('/hook', signature);
  await arrived;
  await send('/hook', signature);
  await t.rejects(receiver.reached(2), { message: '2 deliveries were expected, but 3 have arrived' });
  await send('/other', signature);
  await send('/hook', 'wrong');
  await t.rejects(receiver.count(), { message: '2 of 5 deliveries had no valid signature' });
});

t.test('a goal is reached at its limit, unless the figure has a flaw or there is none', async (t) => {
  const [rate, cost]: Goal[] = [
    { what: 'rate', unit: 'ratio', atLeast: 0.5 },
    { what: 'cost', unit: 'KB', atMost: 2 },
  ];
  t.equal(verdictOf(rate!, { value: 0.5 }), 'reached');
  t.equal(verdictOf(rate!, { value: 0.49 }), 'not reached');
  t.equal(verdictOf(cost!, { value: 2 }), 'reached');
  t.equal(verdictOf(cost!, { value: 2.01 }), 'not reached');
  t.equal(verdictOf(cost!, { value: Number.NaN }), 'not reached');
  t.equal(verdictOf(cost!, { value: 1, flaw: 'the start logged no progress' }), 'not reached');
  t.equal(verdictOf(cost!, { missing: 'no Redis' }), 'not measured');
});

t.test('every goal has one limit, and the history has figures of goals only', async (t) => {
  for (const [name, goal] of Object.entries<Goal>(goals))
    t.equal(Number(goal.atLeast !== undefined) + Number(goal.atMost !== undefined), 1, name);
  t.ok(history().length >= 1);
  for (const { release, figures } of history())
    for (const name of Object.keys(figures)) t.ok(Object.hasOwn(goals, name), `${release}: ${name}`);
});

t.test('each platform under measurement has an admin API', async (t) => {
  const files = readdirSync('scripts/bench', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const texts = files.map((file) => [file, readFileSync(join('scripts/bench', file), 'utf8')] as const);
  const creating = texts.filter(([, text]) => /\bcreatePlatform\(/.test(text));
  t.ok(creating.length >= 10, creating.map(([file]) => file).join());
  for (const [file, text] of creating) t.match(text, /^(?!import ).*\badmin(: \{ key: ADMIN_KEY \})?(,| \})/m, file);
});

t.test('recorded figures replace the unreleased ones in the history and on the page, and leave those of releases', async (t) => {
  const folder = t.testdir({ core: {}, scripts: { bench: { goals: {} } } });
  const [file, page] = ['scripts/bench/goals/history.json', 'core/benchmarks.md'];
  for (const path of [file, page]) cpSync(path, join(folder, path));
  const module = new URL('../../scripts/bench/goals/record.js', import.meta.url).href;
  const results = { deliveries: { value: 0.61234, min: 0.5, max: 0.7, beside: 'floor 9/s' }, send: { missing: 'failed' } };
  const twice = `for (const _ of [1, 2]) await record(${JSON.stringify(results)}, 'two cores, idle');`;
  const script = `import { record } from '${module}'; ${twice}`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: folder, encoding: 'utf8' });
  t.equal(status, 0, stderr);
  const released = history().filter(({ release }) => release !== 'Unreleased');
  const figures = { deliveries: { value: 0.612, min: 0.5, max: 0.7 } };
  t.strictSame(JSON.parse(readFileSync(join(folder, file), 'utf8')), [
    { release: 'Unreleased', about: 'two cores, idle', figures },
    ...released,
  ]);
  const printed = readFileSync(join(folder, page), 'utf8');
  t.match(printed, '| at least 0.55 | 0.61 (0.50 to 0.70) |');
  t.match(printed, '- Unreleased: two cores, idle.');
});
