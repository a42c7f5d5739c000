import { join } from 'node:path';
import t from 'tap';
import { refusalText } from '../../core/events/refusal-text.js';
import { adminSend } from '../../sandbox/client/admin-client.js';
import { writeRunFile } from '../../sandbox/client/run-file.js';
import { runCommandLine } from '../../sandbox/command-line.js';
import { commands } from '../../sandbox/commands.js';
import { startSandbox } from '../../sandbox/compose.js';
import { newFolder } from '../iso/posthorn-process.js';
import { onSandbox, real_clock, startBox } from './on-sandboxes.js';

t.test('the plugins of a sandbox name the cause of each refusal', async (t) => {
  const sandbox = await startBox(t);
  for (const [cause, provoke] of Object.entries(onSandbox)) {
    const { status, cause: named, text } = await provoke(sandbox);
    t.equal(named, cause, `${cause}: ${status} ${text.slice(0, 300)}`);
  }
  t.equal(await real_clock(t), 'real_clock');
});

t.test('a command says what the operator does about a refusal, unless the refusal says so itself', async (t) => {
  const cwd = newFolder(t);
  const numbers = [{ kind: 'network' as const, address: '+27600000001', name: 'Library' }];
  const { api, admin, stop } = await startSandbox({ seed: { numbers }, data: join(cwd, 'data'), clock: 'manual', logLevel: 'error' });
  t.teardown(stop);
  const run = { pid: process.pid, startedAt: new Date().toISOString(), api, admin, phone: undefined };
  writeRunFile(cwd, run);
  const said = async (...argv: string[]) => {
    const lines: string[] = [];
    const say = (line: string) => void lines.push(line);
    await runCommandLine(argv, { cwd, out: say, err: say, isColoured: false }, commands);
    return lines.join('\n');
  };
  t.notMatch(await said('fault', 'remove', 'none'), /not found\. /, 'the caller acts, not the operator');
  await said('fault', 'add', '--on', 'store', '--effect', 'disk_full', '--times', '1');
  t.match(
    await said('channel', 'add', 'http://127.0.0.1:9/'),
    'The store accepts no writes at the moment; the log says why. Resolve what the log says, then POST /admin/v1/store/reopen.',
  );
  await adminSend(run, 'POST', '/store/reopen');

  const memory = [{ cause: 'no_disk', who: 'operator', action: 'Start it with `--data DIR`.' }] as const;
  const message = 'The state of this sandbox is in memory; start it with --data DIR';
  t.equal(refusalText(message, 'no_disk', memory), message, 'the message says it');
});
