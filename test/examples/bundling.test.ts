import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { newFolder } from '../iso/posthorn-process.js';
import { sample } from '../pages/samples.js';

const build = join(import.meta.dirname, '..', '..');
const plugins = ['network', 'webhooks'].map((name) => `posthorn/plugins/${name}`);

t.test('a server that the script of the page bundled delivers with worker threads', async (t) => {
  const folder = newFolder(t);
  const link = (name: string, target: string, place = folder): void => {
    mkdirSync(dirname(join(place, 'node_modules', name)), { recursive: true });
    symlinkSync(target, join(place, 'node_modules', name));
  };
  for (const name of ['esbuild', 'express', '@hapi/hapi']) link(name, join(process.cwd(), 'node_modules', name));
  link('posthorn', build);
  writeFileSync(join(folder, 'bundle.mjs'), sample('sandbox/examples/README.md', 'js', 'bundle.mjs'));
  copyFileSync('scripts/pack-check/serves.mjs', join(folder, 'serves.mjs'));
  // express is a CommonJS package, and must be in the bundle.
  writeFileSync(join(folder, 'server.ts'), `import express from 'express';\nimport './serves.mjs';\nconst app: object = express();\n`);
  execFileSync(process.execPath, ['bundle.mjs'], { cwd: folder, stdio: 'pipe' });

  const out = newFolder(t);
  for (const file of readdirSync(join(folder, 'out'))) copyFileSync(join(folder, 'out', file), join(out, file));
  const { dependencies } = JSON.parse(readFileSync(join(out, 'package.json'), 'utf8'));
  t.equal(dependencies.posthorn, JSON.parse(readFileSync('package.json', 'utf8')).version);
  t.strictSame(Object.keys(dependencies), ['posthorn', '@hapi/hapi']);
  link('posthorn', build, out);
  link('@hapi/hapi', join(process.cwd(), 'node_modules/@hapi/hapi'), out);
  const printed = execFileSync(process.execPath, ['server.js', ...plugins], {
    cwd: out,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.equal(printed.trim(), '2 plugins, one signed delivery');
});
