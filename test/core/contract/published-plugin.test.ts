import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { emitDeclarations } from '../../../scripts/docs/declared.js';

const SOURCES = 'test/core/contract/published-plugin';
const strict = { target: 'es2023', strict: true, exactOptionalPropertyTypes: true, types: ['node'] };
const modules = [
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'esnext', moduleResolution: 'bundler' },
];

/** A folder with our package as it is published: its package.json, and the declarations that `exports` there names. */
function installed(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-types-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, 'posthorn/dist'), { recursive: true });
  cpSync('package.json', join(modules, 'posthorn/package.json'));
  emitDeclarations(join(modules, 'posthorn/dist'), ['core/index.ts', 'core/ports/index.ts']);
  for (const name of ['joi', '@hapi', '@types', 'undici-types']) symlinkSync(resolve('node_modules', name), join(modules, name));
  return folder;
}

/** @throws Error with what the compiler printed */
async function compile(folder: string, config: object): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = resolve('node_modules/typescript/bin/tsc');
  const env = { ...process.env, NODE_OPTIONS: '' };
  await promisify(execFile)(process.execPath, [tsc, '-p', folder], { env }).catch(({ stdout, message }) => {
    throw new Error(stdout || message);
  });
}

t.test('a published plugin exports everything that it declares, and other packages can use its declarations', async (t) => {
  const folder = installed(t);
  for (const { module, moduleResolution } of modules) {
    const plugin = join(folder, `night-mail-${moduleResolution}`);
    cpSync(SOURCES, join(plugin, 'src'), { recursive: true });
    writeFileSync(join(plugin, 'package.json'), JSON.stringify({ type: 'module' }));
    const emitted = { declaration: true, emitDeclarationOnly: true, rootDir: join(plugin, 'src'), outDir: join(plugin, 'out') };
    const options = { ...strict, module, moduleResolution, skipLibCheck: true };
    await compile(plugin, { compilerOptions: { ...options, ...emitted }, include: ['src'] });
    for (const name of readdirSync(join(plugin, 'out'))) {
      const text = readFileSync(join(plugin, 'out', name), 'utf8');
      t.strictSame(
        [...text.matchAll(/import\("([^"]+)"\)/g)].map(([, from]) => from).filter((from) => !PUBLIC.test(from!)),
        [],
        name,
      );
    }

    const user = join(folder, `user-${moduleResolution}`);
    mkdirSync(user);
    writeFileSync(join(user, 'package.json'), JSON.stringify({ type: 'module' }));
    writeFileSync(join(user, 'index.ts'), usedBy(`../night-mail-${moduleResolution}/out/declarations.js`));
    await compile(user, { compilerOptions: { ...options, noEmit: true }, include: ['index.ts'] });
  }
});

/** Also what plugins may import: hapi is a peer, whose types handlers of routes have. */
const PUBLIC = /^(posthorn(\/ports)?|joi|@hapi\/hapi|\.\/[\w-]+\.js)$/;

/** A host that uses the exports with their types. */
const usedBy = (plugin: string): string => `
import { on } from 'posthorn';
import { type LetterBody, type Letters, letterPosted, nightMail, weigh } from '${plugin}';
export const to: Parameters<Letters['add']>[1] = 'ada';
export const body: LetterBody = { to, kind: 'card' };
export const listener = on(letterPosted, ({ to }) => void to.toUpperCase());
export const bytes = (output: NonNullable<(typeof weigh)['_output']>): number => output;
export const plugins = [nightMail({ route: 'north' })];
// @ts-expect-error: the plugin has no such option
nightMail({ rout: 'north' });
// @ts-expect-error: the event has another payload
on(letterPosted, (letter: { read: true }) => void letter.read);
`;
