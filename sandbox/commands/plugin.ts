import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quoted } from '../../core/own-command.js';
import { readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { installCommand } from '../terminal/install-command.js';
import { exit } from '../terminal/terminal.js';
import { version } from '../version.js';
import type { Command } from './command.js';

const flags = {
  dir: text('DIR', 'the folder to create (default: NAME)'),
  json: toggle('print the files and the next command as one line of JSON'),
};

/** The example that a new plugin starts from. The package contains its source. */
const EXAMPLE = 'pigeon-post';
const examples = fileURLToPath(new URL('../../../sandbox/examples/', import.meta.url));
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

export const plugin: Command = {
  summary: 'creates a package with a channel plugin of your own',
  usage: 'plugin new NAME [flags]',
  examples: ['plugin new night-mail'],
  notes: [
    'Writes a package with a channel plugin and its test, and prints the command that installs and tests it.',
    'Exit codes: 0 created, 2 wrong usage.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [verb, name, ...more] = positionals;
    if (verb !== 'new') throw new UsageError(`plugin takes one verb: npx posthorn plugin new ${name ?? 'NAME'}`);
    if (name === undefined || more.length > 0)
      throw new UsageError('plugin new takes one name, for example: npx posthorn plugin new pigeon-post');
    if (!NAME.test(name)) throw new UsageError(`a plugin name consists of lower-case words joined with -, not '${name}'`);
    if ((await builtIn()).includes(name)) throw new UsageError(`'${name}' is the name of a built-in plugin; choose another name`);
    const folder = resolve(terminal.cwd, values.dir ?? name);
    if (existsSync(folder)) throw new UsageError(`${folder} already exists; choose another name or --dir`);
    const files = filesOf(name);
    for (const [file, written] of Object.entries(files)) {
      mkdirSync(join(folder, file, '..'), { recursive: true });
      writeFileSync(join(folder, file), written);
    }
    const shown = relative(terminal.cwd, folder) || '.';
    const next = `cd ${quoted(shown)} && ${installCommand()} && npm test`;
    if (values.json) {
      terminal.out(JSON.stringify({ v: 1, folder, files: Object.keys(files), next: [next] }));
      return exit.ok;
    }
    for (const file of Object.keys(files)) terminal.out(join(shown, file));
    terminal.err(`Next: ${next}`);
    return exit.ok;
  },
};

/** Names of built-in plugins. Imported on demand, as they load the complete platform. */
async function builtIn(): Promise<string[]> {
  const { everyPlugin } = await import('../server/every-plugin.js');
  return ['core', 'sandbox', ...everyPlugin().map(({ manifest }) => manifest.name)];
}

function filesOf(name: string): Record<string, string> {
  // The suffix avoids clashes with reserved positionals and with imports of the plugin and its test.
  const identifier = `${camel(name)}Channel`;
  const renamed = (file: string): string =>
    readFileSync(join(examples, EXAMPLE, file), 'utf8')
      .replaceAll(EXAMPLE, name)
      .replaceAll(camel(EXAMPLE), identifier);
  return {
    [`src/${name}.ts`]: renamed(`${EXAMPLE}.ts`),
    'src/flights.ts': renamed('flights.ts'),
    [`src/${name}.test.ts`]: renamed(`${EXAMPLE}.test.ts`),
    'README.md': readmeOf(name),
    'package.json': json(manifestOf(name)),
    'tsconfig.json': json(compiler),
    '.gitignore': 'node_modules/\ndist/\n',
  };
}

const readmeOf = (name: string): string => `# ${name}

A plugin of Posthorn with a channel, and its tests.

| File | What it is |
|---|---|
| \`src/${name}.ts\` | the channel: sends messages through the HTTP API of a gateway, and receives messages of contacts through a route |
| \`src/flights.ts\` | a page of the console with the messages that left |
| \`src/${name}.test.ts\` | the contract of channels, and a gateway that fails |

Try it in two terminals. Put what the first two calls print, the \`uuid\` of a number and the \`text\` of its token, in place of UUID and TOKEN:

\`\`\`sh
npm run sandbox
\`\`\`

\`\`\`sh
eval "$(npx posthorn env)"
curl -H "authorization: Bearer $POSTHORN_ADMIN_KEY" --json '{"kind": "channel", "type": "${name}", "address": "desk:1", "name": "Desk"}' "$POSTHORN_URL/admin/v1/numbers"
curl -H "authorization: Bearer $POSTHORN_ADMIN_KEY" --json '{"name": "desk"}' "$POSTHORN_URL/admin/v1/numbers/UUID/tokens"
curl -H "authorization: Bearer TOKEN" --json '{"id": "1", "from": "ann", "text": "hi"}' "$POSTHORN_URL/v1/${name}/messages"
npx posthorn why
\`\`\`

Next: replace the gateway by your messaging service. In a server of your own, pass the plugin to \`createPlatform({ plugins: [...] })\`.
`;

const manifestOf = (name: string): object => ({
  name: `posthorn-${name}`,
  version: '0.1.0',
  type: 'module',
  engines: { node: '>=20.19' },
  exports: { '.': { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` } },
  files: ['dist', '!dist/*.test.*'],
  scripts: {
    build: 'tsc -p .',
    test: `tsc -p . && node --test dist/${name}.test.js`,
    sandbox: `posthorn sandbox --plugin src/${name}.ts --option ${name}.gateway=http://127.0.0.1:9`,
  },
  // Peers, so that the plugin and its host application share one copy.
  peerDependencies: { joi: '^18.3.2', posthorn: `^${version}` },
  devDependencies: {
    '@hapi/hapi': '^21.4.10',
    '@types/node': '^20.19.43',
    esbuild: '>=0.21',
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
