import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { onlyLong } from '../forms.js';
import { newFolder, posthorn } from './posthorn-process.js';

const main = join(import.meta.dirname, '..', '..', 'sandbox', 'main.js');
/** Runs a command at a terminal. */
const SCRIPT = '/usr/bin/script';

t.test(
  'at a terminal, the address of the console in the banner signs a browser in, and stays valid after a restart',
  { skip: onlyLong || (existsSync(SCRIPT) ? false : `no terminal without ${SCRIPT}`) },
  async (t) => {
    const folder = newFolder(t);
    const start = async (port: number) => {
      const command = `"${process.execPath}" "${main}" sandbox --seed empty --port ${port}`;
      const { FORCE_COLOR: _, ...env } = process.env;
      const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], { cwd: folder, env: { ...env, NO_COLOR: '1' } });
      const ended = once(child, 'close');
      const stop = async () => {
        child.stdin.write('q');
        await ended;
      };
      t.teardown(() => {
        child.stdin.destroy();
        child.kill('SIGKILL');
      });
      let out = '';
      await new Promise<void>((resolve) => {
        child.stdout.on('data', (data) => {
          out += data;
          if (/Press o /.test(out)) resolve();
        });
      });
      return { out, stop };
    };
    const first = await start(0);
    const [, url = ''] = /Console +(http:\S+\?code=\S+)/.exec(first.out) ?? [];
    const { origin, port } = new URL(url);
    const opened = await fetch(url, { redirect: 'manual' });
    t.equal(opened.status, 303);
    const headers = { cookie: opened.headers.getSetCookie()[0]!.split(';')[0]!, 'sec-fetch-site': 'same-origin' };
    const get = async () => (await fetch(`${origin}/admin/v1/numbers`, { headers })).status;
    t.equal(await get(), 200);
    await first.stop();
    const second = await start(Number(port));
    t.match(second.out, `${origin}/console/?code=`);
    t.equal(await get(), 200, 'the browser is still signed in');
    await second.stop();
  },
);

t.test('output that goes to a file contains no code', async (t) => {
  const sandbox = posthorn(t, newFolder(t), ['sandbox', '--seed', 'empty', '--port', '0']);
  t.match(await sandbox.printed(/Press Ctrl-C/), /Console +http:\S+\/console\/ +sign in with node \S+ open\n/);
  t.notMatch(sandbox.out() + sandbox.err(), 'code=');
});
