import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFlags, text, UsageError } from '../terminal/flags.js';
import { exit } from '../terminal/terminal.js';
import { version } from '../version.js';
import type { Command } from './command.js';

const flags = { dir: text('DIR', 'the folder to make (default: the name)') };

/** The example that a new plugin begins as; it lies beside the sources, in the package too. */
const EXAMPLE = 'pigeon-post';
const examples = fileURLToPath(new URL('../../../sandbox/examples/', import.meta.url));
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

export const plugin: Command = {
  summary: 'makes the beginnings of a channel of your own',
  usage: 'plugin new NAME [flags]',
  notes: ['It writes a package with a channel plugin and its test: npm install && npm test', 'Exit codes: 0 made, 2 not possible.'],
  flags,
  async run(argv, terminal) {
    const { values, words } = readFlags(argv, flags);
    const [verb, name, ...more] = words;
    if (verb !== 'new') throw new UsageError(`plugin has one verb: posthorn plugin new ${name ?? 'NAME'}`);
    if (name === undefined || more.length > 0) throw new UsageError('a new plugin has one name: posthorn plugin new pigeon-post');
    if (!NAME.test(name)) throw new UsageError(`a plugin's name is lower-case words joined with -, not '${name}'`);
    if ((await builtIn()).includes(name)) throw new UsageError(`'${name}' is the name of a plugin of Posthorn's own; choose another`);
    const folder = resolve(terminal.cwd, values.dir ?? name);
    if (existsSync(folder)) {
      terminal.err(`posthorn: ${folder} is there already; choose another name, or --dir`);
      return exit.usage;
    }
    const files = filesOf(name);
    for (const [file, written] of Object.entries(files)) {
      mkdirSync(join(folder, file, '..'), { recursive: true });
      writeFileSync(join(folder, file), written);
    }
    const shown = relative(terminal.cwd, folder) || '.';
    for (const file of Object.keys(files)) terminal.out(join(shown, file));
    terminal.err(`Now: cd ${quoted(shown)} && ${install()} && npm test`);
    return exit.ok;
  },
};

/** Loaded when they are asked for: with them comes the whole platform. */
async function builtIn(): Promise<string[]> {
  const { everyPlugin } = await import('../server/every-plugin.js');
  return ['core', 'sandbox', ...everyPlugin().map(({ manifest }) => manifest.name)];
}

/**
 * A checkout is no package that a registry has: it is packed, and installed from there. Packing builds it, as `npm start`, which has
 * built what runs here, makes no types.
 */
function install(): string {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const isCheckout = existsSync(join(root, 'scripts/start.mjs'));
  return isCheckout ? `npm pack --silent ${quoted(root)} && npm install -D ./posthorn-${version}.tgz` : 'npm install';
}

/** As a shell reads it as one word. */
const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

/** The files of a new plugin by their paths. */
function filesOf(name: string): Record<string, string> {
  // With another word behind it: the name alone could be a word of the language, or one that the plugin and its test import.
  const identifier = `${camel(name)}Channel`;
  const named = (file: string): string =>
    readFileSync(join(examples, EXAMPLE, file), 'utf8')
      .replaceAll(EXAMPLE, name)
      .replaceAll(camel(EXAMPLE), identifier);
  return {
    [`src/${name}.ts`]: named(`${EXAMPLE}.ts`),
    [`src/${name}.test.ts`]: named(`${EXAMPLE}.test.ts`),
    'package.json': json(manifestOf(name)),
    'tsconfig.json': json(compiler),
    '.gitignore': 'node_modules/\ndist/\n',
  };
}

const manifestOf = (name: string): object => ({
  name: `posthorn-${name}`,
  version: '0.1.0',
  type: 'module',
  engines: { node: '>=20.19' },
  exports: { '.': { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` } },
  files: ['dist', '!dist/*.test.*'],
  scripts: { build: 'tsc -p .', test: `tsc -p . && node --test dist/${name}.test.js` },
  // The host has the one copy of each.
  peerDependencies: { joi: '^18.3.2', posthorn: `^${version}` },
  devDependencies: {
    '@hapi/hapi': '^21.4.10',
    '@types/node': '^20.19.43',
    joi: '^18.3.2',
    posthorn: `^${version}`,
    typescript: '^5.9.3 || ^7',
  },
});

const compiler = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    declaration: true,
    skipLibCheck: true,
    rootDir: 'src',
    outDir: 'dist',
  },
  include: ['src'],
};

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
const camel = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
