import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { transform } from 'esbuild';
import t from 'tap';
import type { Tap } from '#core/testing';
import { ownCommand } from '../../core/own-command.js';
import { writeRunFile } from '../../sandbox/client/run-file.js';
import { connector } from '../../sandbox/commands/connector.js';
import { integration } from '../../sandbox/commands/integration.js';
import { startSandbox } from '../../sandbox/compose.js';
import { freePort } from '../../scripts/free-port.js';
import { onlyLong } from '../forms.js';
import { newFolder } from '../iso/posthorn-process.js';

const main = join(import.meta.dirname, '..', '..', 'sandbox', 'main.js');
const isThere = (command: string, flag: string): boolean => spawnSync(command, [flag]).status === 0;

/** The languages of starters. `start` runs what `prepare` built, without a registry. */
const languages = [
  {
    name: 'python',
    isMissing: !isThere('python3', '--version') && 'python3 is missing',
    run: 'python3 connector.py',
    start: 'python3 KIND.py',
  },
  { name: 'ts', isMissing: onlyLong, run: 'npm start', start: `'${process.execPath}' dist/KIND.js` },
  { name: 'go', isMissing: onlyLong || (!isThere('go', 'version') && 'go is missing'), run: 'go run .', start: './starter' },
] as const;
type Language = (typeof languages)[number];

/** Writes a starter, and builds it. @returns its folder */
async function newStarter(t: Tap, { name }: Language, kind: 'connector' | 'integration' = 'connector') {
  const cwd = newFolder(t);
  const terminal = { cwd, isColoured: false, out: () => undefined, err: () => undefined };
  await (kind === 'connector' ? connector : integration).run(['new', 'mine', '--lang', name], terminal);
  const folder = join(cwd, 'mine');
  if (name === 'ts') {
    mkdirSync(join(folder, 'dist'));
    for (const file of [kind, 'start']) {
      const { code } = await transform(readFileSync(join(folder, `${file}.ts`), 'utf8'), { loader: 'ts', format: 'esm' });
      writeFileSync(join(folder, 'dist', `${file}.js`), code);
    }
  }
  if (name === 'go') execFileSync('go', ['build', '-o', 'starter', '.'], { cwd: folder, env: { ...process.env, GOTOOLCHAIN: 'local' } });
  return { cwd, folder };
}

function shell(script: string, cwd: string, env: Record<string, string> = {}) {
  const child: ChildProcess = spawn('sh', ['-c', `set -e\n${script}`], {
    ...{ cwd, env: { PATH: process.env.PATH, HOME: process.env.HOME, CI: 'true', ...env }, stdio: 'pipe', detached: true },
  });
  const output = { text: '' };
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (data) => (output.text += data));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    output,
    ended,
    stop: () => void (child.exitCode === null && process.kill(-child.pid!)),
    async prints(text: string): Promise<void> {
      for (let left = 600; left > 0 && child.exitCode === null; left--) {
        if (output.text.includes(text)) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`'${text}' was not printed: ${output.text}`);
    },
  };
}

for (const language of languages) {
  t.test(`the README of a starter in ${language.name} works beside a running sandbox`, { skip: language.isMissing }, async (t) => {
    const { cwd, folder } = await newStarter(t, language);
    const sandbox = await startSandbox({ seed: 'empty', logLevel: 'error' });
    t.teardown(() => sandbox.stop());
    writeRunFile(cwd, { pid: process.pid, startedAt: '', api: sandbox.api, admin: sandbox.admin });
    const port = await freePort();
    const readme = readFileSync(join(folder, 'README.md'), 'utf8');
    t.match(readme, ownCommand(cwd), 'the README names the command that works in this folder');
    // The build for tests instead of that of the package, and three checks instead of all.
    const [, start = '', talk = '', check = ''] = [...readme.matchAll(/```sh\n(.*?)\n```/gs)].map(([, block]) =>
      block!
        .replaceAll('3000', String(port))
        .replaceAll(ownCommand(cwd), `'${process.execPath}' '${main}'`)
        .replace(' conform ', ' conform --only C-01,C-41,C-50 '),
    );
    const running = shell(start.replace(language.run, language.start.replace('KIND', 'connector')), folder);
    t.teardown(running.stop);
    await running.prints(`connector on http://127.0.0.1:${port}`);

    const talked = shell(talk, folder);
    t.equal(await talked.ended, 0, talked.output.text);
    t.notMatch(talked.output.text, /error/, 'the contact wrote, and the message was accepted');
    await running.prints('to +27611111111: Hello from Posthorn');
    const checked = shell(check, folder);
    t.equal(await checked.ended, 0, checked.output.text);
    t.match(checked.output.text, /3 passed, 0 failed/);
    await running.prints('to +27611111111: Hello! Your connector works in both directions.');

    const refused = await fetch(`http://127.0.0.1:${port}/phone`, {
      method: 'POST',
      body: '{"from":"+27611111111","id":"x","status":"seen"}',
    });
    t.equal(refused.status, 502);
    t.match(await refused.text(), /statuses got 400 .*status/, 'the reason of the platform');
  });

  t.test(`a starter in ${language.name} names what is missing, and a port in use`, { skip: language.isMissing }, async (t) => {
    const busy = createServer();
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    t.teardown(() => busy.close());
    const port = String((busy.address() as AddressInfo).port);
    for (const kind of language.name === 'go' ? (['connector'] as const) : (['connector', 'integration'] as const)) {
      const { folder } = await newStarter(t, language, kind);
      const command = language.start.replace('KIND', kind);
      const all = kind === 'connector' ? ['POSTHORN_API', 'POSTHORN_NUMBER', 'POSTHORN_TOKEN', 'POSTHORN_SECRET'] : ['POSTHORN_SECRET'];
      const without = shell(command, folder, { PORT: port });
      t.equal(await without.ended, 1);
      t.equal(without.output.text, `${kind}: set ${all.join(', ')}, as README.md shows\n`);
      const taken = shell(command, folder, { PORT: port, ...Object.fromEntries(all.map((name) => [name, 'x'])) });
      t.equal(await taken.ended, 1);
      t.equal(taken.output.text, `${kind}: port ${port} is in use; set PORT to another, and use its URL on your platform\n`);
    }
  });
}
