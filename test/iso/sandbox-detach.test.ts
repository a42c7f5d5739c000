import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ask, newFolder, OUTSIDE, posthorn } from './posthorn-process.js';

t.test('detached sandboxes are found, told apart and stopped', async (t) => {
  const folder = newFolder(t);
  const run = async (...args: string[]) => {
    if (args[0] !== 'sandbox') return ask(folder, args);
    const running = posthorn(t, folder, args);
    return { code: await running.ended, out: running.out(), err: running.err() };
  };
  const start = async () => JSON.parse((await run('sandbox', '--detach', '--port', '0', '--seed', 'empty', '--json')).out);
  t.teardown(async () => void (await run('stop', '--wait', '5')));
  const usedNow = async (): Promise<string> => JSON.parse((await run('status', '--json')).out).api;

  const first = await start();
  t.match(first, { ready: true, v: 1, api: String, admin: { key: String }, pid: Number, log: String });
  t.equal((await fetch(`${first.api}/ready`)).status, 200, 'it is ready when the command ends');

  const second = await run('sandbox', '--detach', '--port', '0', '--seed', 'empty');
  t.equal(second.code, 0, second.err);
  const api = /Console +(http:\S+)\/console/.exec(second.out)![1]!;
  const [, log, end] = /its output is in (\S+)\. To end it: (.+)/.exec(second.out)!;
  t.equal(end, `${OUTSIDE} stop`);
  const beside = `another sandbox runs in this folder, at ${first.api} (process ${first.pid})`;
  t.match(second.err, beside, 'the terminal of the second one');
  t.match(readFileSync(join(folder, log!), 'utf8'), beside, 'and its log');
  t.equal(await usedNow(), first.api, 'commands continue to use the first one');
  const noticed = () => readFileSync(first.log, 'utf8').includes(`another sandbox has started in this folder, at ${api}`);
  while (!noticed()) await new Promise((resolve) => setTimeout(resolve, 20));
  t.pass('the terminal of the first one says it, too');

  t.match(await run('stop', '--json'), { code: 0, out: new RegExp(`^{"v":1,"stopped":{"api":"${first.api}","pid":${first.pid}}}`) });
  await t.rejects(fetch(`${first.api}/ready`));
  t.equal(await usedNow(), api, 'then they use the second one');
  t.match(await run('stop', '--url', api), { code: 0, out: `Stopped the sandbox at ${api}` });
  t.match(await run('stop'), { code: 3, err: /no sandbox is running/ });
  t.strictSame(
    readdirSync(join(folder, '.posthorn')).filter((name) => name.startsWith('run-')),
    [],
  );
});

t.test('a detached sandbox that does not start says why, with its exit code', async (t) => {
  const folder = newFolder(t);
  const running = posthorn(t, folder, ['sandbox', '--detach', '--plugin', 'nope.ts']);
  t.equal(await running.ended, 2);
  t.equal(running.err(), `posthorn: ${join(folder, 'nope.ts')} does not exist\nCode: usage\nTry: ${OUTSIDE} help sandbox\n`);
  const json = await ask(folder, ['sandbox', '--detach', '--plugin', 'nope.ts', '--json']);
  t.equal(json.code, 2);
  t.match(JSON.parse(json.out), { v: 1, error: { code: 'usage', message: /nope\.ts does not exist/ } });
  t.strictSame(readdirSync(join(folder, '.posthorn')), ['.gitignore'], 'no log remains');
});

t.test('stop ends no process that is not the sandbox of the run file', async (t) => {
  const folder = newFolder(t);
  mkdirSync(join(folder, '.posthorn'));
  const file = join(folder, '.posthorn', `run-${process.pid}.json`);
  const api = 'http://127.0.0.1:9';
  // After a crash this process got the id of the sandbox.
  writeFileSync(file, JSON.stringify({ pid: process.pid, startedAt: '', api, admin: { url: `${api}/admin/v1`, key: 'k' } }));
  const { code, err } = await ask(folder, ['stop']);
  t.equal(code, 3);
  t.match(err, /the sandbox at http:\/\/127\.0\.0\.1:9 does not run any more/);
  t.notOk(existsSync(file), 'its file is removed');
  const elsewhere = await ask(folder, ['stop', '--url', api], { POSTHORN_ADMIN_KEY: 'k' });
  t.match(elsewhere, { code: 1, err: /was not started in this folder/ });
});
