import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { sample } from '../pages/samples.js';
import { newFolder, run, startSandbox } from './posthorn-process.js';

t.test('the channel of the README takes a line with the commands that the page prints', async (t) => {
  const folder = newFolder(t);
  const build = join(import.meta.dirname, '..', '..');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'console-channel.ts'), sample('README.md', 'ts', 'console-channel'));
  const { ready } = await startSandbox(t, folder, '--seed', 'empty', '--plugin', 'console-channel.ts');
  const commands = sample('README.md', 'sh', 'console-channel').replaceAll(
    'npx posthorn',
    `'${process.execPath}' '${build}/sandbox/main.js'`,
  );
  const { ended, out, err } = run(t, ['-ec', commands], folder, {}, '/bin/sh');
  t.equal(await ended, 0, err());
  t.match(out(), /\{"success":true\}$/);
  const response = await fetch(`${ready.admin.url}/conversations`, { headers: { authorization: `Bearer ${ready.admin.key}` } });
  t.match(await response.json(), { conversations: [{ contact: { id: 'ada' } }] });
});
