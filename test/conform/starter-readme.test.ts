import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ownCommand } from '../../core/own-command.js';
import { writeRunFile } from '../../sandbox/client/run-file.js';
import { connector } from '../../sandbox/commands/connector.js';
import { env } from '../../sandbox/commands/env.js';
import { startSandbox } from '../../sandbox/compose.js';
import { freePort } from '../../scripts/free-port.js';
import { newFolder } from '../iso/posthorn-process.js';

const main = join(import.meta.dirname, '..', '..', 'sandbox', 'main.js');
const python = spawnSync('python3', ['--version']).status === 0;

t.test('the README of a starter in Python works beside a running sandbox', { skip: !python && 'python3 is missing' }, async (t) => {
  const folder = newFolder(t);
  const terminal = { cwd: folder, isColoured: false, out: () => undefined, err: () => undefined };
  await connector.run(['new', 'mine', '--lang', 'python'], terminal);
  const sandbox = await startSandbox({ seed: 'empty', logLevel: 'error' });
  t.teardown(() => sandbox.stop());
  const { api, admin } = sandbox;
  writeRunFile(folder, { pid: process.pid, startedAt: '', api, admin });

  const port = await freePort();
  // The build for tests instead of that of the package, and three checks instead of all.
  const readme = readFileSync(join(folder, 'mine', 'README.md'), 'utf8')
    .replaceAll('3000', String(port))
    .replaceAll(ownCommand(folder), `'${process.execPath}' '${main}'`)
    .replaceAll(' conform ', ' conform --only C-01,C-41,C-50 ');
  t.match(readme, main, 'the README names the command that works in this folder');
  const [, start, check] = [...readme.matchAll(/```sh\n(.*?)\n```/gs)].map(([, block]) => block!);
  const options = { cwd: join(folder, 'mine'), env: { ...process.env, CI: 'true' } };

  const running = spawn('sh', ['-c', `set -e\n${start}`], { ...options, stdio: 'pipe', detached: true });
  t.teardown(() => void process.kill(-running.pid!));
  let printed = '';
  await new Promise((resolve, reject) => {
    const note = (data: Buffer): void => {
      printed += data;
      if (printed.includes(`http://127.0.0.1:${port}`) && printed.includes('connector on')) resolve(undefined);
    };
    running.stdout.on('data', note);
    running.stderr.on('data', note);
    running.once('exit', () => reject(new Error(`the connector ended: ${printed}`)));
  });
  const checked = spawn('sh', ['-c', `set -e\n${check}`], { ...options, stdio: 'pipe' });
  let output = '';
  for (const stream of [checked.stdout, checked.stderr]) stream.on('data', (data) => (output += data));
  t.equal(await new Promise((resolve) => checked.once('exit', resolve)), 0, output);
  t.match(output, /3 passed, 0 failed/);
  t.match(output, /▶ \+27611111111 {2}hi/);
  const lines: string[] = [];
  t.equal(await env.run([], { ...terminal, out: (line) => void lines.push(line) }), 0);
  t.match(lines.join('\n'), /POSTHORN_SECRET='/, 'env prints the channel, the first of this sandbox');
});
